/**
 * The benchmark itself, for a moment: what it writes has the shape that is promised, and whoever answers wrongly
 * gets no numbers. How fast anything is, is no test's business.
 */
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));
const SHORT = ['--rounds', '2', '--seconds', '0.1', '--warm-up', '0.1', '--warm-requests', '40'];
const TIMEOUT_MS = 120_000;

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

test(
  'two peers, two rounds: rows with ratios, goals, exit code 0',
  async () => {
    const args = ['--only', 'bare,bare-with-checks', '--workload', 'ping,refused-token'];
    const { outcome, results } = await bench(...args, ...SHORT);

    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('bare node:http, same checks by hand');
    expect(results).toMatchObject({
      node: process.version,
      pinned: expect.any(Boolean),
      rounds: 2,
      seconds: 0.1,
      connections: 32,
      workloads: {
        ping: [
          { peer: 'bare', state: 'measured', wrong: 0, problems: [] },
          { peer: 'bare-with-checks', state: 'measured', wrong: 0, problems: [] },
        ],
        // The floor has no tokens, so it has no row.
        'refused-token': [{ peer: 'bare-with-checks', state: 'measured', wrong: 0 }],
      },
      memory: {},
    });
    const [bare, yardstick] = results.workloads['ping'] ?? [];
    const [refused] = results.workloads['refused-token'] ?? [];
    expect(bare?.rounds).toHaveLength(2);
    expect(bare?.numbers).toEqual({
      requests: expect.any(Number),
      perSecond: expect.any(Number),
      cpuMicroseconds: expect.any(Number),
      busy: expect.any(Number),
      loadBusy: expect.any(Number),
      p50: expect.any(Number),
      p99: expect.any(Number),
      non2xx: 0,
      toYardstick: { byThroughput: expect.any(Number), byCpu: expect.any(Number) },
    });
    expect(yardstick?.numbers?.toYardstick).toEqual({ byThroughput: 1, byCpu: 1 });
    expect(refused?.numbers?.non2xx).toBe(refused?.numbers?.requests);
    expect(results.goals.map(({ verdict }) => verdict)).toContain('not measured');
  },
  TIMEOUT_MS,
);

test.each([
  ['same-answer', 'id is not 1000000'],
  ['late-wrong', 'wrong result: {"jsonrpc":"2.0","id":1000000'],
])(
  'the %s peer has no numbers, and the exit code says so',
  async (name, problem) => {
    const file = fileURLToPath(new URL(`./${name}-peer.mjs`, import.meta.url));
    const args = ['--guest', `wrong=${file}`, '--only', 'bare-with-checks,wrong', '--workload', 'ping'];
    const { outcome, results } = await bench(...args, ...SHORT);
    const [yardstick, wrong] = results.workloads['ping'] ?? [];

    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/^wrong: \d+ wrong answers, no numbers: /m);
    expect(yardstick).toMatchObject({ peer: 'bare-with-checks', state: 'measured' });
    expect(wrong).toMatchObject({ peer: 'wrong', state: 'refused', rounds: [] });
    expect(wrong?.problems.join()).toContain(problem);
    expect(wrong).not.toHaveProperty('numbers');
  },
  TIMEOUT_MS,
);

test('a wrong command line is told at once', async () => {
  const { code, stderr } = await run('--only', 'nobody', '--rounds', '0');

  expect(code).toBe(2);
  expect(stderr).toContain('no peer is called nobody');
  expect(stderr).toContain('--rounds is not a number above 0');
});

interface Row {
  problems: string[];
  rounds: unknown[];
  numbers?: { requests: number; non2xx: number; toYardstick?: object };
}

interface Results {
  workloads: Record<string, Row[]>;
  goals: Array<{ verdict: string }>;
}

async function bench(...args: string[]): Promise<{ outcome: Outcome; results: Results }> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const file = join(folder, 'results.json');
    const outcome = await run(...args, '--json', file);
    return { outcome, results: JSON.parse(await readFile(file, 'utf8')) as Results };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BENCH, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
