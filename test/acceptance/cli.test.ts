import { afterAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse, stringify } from 'yaml';
import type { RecordFile } from '../../src/acceptance/record/sign.js';
import { MODERN_REVISION } from '../../src/acceptance/revision.js';
import { startBed, type Bed } from '../../src/acceptance/testbed/bed.js';
import { runAccept } from '../../src/cli/accept-run.js';
import { SHORT } from './judge-bed.js';

const directory = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const at = (name: string): string => join(directory, name);

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(
  args: readonly string[],
  node: readonly string[] = [],
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...node, resolve('dist/cli/main.js'), ...args], { cwd: directory });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((done) => void child.on('close', (code) => done({ code, out, err })));
  return { child, ended };
}

const run = (args: readonly string[], node?: readonly string[]): Promise<Ended> => start(args, node).ended;

function readRecord(name: string): RecordFile {
  return JSON.parse(readFileSync(at(name), 'utf8')) as RecordFile;
}

describe('accept testbed', () => {
  test('runs with nothing else installed, shows each check and ends with verdict, record and page', async () => {
    const { code, out, err } = await run(['accept', 'testbed', '--html', 'page.html']);
    expect(code).toBe(0);
    expect(err.match(/^ {2}PASS {2}\S+/gm)?.length).toBe(53);
    expect(out).toMatch(
      /^PASS {2}53 of 53 checks pass .*\nrecord: acceptance-record.json\npage: {3}page.html\nkey: .*\n$/,
    );
    expect(existsSync(at('page.html'))).toBe(true);
    const { record } = readRecord('acceptance-record.json');
    expect(record.checks.find(({ id }) => id === 'stream.memory')?.measured.values).toHaveProperty(
      'proxyGrowthBytes',
    );

    const verified = await run([
      'accept',
      'verify',
      'acceptance-record.json',
      '--key',
      'acceptance-record.public.jwk',
    ]);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('VERIFIED: every byte of')]);
    const text = readFileSync(at('acceptance-record.json'), 'utf8');
    writeFileSync(at('bent.json'), text.replace('"complete":true', '"complete":false'));
    const bent = await run(['accept', 'verify', 'bent.json', '--key', 'acceptance-record.public.jwk']);
    expect([bent.code, bent.out]).toEqual([1, 'NOT VERIFIED: the signature does not fit the record\n']);
  }, 60_000);

  test('Ctrl-C still writes what was measured, incomplete and unsigned', async () => {
    const { child, ended } = start(['accept', 'testbed', '--out', 'part.json', '--html', 'part.html']);
    await new Promise<void>((done) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('audience.valid')) done();
      });
    });
    child.kill('SIGINT');
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(out).toContain('Not every check was run.');
    const { record, jws } = readRecord('part.json');
    expect([record.complete, jws]).toEqual([false, null]);
    expect(record.checks[0]?.status).toBe('pass');
    expect(record.checks.at(-1)?.status).toBe('not-run');
    expect(readFileSync(at('part.html'), 'utf8')).toContain('unsigned, incomplete');
  }, 60_000);

  test.each(['@modelcontextprotocol/server', 'httpxy'])(
    'without %s one clear line says what to install',
    async (name) => {
      const hook = `export const resolve = (specifier, context, next) => {
      if (specifier === ${JSON.stringify(name)}) throw Object.assign(new Error('hidden'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    };`;
      const hooks = `data:text/javascript,${encodeURIComponent(hook)}`;
      const register = `import { register } from 'node:module'; register(${JSON.stringify(hooks)});`;
      const preload = `data:text/javascript,${encodeURIComponent(register)}`;
      const { code, out, err } = await run(['accept', 'testbed'], ['--import', preload]);
      expect([code, out, err]).toEqual([2, '', `the bed needs the package ${name}: npm install ${name}\n`]);
    },
    30_000,
  );

  test('without nginx one clear line says so', async () => {
    const child = spawn(
      process.execPath,
      [resolve('dist/cli/main.js'), 'accept', 'testbed', '--proxy', 'nginx'],
      {
        cwd: directory,
        env: { PATH: directory },
      },
    );
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise((done) => void child.on('close', done));
    expect([code, err]).toEqual([2, 'nginx is not installed; on Debian: apt-get install nginx\n']);
  }, 30_000);

  test('an unknown fault is a wrong usage', async () => {
    const { code, err } = await run(['accept', 'testbed', '--fault', 'nonsense']);
    expect([code, err]).toEqual([2, 'the embedded proxy has no fault nonsense\n']);
  }, 30_000);
});

