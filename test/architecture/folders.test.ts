import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Report {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: Array<{ from: string; rule: { name: string } }>;
  };
}

/** Runs the folder rules over the src below `root`. */
function cruise(root: string): Report['summary'] {
  const run = spawnSync(
    process.execPath,
    ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--config', '--output-type', 'json', 'src'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return (JSON.parse(run.stdout) as Report).summary;
}

/** Folder, import that it must not have, rule that must say so. */
const PLANTED = [
  ['protocol', "import 'node:fs';", 'protocol-is-pure'],
  ['protocol', "import '@nestjs/common';", 'protocol-is-pure'],
  ['exchange', "import '../config/clock.js';", 'exchange-imports'],
  ['config', "import '../errors/catalog.js';", 'config-imports'],
  ['errors', "import '../auth/token-policy.js';", 'errors-imports'],
  ['sessions', "import '../auth/token-policy.js';", 'sessions-imports'],
  ['auth', "import '../sessions/session.service.js';", 'auth-imports'],
  ['methods', "import '../transport/capacity.js';", 'methods-imports'],
  ['transport', "import '../metadata/metadata.controller.js';", 'transport-imports'],
  ['transport', "import '../create-app.js';", 'nothing-imports-the-composition'],
  ['transport', "import '../cli/cli-io.js';", 'server-knows-no-witness'],
  ['transport', "import 'fast-check';", 'no-dev-dependencies-in-src'],
  ['transport', "import './not-there.js';", 'no-unresolvable'],
  ['metadata', "import '../health/health.module.js';", 'metadata-imports'],
  ['health', "import '../metadata/metadata.controller.js';", 'health-imports'],
  ['client', "import '../transport/capacity.js';", 'client-imports'],
  ['validator', "import '../transport/capacity.js';", 'validator-imports'],
  ['validator', "import 'node:fs';", 'validator-is-pure'],
  ['acceptance', "import '../protocol/strict-json.js';", 'acceptance-imports'],
  ['cli', "import '../transport/capacity.js';", 'cli-imports'],
] as const;

describe('the folder rules', () => {
  let copy: string;
  let violations: Report['summary']['violations'];

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'folders-'));
    for (const name of ['src', 'tsconfig.json', 'package.json', '.dependency-cruiser.mjs']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    PLANTED.forEach(([folder, text], number) => {
      mkdirSync(join(copy, 'src', folder), { recursive: true });
      writeFileSync(join(copy, 'src', folder, `planted-${number}.ts`), `${text}\nexport {};\n`);
    });
    ({ violations } = cruise(copy));
  });

  afterAll(() => rmSync(copy, { recursive: true }));

  test('see the whole house and find nothing', () => {
    const summary = cruise(ROOT);
    expect(summary.violations).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThan(90);
  });

  test.each(PLANTED.map(([folder, text, rule], number) => [folder, text, rule, number] as const))(
    'catch a planted violation in %s: %s',
    (folder, _text, rule, number) => {
      const found = violations.filter(({ from }) => from === `src/${folder}/planted-${number}.ts`);
      expect(found.map((violation) => violation.rule.name)).toContain(rule);
    },
  );
});

/** Files that are started as a process. */
const ENTRY_POINTS = new Set(['main.ts', 'cli/main.ts', 'acceptance/testbed/proxy-process.ts']);

test('process.env, process.exit and console stand only in the entry points', () => {
  const offenders = sourceFiles().filter(
    (file) =>
      !ENTRY_POINTS.has(file) &&
      /\bprocess\.(?:env|exit|exitCode)\b|\bconsole\./.test(readFileSync(`${ROOT}src/${file}`, 'utf8')),
  );
  expect(offenders).toEqual([]);
});

function sourceFiles(): string[] {
  const run = spawnSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return run.stdout
    .split('\n')
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice('src/'.length));
}
