/**
 * `npm start` and what it runs, on a copy of the project, since it builds before it starts: a signal to that one
 * process must reach the server, and nothing may be left behind.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpClient } from '../../src/client/mcp-client.js';
import { readyLineIn } from '../support/ready-line.js';
import { PROJECT, spawnProcess } from '../support/spawn-cli.js';
import { ALICE, ALICE_AND_BOB } from '../support/tokens.js';
import { tokensFile } from '../support/tokens-file.js';

const copy = mkdtempSync(join(tmpdir(), 'boundary-start-'));
for (const name of ['src', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json']) {
  cpSync(join(PROJECT, name), join(copy, name), { recursive: true });
}
symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Whether any process of this group is left. */
function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

const NEST = [process.execPath, 'node_modules/.bin/nest', 'start', '--no-shell'] as const;
const NPM = ['npm', 'start'] as const;

describe('npm start', () => {
  test('runs `nest start --no-shell`, with no shell left in between', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['start']).toBe('exec nest start --no-shell');
  });

  test.each([
    ['SIGTERM to nest', NEST, 'SIGTERM', 'process'],
    ['SIGTERM to npm', NPM, 'SIGTERM', 'process'],
    ['Ctrl+C: SIGINT to all of them', NPM, 'SIGINT', 'group'],
  ] as const)(
    '%s: the server stops by itself, exit code 0, nothing is left',
    async (_name, [file, ...args], signal, receiver) => {
      const started = spawnProcess(file, args, {
        cwd: copy,
        ownGroup: true,
        env: { MCP_PORT: '0', MCP_TOKENS_FILE: tokensFile(ALICE_AND_BOB) },
      });
      const leader = started.child.pid ?? 0;
      const { resource } = readyLineIn(
        (await started.outputWith('stdout', /"msg":"ready".*\n/)).replace(/^(?!\{).*\n/gm, ''),
      );
      const client = new McpClient({ url: resource, token: ALICE });
      await client.connect();

      process.kill(receiver === 'group' ? -leader : leader, signal);
      const { code, stdout } = await started.ended;
      expect(stdout).toContain('"msg":"stopped"');
      expect(code).toBe(0);
      expect(isGroupAlive(leader)).toBe(false);
      await expect(client.ping()).rejects.toMatchObject({ code: 'connection_failed' });
    },
    180_000,
  );
});
