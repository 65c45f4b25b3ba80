import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../support/spawn-cli.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README = readFileSync(`${ROOT}README.md`, 'utf8');
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

/** What the README tells people to type, in fences and in tables. */
const COMMANDS = [
  ...README.matchAll(/(?:^|[`&] ?)((?:npm (?:run [\w:]+|start|test|ci)|npx nest-mcp-boundary)[^`\n#&]*)/gm),
].map(([, command = '']) => command.trim());

describe('README.md', () => {
  test('has the tables that the code gives', () => {
    const run = spawnSync(process.execPath, ['test/readme.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('names only npm scripts that there are', () => {
    const named = new Set(COMMANDS.map((command) => /^npm run ([\w:]+)/.exec(command)?.[1]).filter(Boolean));
    expect(named.size).toBeGreaterThan(6);
    expect([...named].filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([]);
  });

  test('names only commands and options that there are', async () => {
    const typed = COMMANDS.map((command) => /^npx nest-mcp-boundary (\w+)(.*)$/.exec(command)).filter(
      Boolean,
    );
    const helps = new Map<string, string>();
    for (const name of new Set(typed.map((match) => match?.[1] ?? ''))) {
      const { code, stdout } = await runCommand([name, '--help']);
      expect([name, code]).toEqual([name, 0]);
      helps.set(name, stdout);
    }
    expect(helps.size).toBeGreaterThanOrEqual(5);
    // `accept` has commands of its own.
    const { stdout: acceptHelp } = await runCommand(['accept', '--help']);
    for (const name of ['testbed', 'init', 'keygen', 'verify', 'schema']) {
      expect(acceptHelp).toContain(`  ${name}`);
      const { stdout } = await runCommand(['accept', name, '--help']);
      helps.set('accept', `${helps.get('accept')}${stdout}`);
    }
    for (const match of typed) {
      const help = helps.get(match?.[1] ?? '');
      for (const [option] of (match?.[2] ?? '').matchAll(/--[\w-]+/g)) {
        expect([match?.[0], help]).toEqual([match?.[0], expect.stringContaining(option)]);
      }
    }
  });

  test.each([
    ['experiments', ['experiments', '6']],
    ['demo', ['demo']],
    ['attack', ['attack']],
  ])('shows what %s really prints', async (_name, args) => {
    const { stdout } = await runCommand(args);
    expect(README).toContain(stdout.trim());
  });

  test('links to files that are there', () => {
    const links = [...README.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  test('links to sections that are there', () => {
    const sections = new Set([...README.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading)));
    const links = [...README.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !sections.has(anchor))).toEqual([]);
  });
});

/** The anchor that a heading gets. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
