import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ClientError } from '../../src/client/client-error.js';
import { McpClient } from '../../src/client/mcp-client.js';
import { RawConnection } from '../support/raw-http.js';
import { logLines, type ReadyLine, readyLineIn } from '../support/ready-line.js';
import { runCommand, spawnCommand, type SpawnedProcess } from '../support/spawn-cli.js';
import { ALICE, ALICE_AND_BOB } from '../support/tokens.js';
import { tokensFile } from '../support/tokens-file.js';

/** The bounds are tested elsewhere; here they must not strike on a busy machine. */
const PATIENT = { MCP_BODY_TIMEOUT_MS: '30000', MCP_SHUTDOWN_TIMEOUT_MS: '30000' };

interface Served extends SpawnedProcess {
  readonly ready: ReadyLine;
}

async function startServe(env: Record<string, string | undefined> = {}): Promise<Served> {
  const path = tokensFile(ALICE_AND_BOB);
  const server = spawnCommand(['serve'], {
    env: { MCP_PORT: '0', MCP_TOKENS_FILE: path, ...PATIENT, ...env },
  });
  return { ...server, ready: readyLineIn(await server.outputWith('stdout', /"msg":"ready".*\n/)) };
}

describe('start', () => {
  test('one structured line when ready, with the resource; then lines without a token', async () => {
    const server = await startServe();
    const { port, resource } = server.ready;
    expect(server.ready).toMatchObject({ level: 'info', msg: 'ready' });
    expect(port).toBeGreaterThan(0);
    expect(resource).toBe(`http://127.0.0.1:${port}/mcp`);
    await new McpClient({ url: resource, token: ALICE }).connect();
    server.child.kill('SIGTERM');
    const { stdout, stderr } = await server.ended;
    expect(logLines(stdout).map(({ msg }) => msg)).toEqual([
      'ready',
      'request',
      'request',
      'stopping',
      'stopped',
    ]);
    expect(stdout).not.toContain('canary');
    expect(stderr).toBe('');
  });

  test('without a tokens file: one token, told once on stderr and never in the log', async () => {
    const server = await startServe({
      NODE_ENV: 'development',
      MCP_TOKENS_FILE: undefined,
      MCP_LOG_LEVEL: 'debug',
    });
    const told = await server.outputWith('stderr', /Bearer \S+\n/);
    const [, token = ''] = /^ {4}Authorization: Bearer ([\w-]{43})$/m.exec(told) ?? [];
    const learner = new McpClient({ url: server.ready.resource, token });
    await learner.connect();
    expect((await learner.listResources()).resources).toHaveLength(1);
    server.child.kill('SIGTERM');
    const { stdout, stderr } = await server.ended;
    expect(stderr.split(token)).toHaveLength(2);
    expect(stdout).not.toContain(token);
  });

  test('in production without a tokens file: no token is made up, exit code 2', async () => {
    const ended = await runCommand(['serve'], { env: { NODE_ENV: 'production', MCP_PORT: '0' } });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('MCP_TOKENS_FILE is missing');
    expect(ended.stderr).not.toMatch(/Bearer|\n\s+at /);
  });

  test('in production with one it starts', async () => {
    const server = await startServe({ NODE_ENV: 'production' });
    await new McpClient({ url: server.ready.resource, token: ALICE }).connect();
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('all wrong settings in one message, without values and without a stack', async () => {
    const { code, stdout, stderr } = await runCommand(['serve'], {
      env: {
        MCP_PORT: '70000',
        MCP_MAX_SESSIONS: 'canary',
        MCP_MAX_BODY_BYTES: '1e3',
        MCP_ALLOWED_ORIGINS: 'https://canary.example/path',
        MCP_MAX_SESION: '8',
      },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const names = [...stderr.matchAll(/^ {2}- (MCP_[A-Z_]+) /gm)].map(([, name]) => name ?? '');
    expect(new Set(names)).toEqual(
      new Set([
        'MCP_ALLOWED_ORIGINS',
        'MCP_MAX_BODY_BYTES',
        'MCP_MAX_SESION',
        'MCP_MAX_SESSIONS',
        'MCP_PORT',
      ]),
    );
    expect(stderr).not.toMatch(/canary|\n\s+at /);
  });

  test.each([
    ['no JSON', '{"tokens": canary'],
    ['records without their members', '{"issuer":"https://canary.example","tokens":[{"token":"canary"}]}'],
  ])('a tokens file that is %s: exit code 2, without its content', async (_name, content) => {
    const { code, stderr } = await runCommand(['serve'], {
      env: { MCP_PORT: '0', MCP_TOKENS_FILE: tokensFile(content) },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^nest-mcp-boundary cannot start: /);
    expect(stderr).not.toMatch(/canary|\n\s+at /);
  });

  test('a tokens file that is not there: exit code 2', async () => {
    const path = `${tokensFile('')}.gone`;
    const { code, stderr } = await runCommand(['serve'], { env: { MCP_PORT: '0', MCP_TOKENS_FILE: path } });
    expect(code).toBe(2);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('a port in use: exit code 2, said in words', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runCommand(['serve'], {
      env: { MCP_PORT: String(port), MCP_TOKENS_FILE: tokensFile(ALICE_AND_BOB) },
    });
    other.close();
    expect(code).toBe(2);
    expect(stderr).toBe('nest-mcp-boundary cannot start: the port is in use (MCP_PORT)\n');
  });
});

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 'slow',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'slow', version: '1' },
  },
});

/** A request that the server is at: its head and half of its body are there. */
async function openSlowRequest({ port }: ReadyLine): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  connection.send(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ALICE}\r\n` +
      'Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // It has passed the gates before the body, so the server is at it.
  expect(await connection.answer()).toMatchObject({ status: 100 });
  connection.send(BODY.slice(0, 20));
  return connection;
}

describe('stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: a running request is answered, no new one is, exit code 0',
    async (signal) => {
      const server = await startServe();
      const slow = await openSlowRequest(server.ready);
      const silent = await RawConnection.open(server.ready.port);
      server.child.kill(signal);
      await server.outputWith('stdout', /"msg":"stopping"/);

      const late = new McpClient({ url: server.ready.resource, token: ALICE }).initialize();
      const refusal = await late.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ClientError);
      expect(refusal).toMatchObject({ code: 'connection_failed' });

      slow.send(BODY.slice(20));
      expect(await slow.answer()).toMatchObject({ status: 200 });
      slow.destroy();
      // Nor does a connection that never said anything hold up the stop.
      expect(await silent.closed()).toBe(true);
      expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    },
  );

  test('a second signal changes nothing: the running request is still answered', async () => {
    const server = await startServe();
    const slow = await openSlowRequest(server.ready);
    server.child.kill('SIGINT');
    await server.outputWith('stdout', /"msg":"stopping"/);
    server.child.kill('SIGINT');
    server.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.send(BODY.slice(20));
    expect(await slow.answer()).toMatchObject({ status: 200 });
    slow.destroy();
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  test('a request that does not end is cut at the bound', async () => {
    const server = await startServe({ MCP_SHUTDOWN_TIMEOUT_MS: '200', MCP_BODY_TIMEOUT_MS: '60000' });
    const slow = await openSlowRequest(server.ready);
    const before = Date.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - before).toBeLessThan(10_000);
    slow.destroy();
  });

  test('a signal before the start is over stops as well', async () => {
    const server = spawnCommand(['serve'], {
      env: { MCP_PORT: '0', MCP_TOKENS_FILE: tokensFile(ALICE_AND_BOB), MCP_LOG_LEVEL: 'debug' },
    });
    await server.outputWith('stdout', /./);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });
});
