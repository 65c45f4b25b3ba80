/** Edits of a real file on disk, in every way an editor or an orchestrator makes them, each felt within a second. */
import 'reflect-metadata';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { TokensFileError } from '../../../src/auth/tokens-file.js';
import { TokensFileWatcher } from '../../../src/auth/tokens-file-watcher.js';
import { Clock } from '../../../src/config/clock.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
/** What is promised. The other tests wait longer, so that a busy machine does not fail them. */
const PROMISED_MS = 1_000;
const BOUND_MS = 3_000;

class SetClock extends Clock {
  time = 1_000_000;
  now(): number {
    return this.time;
  }
}

class Lines {
  readonly warnings: string[] = [];
  readonly logs: string[] = [];
  full = false;
  warn(fields: object, message: string): void {
    if (this.full) throw new Error('disk full');
    this.warnings.push(`${message} ${JSON.stringify(fields)}`);
  }
  log(fields: object, message: string): void {
    this.logs.push(`${message} ${JSON.stringify(fields)}`);
  }
}

let directory: string;
let path: string;
let clock: SetClock;
let logger: Lines;
let watcher: TokensFileWatcher | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tokens-file-'));
  path = join(directory, 'tokens.json');
  clock = new SetClock();
  logger = new Lines();
});

afterEach(async () => {
  await watcher?.onModuleDestroy();
  watcher = undefined;
  await rm(directory, { recursive: true, force: true });
});

function text(token: string, more: object = {}): string {
  const record = {
    token,
    token_id: 'id-1',
    subject: 'ada',
    tenant: 'acme',
    scopes: ['mcp:use'],
    authorization_revision: '1',
    expires_in: 60,
  };
  return JSON.stringify({ issuer: 'https://issuer.example', tokens: [record], ...more });
}

async function watch(content = text('first')): Promise<TokensFileWatcher> {
  await writeFile(path, content);
  return watchAsItIs();
}

async function watchAsItIs(intervalMs = 250): Promise<TokensFileWatcher> {
  watcher = await TokensFileWatcher.open({ path, clock, logger, intervalMs });
  watcher.onModuleInit();
  return watcher;
}

function verdict(token: string): string {
  const found = watcher?.policy.authenticate(token, RESOURCE);
  return found?.ok ? 'accepted' : String(found?.reason);
}

function answers(): string {
  return `${verdict('first')} ${verdict('second')} ${watcher?.policy.state()}`;
}

