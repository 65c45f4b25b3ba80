import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/client/client-error.js';
import { McpClient, type McpClientOptions } from '../../../src/client/mcp-client.js';
import { type HostileServer, type ReceivedRequest, startHostile } from '../../support/hostile-server.js';

const TOKEN = 'canary-token';
const SESSION = 'canary-session';

const ANNOUNCEMENT = {
  protocolVersion: '2025-11-25',
  capabilities: { resources: { listChanged: true } },
  serverInfo: { name: 'test', version: '1' },
};

interface Script {
  /** In place of the honest answer to a JSON-RPC method, or to GET or DELETE; undefined = honest. */
  readonly [method: string]: Answer | undefined;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: string | ((id: number) => string);
}

interface Message {
  readonly id: number;
  readonly method: string;
}

const response = (id: unknown, result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });

function honest(method: string): Answer {
  switch (method) {
    case 'initialize':
      return { headers: { 'MCP-Session-Id': SESSION }, body: (id) => response(id, ANNOUNCEMENT) };
    case 'ping':
      return { body: (id) => response(id, {}) };
    case 'notifications/initialized':
      return { status: 202 };
    case 'DELETE':
      return { status: 204 };
    case 'GET':
      return { type: 'text/event-stream', body: 'id: g-1\nretry: 15000\n\n' };
    default:
      return { status: 404, body: '{"error":"not_found"}' };
  }
}

async function serverWith(script: Script): Promise<HostileServer> {
  return startHostile((request, reply) => {
    const message = request.method === 'POST' ? (JSON.parse(request.body) as Message) : undefined;
    const method = message?.method ?? request.method;
    write(reply, script[method] ?? honest(method), message?.id ?? 0);
  });
}

function write(reply: ServerResponse, answer: Answer, id: number): void {
  const body = typeof answer.body === 'function' ? answer.body(id) : answer.body;
  const type = body === undefined ? {} : { 'Content-Type': answer.type ?? 'application/json' };
  reply.writeHead(answer.status ?? 200, { ...type, ...answer.headers }).end(body);
}

function clientOf(server: HostileServer, options: Partial<McpClientOptions> = {}): McpClient {
  return new McpClient({ url: server.url, token: TOKEN, ...options });
}

async function connected(script: Script): Promise<{ client: McpClient; server: HostileServer }> {
  const server = await serverWith(script);
  const client = clientOf(server);
  await client.connect();
  return { client, server };
}

/** The error that a call ends with; whatever it is, no secret is in its words. */
async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClientError)) throw new Error(`not a ClientError: ${JSON.stringify(error)}`);
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('canary');
  return error;
}

const methodsOf = (received: readonly ReceivedRequest[]): string[] =>
  received.map(({ method, body }) => (body === '' ? method : (JSON.parse(body) as Message).method));

describe('handshake', () => {
  test('initialize, then initialized with version and session', async () => {
    const server = await serverWith({});
    expect(await clientOf(server).connect()).toEqual(ANNOUNCEMENT);
    const [first, second] = server.received;
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ id: 1, params: { protocolVersion: '2025-11-25' } });
    expect(first?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
    });
    expect(first?.headers).not.toHaveProperty('mcp-session-id');
    expect(second?.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': SESSION,
    });
    expect(methodsOf(server.received)).toEqual(['initialize', 'notifications/initialized']);
  });

  test.each(['2024-11-05', '2025-06-18', '2026-07-28', '', 'DRAFT-2025-11-25', ' 2025-11-25'])(
    'a version that is not the accepted one (%j): initialized is never sent',
    async (protocolVersion) => {
      const server = await serverWith({
        initialize: {
          headers: { 'MCP-Session-Id': SESSION },
          body: (id) => response(id, { ...ANNOUNCEMENT, protocolVersion }),
        },
      });
      const client = clientOf(server);
      expect(await failureOf(client.connect())).toMatchObject({ code: 'version_not_accepted' });
      expect(await failureOf(client.initialized())).toMatchObject({ code: 'no_session' });
      expect(await failureOf(client.ping())).toMatchObject({ code: 'no_session' });
      expect(methodsOf(server.received)).toEqual(['initialize']);
    },
  );

  test('the accepted version is the one that was asked for', async () => {
    const server = await serverWith({});
    const client = clientOf(server, { acceptedRevision: '2025-06-18' });
    expect(await failureOf(client.connect())).toMatchObject({ code: 'version_not_accepted' });
    expect(methodsOf(server.received)).toEqual(['initialize']);
  });

  test.each([
    ['missing', undefined],
    ['257 characters', 'x'.repeat(257)],
    ['a space within', 'a b'],
    ['a character beyond ASCII', 'caf\u00e9'],
  ])('session header %s', async (_name, sessionId) => {
    const server = await serverWith({
      initialize: {
        headers: sessionId === undefined ? {} : { 'MCP-Session-Id': sessionId },
        body: (id) => response(id, ANNOUNCEMENT),
      },
    });
    expect(await failureOf(clientOf(server).connect())).toMatchObject({ code: 'invalid_session_header' });
    expect(methodsOf(server.received)).toEqual(['initialize']);
  });

  test('a session header of 256 visible characters', async () => {
    const sessionId = '!'.repeat(128) + '~'.repeat(128);
    const server = await serverWith({
      initialize: {
        headers: { 'MCP-Session-Id': sessionId },
        body: (id) => response(id, ANNOUNCEMENT),
      },
    });
    await clientOf(server).connect();
    expect(server.received[1]?.headers['mcp-session-id']).toBe(sessionId);
  });

  test.each([
    ['no version', { ...ANNOUNCEMENT, protocolVersion: 1 }],
    ['capabilities a list', { ...ANNOUNCEMENT, capabilities: [] }],
    ['no name', { ...ANNOUNCEMENT, serverInfo: { version: '1' } }],
    ['empty', {}],
  ])('a result without its shape: %s', async (_name, result) => {
    const server = await serverWith({
      initialize: { headers: { 'MCP-Session-Id': SESSION }, body: (id) => response(id, result) },
    });
    expect(await failureOf(clientOf(server).connect())).toMatchObject({ code: 'invalid_result' });
  });

  test.each(['', 'a b', 'tok\u00e9n', 'x\r\nX-Evil: 1'])('a token that cannot be one: %j', async (token) => {
    const server = await serverWith({});
    expect(() => clientOf(server, { token })).toThrow(new ClientError('invalid_token'));
  });
});