describe('accept init, keygen and an unusable configuration', () => {
  test('init and keygen write once and never over a file', async () => {
    expect((await run(['accept', 'init'])).code).toBe(0);
    expect(await run(['accept', 'init'])).toMatchObject({
      code: 2,
      err: 'accept.yaml exists already; nothing was changed\n',
    });
    expect((await run(['accept', 'keygen', '--public', 'p.jwk', '--private', 'q.jwk'])).code).toBe(0);
    expect((await run(['accept', 'keygen', '--public', 'p.jwk', '--private', 'r.jwk'])).code).toBe(2);
    expect(statSync(at('q.jwk')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(at('p.jwk'), 'utf8'))).not.toHaveProperty('d');
  }, 60_000);

  test('a configuration that cannot be used exits with 2 and lists every problem', async () => {
    const { code, err } = await run(['accept', '--config', 'accept.yaml']);
    expect(code).toBe(2);
    expect(err).toContain('tokens.valid: environment variable ACCEPT_TOKEN_VALID is not set');
    expect(err.split('\n').length).toBeGreaterThan(6);
    expect((await run(['accept'])).code).toBe(2);
  }, 30_000);

  test('schema prints the schema of a record', async () => {
    const { code, out } = await run(['accept', 'schema']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { title: 'Acceptance record' }]);
  }, 30_000);
});

const exception = (check: string, expires: string) => ({
  check,
  owner: 'o@bed.example',
  reason: 'known',
  expires,
});

describe('exceptions and exit codes', () => {
  // Concurrent tests start before hooks do: the bed is a promise, and the first who needs it starts it.
  let starting: Promise<Bed> | undefined;
  const theBed = (): Promise<Bed> =>
    (starting ??= startBed({ ...SHORT, proxy: 'embedded', fault: 'brands-404' }));
  afterAll(async () => (await starting)?.stop());

  /** Judges the bed with a changed configuration; gives exit code, output and the record. */
  async function judged(
    name: string,
    bend: object,
    strict = false,
  ): Promise<{ code: number; out: string; record: RecordFile['record'] }> {
    const bed = await theBed();
    const file = parse(readFileSync(bed.configPath, 'utf8')) as Record<string, unknown>;
    const config = bed.configPath.replace('accept.yaml', `${name}.yaml`);
    writeFileSync(config, stringify({ ...file, ...bend }));
    const said = new PassThrough();
    const io = { stdin: new PassThrough(), stdout: said, stderr: new PassThrough(), isTerminal: false };
    const code = await runAccept(
      { config, out: at(`${name}.json`), strict, revision: MODERN_REVISION },
      io,
      {},
    );
    return { code, out: String(said.read()), record: readRecord(`${name}.json`).record };
  }

  test.concurrent(
    'a failed MUST exits with 1',
    async () => {
      const { code, out } = await judged('must', {});
      expect([code, out]).toEqual([1, expect.stringContaining('BLOCK')]);
    },
    60_000,
  );

  test.concurrent(
    'with an exception it exits with 0',
    async () => {
      const { code, out } = await judged('excepted', { exceptions: [exception('errors.404', '2099-12-31')] });
      expect([code, out]).toEqual([0, expect.stringContaining('PASS_WITH_EXCEPTIONS')]);
    },
    60_000,
  );

  test.concurrent(
    'and with 3 if strict',
    async () => {
      const { code, out } = await judged(
        'strict',
        { exceptions: [exception('errors.404', '2099-12-31')] },
        true,
      );
      expect([code, out]).toEqual([3, expect.stringContaining('exception used: errors.404')]);
    },
    60_000,
  );

  test.concurrent(
    'an expired exception blocks',
    async () => {
      const { code, out } = await judged('expired', { exceptions: [exception('errors.404', '2020-01-01')] });
      expect([code, out]).toEqual([1, expect.stringContaining('past its last day')]);
    },
    60_000,
  );

  test.concurrent(
    'a stale exception blocks',
    async () => {
      const exceptions = [exception('errors.404', '2099-12-31'), exception('errors.400', '2099-12-31')];
      const { code, out } = await judged('stale', { exceptions });
      expect([code, out]).toEqual([1, expect.stringContaining('covers a check that passes')]);
    },
    60_000,
  );

  test.concurrent(
    'the overall time limit ends the run, incomplete',
    async () => {
      const { code, out } = await judged('overall', { limits: { overallSeconds: 1, idleMs: 30_000 } });
      expect([code, out]).toEqual([1, expect.stringContaining('(incomplete, unsigned)')]);
    },
    60_000,
  );

  test.concurrent(
    'the time limit of a check fails that check and the run goes on',
    async () => {
      const { code, record } = await judged('slow', { limits: { checkSeconds: 5, idleMs: 30_000 } });
      const idle = record.checks.find(({ id }) => id === 'stream.idle');
      expect([code, idle?.problems, record.complete]).toEqual([1, ['timed-out'], true]);
    },
    60_000,
  );

  test.concurrent(
    'what is not configured is not skipped: it fails as not testable',
    async () => {
      const { code, record } = await judged('bare', {
        witness: undefined,
        directUpstream: undefined,
        logs: undefined,
      });
      const failed = record.checks.filter(({ status }) => status === 'not-testable').map(({ id }) => id);
      expect(code).toBe(1);
      expect(failed).toEqual(
        expect.arrayContaining(['bypass.direct', 'audience.no-token-in-logs', 'audience.expired']),
      );
    },
    60_000,
  );
});
