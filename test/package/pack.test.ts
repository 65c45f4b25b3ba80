/**
 * The package as others get it: packed, installed into an empty project, imported, required, run. Needs the built
 * code (`npm run build`); its dependencies come from npm's cache where they can.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const INSTALL_MS = 120_000;

const run = promisify(execFile);

// Each test starts processes, and a loaded machine takes its time for them.
jest.setTimeout(60_000);

let project: string;
let files: string[];

/** Runs a script in the project, as its own process, with the Node of this one. */
async function node(...args: string[]): Promise<string> {
  const environment: NodeJS.ProcessEnv = { ...process.env };
  delete environment['NODE_OPTIONS'];
  return (await run(process.execPath, args, { cwd: project, env: environment })).stdout.trim();
}

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'pack-'));
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], {
    cwd: ROOT,
  });
  const [pack] = JSON.parse(packed.stdout) as Array<{ filename: string; files: Array<{ path: string }> }>;
  files = pack?.files.map(({ path }) => path) ?? [];
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true}');
  const install = [
    'install',
    `./${pack?.filename}`,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  await run('npm', install, { cwd: project });
}, INSTALL_MS);

afterAll(() => rmSync(project, { recursive: true, force: true }));

test('holds the built code, its types and its papers, and nothing else', () => {
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
  );
  expect(
    files.filter(
      (path) =>
        !/^(?:dist\/.+\.(?:js|d\.ts)|LICENSE|[A-Z]+(?:\.\w+)?\.md|package\.json)$/.test(path) &&
        // What `validate` runs by default, and the nginx configuration of the acceptance bed.
        !/^(?:test\/cases\/mcp-cases\.json|examples\/nginx\/[\w-]+\.conf)$/.test(path),
    ),
  ).toEqual([]);
});

test('is imported and required, as the same module', async () => {
  const names =
    'console.log(typeof b.BoundaryModule.forRoot, typeof b.McpMethod, typeof b.BoundaryExpressAdapter)';
  const imported = `import * as b from 'nest-mcp-boundary'; ${names}`;
  expect(await node('--input-type=module', '--eval', imported)).toBe('function function function');
  const required = `const b = require('nest-mcp-boundary'); ${names}`;
  expect(
    await node('--disable-warning=ExperimentalWarning', '--input-type=commonjs', '--eval', required),
  ).toBe('function function function');
});

test('starts in an application, in ESM and from CommonJS', async () => {
  const body = `
    async function main({ Module }, { NestFactory }, b) {
      class App {}
      Module({ imports: [b.BoundaryModule.forRoot({ tokenBook: b.buildTokenBook({ issuer: 'x', tokens: [] }) })] })(App);
      const app = await NestFactory.create(App, new b.BoundaryExpressAdapter(), { logger: false });
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address();
      const answer = await fetch('http://127.0.0.1:' + port + '/.well-known/oauth-protected-resource');
      console.log(answer.status, (await answer.json()).resource === 'http://127.0.0.1:' + port + '/mcp');
      await app.close();
    }`;
  const packages = ['@nestjs/common', '@nestjs/core', 'nest-mcp-boundary'];
  const imports = packages.map((name) => `await import('${name}')`).join(', ');
  const requires = packages.map((name) => `require('${name}')`).join(', ');
  expect(await node('--input-type=module', '--eval', `${body}; await main(${imports})`)).toBe('200 true');
  expect(await node('--input-type=commonjs', '--eval', `${body}; main(${requires})`)).toBe('200 true');
});

test.each([
  'nest-mcp-boundary/dist/create-app.js',
  'nest-mcp-boundary/dist/index.js',
  'nest-mcp-boundary/index.js',
])('does not let %s be imported', async (path) => {
  const forbidden = `import('${path}').catch((error) => console.log(error.code))`;
  expect(await node('--input-type=module', '--eval', forbidden)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('brings one copy of Nest, that of the application', async () => {
  const { stdout } = await run('npm', ['ls', '@nestjs/core', '@nestjs/common', '--json', '--all'], {
    cwd: project,
  });
  const paths = new Set(
    [...stdout.matchAll(/"(@nestjs\/(?:core|common))": \{\s+"version": "([^"]+)"/g)].map(
      ([, name, at]) => `${name}@${at}`,
    ),
  );
  expect(paths.size).toBe(2);
});

test('its types are found by TypeScript', async () => {
  mkdirSync(join(project, 'src'));
  writeFileSync(
    join(project, 'src', 'app.mts'),
    `import { BoundaryModule, TokenPolicy, type TokenVerdict } from 'nest-mcp-boundary';
     class Policy extends TokenPolicy {
       override authenticate(): TokenVerdict { return { ok: false, code: 'invalid_token', reason: 'none' }; }
     }
     export const imported = BoundaryModule.forRoot({ tokenPolicy: new Policy(), path: '/mcp' });
     // @ts-expect-error no such option
     BoundaryModule.forRoot({ tokenPolcy: new Policy() });`,
  );
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const found = await node(compiler).catch((error: { stdout: string }) => error.stdout);
  expect(found).toBe('');
});

test('npx nest-mcp-boundary --version', async () => {
  const { stdout } = await run('npx', ['--no-install', 'nest-mcp-boundary', '--version'], { cwd: project });
  expect(stdout.trim()).toBe(version);
});