describe('correlation', () => {
  test('each request has an id of its own', async () => {
    const { client, server } = await connected({});
    await client.ping();
    await client.ping();
    const ids = server.received.map(({ body }) => (JSON.parse(body) as Message).id);
    expect(ids).toEqual([1, undefined, 2, 3]);
  });

  test.each([
    ['another number', (id: number) => response(id + 1, {}), 'wrong_id'],
    ['the same as a string', (id: number) => response(String(id), {}), 'wrong_id'],
    ['written otherwise', (id: number) => `{"jsonrpc":"2.0","id":${id}.0,"result":{}}`, 'invalid_message'],
    ['null', () => response(null, {}), 'invalid_message'],
    ['none', () => '{"jsonrpc":"2.0","result":{}}', 'invalid_message'],
    ['twice', (id: number) => `{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}`, 'invalid_json'],
    [
      'an error of somebody else',
      () => '{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":""}}',
      'wrong_id',
    ],
    ['an error of nobody', () => '{"jsonrpc":"2.0","error":{"code":1,"message":""}}', 'wrong_id'],
  ])('an answer whose id is %s', async (_name, body, code) => {
    const { client } = await connected({ ping: { body } });
    expect(await failureOf(client.ping())).toMatchObject({ code });
  });
});

describe('answers to a request', () => {
  test.each([
    ['a batch', (id: number) => `[${response(id, {})}]`, 'invalid_message'],
    ['a request', (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`, 'invalid_message'],
    [
      'a member that nobody knows',
      (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{},"x":1}`,
      'invalid_message',
    ],
    ['a ping result that says something', (id: number) => response(id, { ok: true }), 'invalid_result'],
    ['no body', undefined, 'unexpected_content_type'],
  ])('%s', async (_name, body, code) => {
    const { client } = await connected({ ping: { ...(body && { body }) } });
    expect(await failureOf(client.ping())).toMatchObject({ code });
  });

  test('a JSON-RPC error: its code is told, its words are not', async () => {
    const error = { code: -32_601, message: `canary ${TOKEN}` };
    const { client } = await connected({
      ping: { body: (id) => JSON.stringify({ jsonrpc: '2.0', id, error }) },
    });
    const failure = await failureOf(client.ping());
    expect(failure).toMatchObject({ code: 'rpc_error', facts: { rpcCode: -32_601 } });
  });

  test('202 for a request is no answer', async () => {
    const { client } = await connected({ ping: { status: 202 } });
    expect(await failureOf(client.ping())).toMatchObject({
      code: 'unexpected_status',
      facts: { status: 202 },
    });
  });

  const RESOURCES = { resources: [{ uri: 'kb://a', name: 'a', mimeType: 'text/plain' }] };
  const NOTE = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';

  test.each([
    ['JSON', 'application/json', (id: number) => response(id, RESOURCES)],
    ['one event', 'text/event-stream', (id: number) => `data: ${response(id, RESOURCES)}\n\n`],
    [
      'an event that only says its id, a notification, the response',
      'text/event-stream',
      (id: number) => `id: p-0\ndata:\n\ndata: ${NOTE}\n\nid: p-1\ndata: ${response(id, RESOURCES)}\n\n`,
    ],
  ])('resources/list as %s', async (_name, type, body) => {
    const { client } = await connected({ 'resources/list': { type, body } });
    expect(await client.listResources()).toEqual({ ...RESOURCES, nextCursor: undefined });
  });

  test.each([
    ['no event', () => ': nothing\n\n', 'invalid_message'],
    ['two responses', (id: number) => `data: ${response(id, RESOURCES)}\n\n`.repeat(2), 'invalid_message'],
    [
      'a notification after the response',
      (id: number) => `data: ${response(id, RESOURCES)}\n\ndata: ${NOTE}\n\n`,
      'invalid_message',
    ],
    [
      'another event type',
      (id: number) => `event: x\ndata: ${response(id, RESOURCES)}\n\n`,
      'invalid_message',
    ],
    ['no JSON', () => 'data: {\n\n', 'invalid_json'],
    ['cut', (id: number) => `data: ${response(id, RESOURCES)}\n`, 'invalid_sse'],
    ['another id', (id: number) => `data: ${response(id + 1, RESOURCES)}\n\n`, 'wrong_id'],
    [
      'resources that are no list',
      (id: number) => `data: ${response(id, { resources: {} })}\n\n`,
      'invalid_result',
    ],
    [
      'a resource without uri',
      (id: number) => `data: ${response(id, { resources: [{ name: 'a' }] })}\n\n`,
      'invalid_result',
    ],
    [
      'a resource that is null',
      (id: number) => `data: ${response(id, { resources: [null] })}\n\n`,
      'invalid_result',
    ],
  ])('resources/list as a stream with %s', async (_name, body, code) => {
    const { client } = await connected({ 'resources/list': { type: 'text/event-stream', body } });
    expect(await failureOf(client.listResources())).toMatchObject({ code });
  });
});

describe('GET stream', () => {
  test('events with id, retry and notification', async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';
    const { client, server } = await connected({
      GET: { type: 'text/event-stream', body: `id: g-1\nretry: 15000\ndata: ${note}\n\n` },
    });
    expect(await client.stream('g-0')).toEqual([
      {
        id: 'g-1',
        retryMs: 15_000,
        notification: { method: 'notifications/resources/list_changed', params: undefined },
      },
    ]);
    expect(server.received.at(-1)?.headers).toMatchObject({
      accept: 'text/event-stream',
      'last-event-id': 'g-0',
      'mcp-session-id': SESSION,
    });
  });

  test('an event that only moves the cursor', async () => {
    const { client, server } = await connected({});
    expect(await client.stream()).toEqual([{ id: 'g-1', retryMs: 15_000, notification: undefined }]);
    expect(server.received.at(-1)?.headers).not.toHaveProperty('last-event-id');
  });

  test.each([
    ['a response', response(1, {})],
    ['a server request', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ])('%s does not belong there', async (_name, message) => {
    const { client } = await connected({ GET: { type: 'text/event-stream', body: `data: ${message}\n\n` } });
    expect(await failureOf(client.stream())).toMatchObject({ code: 'invalid_message' });
  });

  test('JSON is not a stream', async () => {
    const { client } = await connected({ GET: { body: '{}' } });
    expect(await failureOf(client.stream())).toMatchObject({ code: 'unexpected_content_type' });
  });
});

describe('refusals', () => {
  test('status, public code and challenge are facts', async () => {
    const challenge = 'Bearer error="invalid_token"';
    const { client } = await connected({
      ping: { status: 401, headers: { 'WWW-Authenticate': challenge }, body: '{"error":"invalid_token"}' },
    });
    const failure = await failureOf(client.ping());
    expect(failure).toMatchObject({
      code: 'refused',
      facts: { status: 401, publicCode: 'invalid_token', challenge },
      message: 'the server refused the request (HTTP 401, invalid_token)',
    });
  });

  test.each([
    ['more members', '{"error":"forbidden","detail":"x"}'],
    ['words', '{"error":"No, canary!"}'],
    ['the token', `{"error":"${TOKEN.replace('-', '_')}"}`],
    ['no object', '"forbidden"'],
    ['no error', '{}'],
  ])('a refusal with %s is no well-formed one', async (_name, body) => {
    const server = await serverWith({ initialize: { status: 403, body } });
    const client = clientOf(server, { token: TOKEN.replace('-', '_') });
    expect(await failureOf(client.connect())).toMatchObject({
      code: 'invalid_refusal',
      facts: { status: 403 },
    });
  });

  test('an HTML page is none either', async () => {
    const server = await serverWith({ initialize: { status: 500, type: 'text/html', body: '<h1>canary' } });
    expect(await failureOf(clientOf(server).connect())).toMatchObject({ code: 'unexpected_content_type' });
  });
});

describe('the end', () => {
  test('DELETE, and later calls still go out with the id', async () => {
    const { client, server } = await connected({
      ping: { status: 404, body: '{"error":"session_not_found"}' },
    });
    await client.end();
    expect(await failureOf(client.ping())).toMatchObject({
      code: 'refused',
      facts: { publicCode: 'session_not_found' },
    });
    expect(server.received.at(-1)?.headers['mcp-session-id']).toBe(SESSION);
    expect(client.roundTrips).toBe(4);
  });

  test.each([
    ['200', { status: 200 }, 'unexpected_status'],
    ['405', { status: 405, body: '{"error":"method_not_allowed"}' }, 'refused'],
  ])('DELETE answered with %s', async (_name, answer, code) => {
    const { client } = await connected({ DELETE: answer });
    expect(await failureOf(client.end())).toMatchObject({ code });
  });
});
