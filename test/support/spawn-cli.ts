/**
 * The built command line as a process of its own, with the Node flags, the NODE_ENV and the strictness about
 * warnings of the mode (see modes.mjs). The rest of the environment is what the test gives: no `MCP_…` of the
 * developer's shell gets in. Whatever still runs after the test file is killed.
 */
import { afterAll, jest } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// A process takes its time to start where others build and test at once.
jest.setTimeout(60_000);

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const FAIL_ON_WARNING = new URL('./fail-on-warning.mjs', import.meta.url).href;
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'NODE_ENV', 'BOUNDARY_TEST_FAIL_ON_WARNING'];

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnOptions {
  /** Added to the few variables that every process gets; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Given whole on stdin, which then ends. */
  readonly input?: string;
  /** Makes it the leader of a process group, as a shell does. */
  readonly ownGroup?: boolean;
}

export interface SpawnedProcess {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and its output is read. */
  readonly ended: Promise<Ended>;
  /** What the stream holds when it first matches; rejects when the process ends before. */
  outputWith(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
}

const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a command of ours to its end. */
export function runCommand(args: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  return spawnCommand(args, options).ended;
}

export function spawnCommand(args: readonly string[], options: SpawnOptions = {}): SpawnedProcess {
  const flags = (process.env['BOUNDARY_TEST_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  const strict = process.env['BOUNDARY_TEST_FAIL_ON_WARNING'] === '1' ? ['--import', FAIL_ON_WARNING] : [];
  return spawnProcess(process.execPath, [...flags, ...strict, MAIN, ...args], options);
}

export function spawnProcess(
  file: string,
  args: readonly string[],
  { env = {}, cwd = PROJECT, input, ownGroup = false }: SpawnOptions = {},
): SpawnedProcess {
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));
  const child = spawn(file, args, { cwd, env: { ...inherited, ...env }, detached: ownGroup });
  running.add(child);
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...text });
    });
  });
  ended.catch(() => undefined);
  return {
    child,
    ended,
    outputWith: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(text[stream])) resolve(text[stream]);
        };
        child[stream].on('data', look);
        child.on('close', (code) => {
          reject(new Error(`ended with ${code} before ${pattern}: ${text.stderr}`));
        });
        look();
      }),
  };
}
