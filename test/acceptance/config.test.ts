import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { CHECK_IDS } from '../../src/acceptance/accept.js';
import { loadConfig, UnusableConfig, type AcceptConfig } from '../../src/acceptance/config/load-config.js';
import { CONFIG_TEMPLATE } from '../../src/acceptance/config/template.js';
import { generateKeys } from '../../src/acceptance/record/keys.js';

const directory = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ENV = Object.fromEntries(
  [
    'TOKEN_VALID',
    'TOKEN_EXPIRED',
    'TOKEN_NEIGHBOUR',
    'TOKEN_DOWNSTREAM',
    'TOKEN_NARROW',
    'WITNESS_TOKEN',
  ].map((name) => [`ACCEPT_${name}`, `secret of ${name}`]),
);

/** The parts of the file that the tests bend. */
interface Yaml extends Record<string, unknown> {
  tokens: Record<string, object>;
  tools: { progress: Record<string, unknown> };
  witness: Record<string, unknown>;
}

/** The template with a real key and no file of somebody's machine, changed by `bend`. */
async function load(
  bend: (file: Yaml) => void = () => undefined,
  env: NodeJS.ProcessEnv = ENV,
): Promise<AcceptConfig> {
  const { privateJwk } = await generateKeys();
  const file = parse(CONFIG_TEMPLATE) as Yaml;
  file['signingKey'] = { literal: JSON.stringify(privateJwk) };
  delete file['hash'];
  bend(file);
  const path = join(directory, 'accept.yaml');
  writeFileSync(path, stringify(file));
  return loadConfig({ path, env, checkIds: CHECK_IDS });
}

async function problemsOf(bend: (file: Yaml) => void, env?: NodeJS.ProcessEnv): Promise<readonly string[]> {
  try {
    await load(bend, env);
    return [];
  } catch (error) {
    if (error instanceof UnusableConfig) return error.problems;
    throw error;
  }
}

describe('accept.yaml', () => {
  test('as `accept init` writes it can be used once its secrets are there', async () => {
    const config = await load();
    expect(config.target.href).toBe('https://gateway.example.com/mcp');
    expect(config.tokens.valid).toBe('secret of TOKEN_VALID');
    expect(config.limits.idleMs).toBe(60_000);
  });

  test('all problems come in one message', async () => {
    const problems = await problemsOf((file) => {
      file['target'] = 'not a url';
      file['surprise'] = 1;
      file.tools.progress['intervalMs'] = 'often';
      file.witness['tool'] = 'witness';
      file['exceptions'] = [{ check: 'no.such', owner: 'o', reason: 'r', expires: '2026-13-01' }];
      file.tokens['expired'] = { env: 'NOT_SET' };
      file.tokens['narrow'] = { literal: 'a', env: 'B' };
      file['signingKey'] = { literal: 'not a key at all' };
    });
    for (const part of [
      'target:',
      'surprise: is not a setting',
      'tools.progress.intervalMs:',
      'witness: give either',
    ]) {
      expect(problems.some((problem) => problem.startsWith(part))).toBe(true);
    }
    for (const part of [
      'no check no.such',
      'expires:',
      'NOT_SET is not set',
      'tokens.narrow: give exactly one',
      'signingKey: must be',
    ]) {
      expect(problems.some((problem) => problem.includes(part))).toBe(true);
    }
  });

  test.each([
    [
      'a token that is too short to be kept out',
      (file: Yaml) => (file.tokens['valid'] = { literal: 'abc' }),
      'shorter than 8',
    ],
    [
      'one token in two roles',
      (file: Yaml) => (file.tokens['narrow'] = file.tokens['valid'] ?? {}),
      'two roles hold the same token',
    ],
    [
      'a file that is not there',
      (file: Yaml) => (file['hash'] = { proxy: 'missing.conf' }),
      'cannot read missing.conf',
    ],
    [
      'the hash of a secret',
      (file: Yaml) => {
        writeFileSync(join(directory, 'token.txt'), 'a token in a file\n');
        file.tokens['valid'] = { file: 'token.txt' };
        file['hash'] = { proxy: 'token.txt' };
      },
      'is also the file of a secret',
    ],
  ])('%s is refused', async (_name, bend, part) => {
    expect((await problemsOf(bend)).join('\n')).toContain(part);
  });

  test('no problem repeats a secret', async () => {
    const problems = await problemsOf((file) => {
      file.tokens['valid'] = { literal: 'a-very-secret-token', env: 'X' };
      file['signingKey'] = { literal: 'a-very-secret-key-that-is-none' };
    });
    expect(problems.join('\n')).not.toMatch(/very-secret/);
  });

  test('a file that is no YAML mapping is one clear line', () => {
    const path = join(directory, 'broken.yaml');
    writeFileSync(path, '- a\n');
    expect(() => loadConfig({ path, env: {}, checkIds: CHECK_IDS })).toThrow('must be a mapping');
    expect(() => loadConfig({ path: join(directory, 'none.yaml'), env: {}, checkIds: CHECK_IDS })).toThrow(
      'ENOENT',
    );
  });
});
