/**
 * `startServer` gives a test the real server on a real loopback port: the sources in this process by default, or,
 * with BOUNDARY_TEST_SERVER=built, the built code in another process with the Node flags of
 * BOUNDARY_TEST_NODE_FLAGS (see `npm run test:modes`). Every server started is stopped after the test file, and a
 * server process that died is a failure.
 */
import 'reflect-metadata';
import { afterAll } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { OfflineTokenPolicy } from '../../src/auth/offline-token-policy.js';
import { TenantDirectory } from '../../src/auth/tenant-directory.js';
import { readTokensFile } from '../../src/auth/tokens-file.js';
import { Clock } from '../../src/config/clock.js';
import { settingsFromEnvironment } from '../../src/config/environment.js';
import { startApp } from '../../src/create-app.js';
import { pinoTo, PinoLoggerService } from '../../src/logger.js';
import { McpMethod, McpMethodError } from '../../src/methods/mcp-method.js';
import { SessionService } from '../../src/sessions/session.service.js';
import { type Harness, type HarnessCommands, type HarnessOptions, openHarness } from './harness.mjs';

type Remote<T> = {
  [K in keyof T]: T[K] extends (...values: infer V) => infer R
    ? (...values: V) => Promise<Awaited<R>>
    : never;
};

export type TestServer = Remote<HarnessCommands> & Harness['address'];

const started: TestServer[] = [];

afterAll(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
  await serverProcess?.end();
});

export async function startServer(options: HarnessOptions): Promise<TestServer> {
  const isBuilt = process.env['BOUNDARY_TEST_SERVER'] === 'built';
  const server = await (isBuilt ? startElsewhere(options) : startHere(options));
  started.push(server);
  return server;
}

async function startHere(options: HarnessOptions): Promise<TestServer> {
  const product = {
    startApp,
    settingsFromEnvironment,
    readTokensFile,
    OfflineTokenPolicy,
    Clock,
    PinoLoggerService,
    pinoTo,
    SessionService,
    McpMethod,
    McpMethodError,
    TenantDirectory,
  };
  const { address, commands } = await openHarness(product, options);
  const remote = Object.fromEntries(
    Object.entries(commands).map(([name, command]: [string, (...values: never[]) => unknown]) => [
      name,
      async (...values: never[]) => command(...values),
    ]),
  );
  return { ...address, ...stoppedOnce(remote as unknown as Remote<HarnessCommands>) };
}

interface ServerProcess {
  command(server: number | undefined, command: string, values: unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

/** One for all servers of a test file, as their own process is in the other mode. */
let serverProcess: ServerProcess | undefined;

async function startElsewhere(options: HarnessOptions): Promise<TestServer> {
  const own = (serverProcess ??= startProcess());
  const { server, address } = (await own.command(undefined, 'open', [options])) as {
    server: number;
    address: Harness['address'];
  };
  const names: Array<keyof HarnessCommands> = [
    'advance',
    'freeze',
    'setTokens',
    'markStale',
    'notify',
    'release',
    'held',
    'aborted',
    'logs',
    'heap',
    'stop',
  ];
  const remote = Object.fromEntries(
    names.map((name) => [name, (...values: unknown[]) => own.command(server, name, values)]),
  ) as unknown as Remote<HarnessCommands>;
  return { ...address, ...stoppedOnce(remote) };
}

function startProcess(): ServerProcess {
  const flags = (process.env['BOUNDARY_TEST_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
  const environment: NodeJS.ProcessEnv = { ...process.env };
  delete environment['NODE_OPTIONS'];
  const child = fork(new URL('./served.mjs', import.meta.url), [], { execArgv: flags, env: environment });
  const exited = once(child, 'exit');
  return {
    command: callsOver(child),
    async end() {
      if (child.connected) child.disconnect();
      const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
      if (code !== 0) throw new Error(`the server process ended: ${code ?? signal}`);
    },
  };
}

/** Numbers calls to the child and settles them by its answers, or all of them when it dies. */
function callsOver(child: ChildProcess): ServerProcess['command'] {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let number = 0;
  child.on('message', (message: { number: number; value?: unknown; error?: string }) => {
    const call = pending.get(message.number);
    pending.delete(message.number);
    if (message.error === undefined) call?.resolve(message.value);
    else call?.reject(new Error(message.error));
  });
  child.on('exit', (code, signal) => {
    for (const call of pending.values())
      call.reject(new Error(`the server process ended: ${code ?? signal}`));
    pending.clear();
  });
  return (server, command, values) =>
    new Promise((resolve, reject) => {
      number += 1;
      pending.set(number, { resolve, reject });
      child.send({ number, server, command, values }, (error) => error && reject(error));
    });
}

/** A test may stop its server itself; the clean-up after the file then finds nothing to do. */
function stoppedOnce(remote: Remote<HarnessCommands>): Remote<HarnessCommands> {
  const { stop } = remote;
  let stopped: Promise<void> | undefined;
  return { ...remote, stop: () => (stopped ??= stop()) };
}