/** Polls until `read` gives `wanted`, or the bound is reached, and gives what there was last. */
async function soon<T>(read: () => T, wanted: T): Promise<T> {
  const end = performance.now() + BOUND_MS;
  while (read() !== wanted && performance.now() < end) await pause(10);
  return read();
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

const SWAPPED = 'unknown accepted current';
const KEPT = 'accepted unknown stale';

describe('the first load', () => {
  test('gives a policy at once', async () => {
    await watch();
    expect(answers()).toBe('accepted unknown current');
  });

  test('fails with every problem in one error, and without a value', async () => {
    await writeFile(path, text('bad token', { revoked: 7 }));
    const failure = await TokensFileWatcher.open({ path, clock, logger }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TokensFileError);
    expect((failure as TokensFileError).problems).toHaveLength(2);
    expect(String(failure)).toMatch(
      /^TokensFileError: MCP_TOKENS_FILE has 2 problem\(s\):\n\/revoked: .*\n\/tokens/,
    );
    expect(String(failure)).not.toContain('bad token');
  });

  test('fails for a file that is not there', async () => {
    await expect(TokensFileWatcher.open({ path, clock, logger })).rejects.toThrow(
      'the file: cannot be read (ENOENT)',
    );
  });

  test('fails for a directory', async () => {
    path = directory;
    await expect(TokensFileWatcher.open({ path, clock, logger })).rejects.toThrow(/is no regular file/);
  });

  test('fails for a file that is too large, and does not read it', async () => {
    await writeFile(path, '');
    await truncate(path, 4 * 1024 * 1024 + 1);
    await expect(TokensFileWatcher.open({ path, clock, logger })).rejects.toThrow(
      /is larger than 4194304 bytes/,
    );
  });

  test('tells only so many problems, and how many more there are', async () => {
    await writeFile(path, text('first', { tokens: Array.from({ length: 150 }, () => 0) }));
    await expect(TokensFileWatcher.open({ path, clock, logger })).rejects.toThrow(
      /150 problem\(s\)[^]*\nand 50 more$/,
    );
  });
});

describe('a good edit is felt within a second', () => {
  test('written in place', async () => {
    await watch();
    const start = performance.now();
    await writeFile(path, text('second'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
    expect(performance.now() - start).toBeLessThan(PROMISED_MS);
    expect(logger.logs).toEqual(['tokens file reloaded {"records":1}']);
  });

  test('replaced by rename', async () => {
    await watch();
    await writeFile(`${path}.new`, text('second'));
    await rename(`${path}.new`, path);
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('replaced by rename with the same size and time', async () => {
    await writeFile(path, text('first1'));
    await utimes(path, 1_000, 1_000);
    await watchAsItIs();
    await writeFile(`${path}.new`, text('second'));
    await utimes(`${path}.new`, 1_000, 1_000);
    await rename(`${path}.new`, path);
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('replaced by rename with the same size and time, long after the last change', async () => {
    await writeFile(path, text('first1'));
    await utimes(path, 1_000, 1_000);
    await watchAsItIs(10);
    await pause(400);
    await writeFile(`${path}.new`, text('second'));
    await utimes(`${path}.new`, 1_000, 1_000);
    await rename(`${path}.new`, path);
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('of the same length, written right after a load', async () => {
    await watch(text('first1'));
    for (const token of ['second', 'third3', 'second']) {
      await writeFile(path, text(token));
      expect(await soon(() => verdict(token), 'accepted')).toBe('accepted');
    }
  });

  test('a directory symlink swapped, as Kubernetes does it', async () => {
    for (const [name, token] of [
      ['v1', 'first'],
      ['v2', 'second'],
    ] as const) {
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, 'tokens.json'), text(token));
    }
    await symlink('v1', join(directory, 'data'));
    path = join(directory, 'data', 'tokens.json');
    await watchAsItIs();
    expect(verdict('first')).toBe('accepted');
    await symlink('v2', join(directory, 'data.new'));
    await rename(join(directory, 'data.new'), join(directory, 'data'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('a revocation', async () => {
    await watch();
    await writeFile(path, text('first', { revoked: ['id-1'] }));
    expect(await soon(() => verdict('first'), 'revoked')).toBe('revoked');
  });

  test('expires_in of an unchanged record runs on', async () => {
    await watch();
    clock.time += 59_000;
    await writeFile(path, text('first', { revoked: ['other'] }));
    expect(await soon(() => logger.logs.length, 1)).toBe(1);
    expect(verdict('first')).toBe('accepted');
    clock.time += 1_000;
    expect(verdict('first')).toBe('expired');
  });

  test('a touch without a change reloads nothing', async () => {
    await watch();
    await utimes(path, 1_000, 1_000);
    await pause(600);
    expect(logger.logs).toEqual([]);
    expect(answers()).toBe('accepted unknown current');
  });
});

describe('a broken edit keeps the last good policy, and says so', () => {
  test.each<[name: string, edit: () => Promise<void>, told: RegExp]>([
    ['half a file', () => writeFile(path, text('second').slice(0, 50)), /is not strict JSON: invalid_json/],
    ['an empty file', () => writeFile(path, ''), /is not strict JSON: invalid_json/],
    [
      'a wrong record',
      () => writeFile(path, text('CANARY token')),
      /"\/tokens\/0\/token: must be 1 to 65529/,
    ],
    ['a file that vanished', () => rm(path), /"the file: cannot be read \(ENOENT\)"/],
    ['a directory in its place', () => rm(path).then(() => mkdir(path)), /"the file: is no regular file"/],
    [
      'a link to itself',
      () => rm(path).then(() => symlink(path, path)),
      /"the file: cannot be read \(ELOOP\)"/,
    ],
    [
      'a file too large',
      () => truncate(path, 4 * 1024 * 1024 + 1),
      /"the file: is larger than 4194304 bytes"/,
    ],
  ])('%s', async (_, edit, told) => {
    await watch();
    await edit();
    expect(await soon(answers, KEPT)).toBe(KEPT);
    expect(logger.warnings.at(-1)).toMatch(told);
    expect(logger.warnings.join()).not.toContain('CANARY');

    await rm(path, { recursive: true, force: true });
    await writeFile(path, text('second'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('is told once, however often it is looked at', async () => {
    await watch();
    await rm(path);
    expect(await soon(answers, KEPT)).toBe(KEPT);
    await pause(600);
    expect(logger.warnings).toHaveLength(1);
  });

  test('the old content brought back makes the policy current, and extends nothing', async () => {
    await watch();
    await writeFile(path, '{');
    expect(await soon(answers, KEPT)).toBe(KEPT);
    clock.time += 30_000;
    await writeFile(path, text('first'));
    expect(await soon(answers, 'accepted unknown current')).toBe('accepted unknown current');
    clock.time += 30_000;
    expect(verdict('first')).toBe('expired');
  });

  test('a half-written file heals as soon as it is whole', async () => {
    await watch();
    const whole = text('second');
    await writeFile(path, whole.slice(0, 40));
    expect(await soon(answers, KEPT)).toBe(KEPT);
    await writeFile(path, whole);
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });

  test('a logger that throws does not stop the watch, and does not hide the problem', async () => {
    await watch();
    logger.full = true;
    await writeFile(path, '{');
    expect(await soon(answers, KEPT)).toBe(KEPT);
    logger.full = false;
    await writeFile(path, text('second'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
  });
});

describe('the life of a watch', () => {
  test('a Nest module that provides it as a value starts and ends it', async () => {
    await writeFile(path, text('first'));
    watcher = await TokensFileWatcher.open({ path, clock, logger });
    const providers = [{ provide: TokensFileWatcher, useValue: watcher }];
    const app = await Test.createTestingModule({ providers }).compile();
    await app.init();
    await writeFile(path, text('second'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
    await app.close();
    await writeFile(path, text('first'));
    await pause(400);
    expect(answers()).toBe(SWAPPED);
  });

  test('the policy is the same object after a swap', async () => {
    const { policy } = await watch();
    await writeFile(path, text('second'));
    expect(await soon(answers, SWAPPED)).toBe(SWAPPED);
    expect(watcher?.policy).toBe(policy);
  });

  test('nothing changes after the end', async () => {
    const started = await watch();
    await started.onModuleDestroy();
    await writeFile(path, text('second'));
    await pause(600);
    expect(answers()).toBe('accepted unknown current');
  });

  test('an end in the middle of a look waits for it and lets it change nothing', async () => {
    const started = await watch();
    await writeFile(path, text('second'));
    await pause(245);
    await started.onModuleDestroy();
    const atTheEnd = answers();
    await pause(300);
    expect(answers()).toBe(atTheEnd);
  });

  test('started twice, it looks once; ended before it began, it is silent', async () => {
    const started = await watch();
    started.onModuleInit();
    await started.onModuleDestroy();
    await started.onModuleDestroy();
    await writeFile(path, '{');
    await pause(400);
    expect(logger.warnings).toEqual([]);
  });
});
