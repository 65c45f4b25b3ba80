import { describe, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { exitCodeOfError, exitCodeOfVerdict } from '../../src/cli/exit-code.js';
import { type RegisterCommand, runCli } from '../../src/cli/run-cli.js';
import { verdictLine } from '../../src/cli/verdict.js';
import { memoryIo } from '../support/memory-io.js';
import { PROJECT, runCommand } from '../support/spawn-cli.js';

describe('the process', () => {
  test('--help names every command and the exit codes', async () => {
    const { code, stdout, stderr } = await runCommand(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of ['serve', 'demo', 'attack', 'Exit codes:\n  0  ', '\n  1  ', '\n  2  ']) {
      expect(stdout).toContain(text);
    }
  });

  test('--version is the one of the package, and one line', async () => {
    const { version } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')) as { version: string };
    expect(await runCommand(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each([
    ['an unknown command', ['dance'], /unknown command 'dance'/],
    ['an unknown option', ['demo', '--loud'], /unknown option '--loud'/],
    ['an argument too many', ['attack', 'more'], /too many arguments/],
    ['no command', [], /^Usage: /],
  ])('%s: exit code 2, said on stderr only', async (_name, args, words) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

const command =
  (run: (report: (code: 0 | 1 | 2) => void) => unknown): RegisterCommand =>
  (program, _io, report) => {
    program.command('go').action(async () => {
      await run(report);
    });
  };

describe('the function', () => {
  test('0 unless the command reports another code', async () => {
    expect(await runCli(['go'], memoryIo(), [command(() => undefined)])).toBe(0);
    expect(await runCli(['go'], memoryIo(), [command((report) => report(1))])).toBe(1);
  });

  test('a command that throws: exit code 2, its words without a stack', async () => {
    const io = memoryIo();
    const code = await runCli(['go'], io, [
      command(() => {
        throw new Error('the disk is full');
      }),
    ]);
    expect({ code, out: io.out() }).toEqual({ code: 2, out: '' });
    expect(io.err()).toBe('nest-mcp-boundary: the disk is full\n');
  });

  test('exit codes are a pure function', () => {
    expect(exitCodeOfVerdict('PASS')).toBe(0);
    expect(exitCodeOfVerdict('BLOCK')).toBe(0);
    expect(exitCodeOfVerdict('FAIL')).toBe(1);
    expect(exitCodeOfVerdict('ALLOW')).toBe(1);
    expect(exitCodeOfError(new CommanderError(0, 'commander.version', ''))).toBe(0);
    expect(exitCodeOfError(new CommanderError(1, 'commander.unknownCommand', ''))).toBe(2);
    expect(exitCodeOfError(new Error('any'))).toBe(2);
  });

  test('the verdict is one line of JSON with spaces', () => {
    const members = { count: 8, name: 'a "b"' };
    expect(verdictLine(members)).toBe('{"count": 8, "name": "a \\"b\\""}\n');
    expect(JSON.parse(verdictLine(members))).toEqual(members);
  });
});
