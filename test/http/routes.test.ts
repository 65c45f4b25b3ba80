/** Gate 5: paths byte for byte, methods one by one, and what has no path at all. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { connectTo, expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, eventually, get, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

const ALLOW = 'POST, GET, DELETE';
const METADATA = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'];

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

test.each([
  '/',
  '//',
  '/mcp/',
  '/mcp//',
  '//mcp',
  '///mcp',
  '/MCP',
  '/Mcp',
  '/mc',
  '/mcpx',
  '/mcp/x',
  '/mcp%2F',
  '/%6dcp',
  '/%6Dcp',
  '/%2Fmcp',
  '/%2fmcp',
  '/mcp%20',
  '/mcp%00',
  '/mcp;x=1',
  '/mcp,',
  '/./mcp',
  '/x/../mcp',
  '/mcp/.',
  '/mcp/..',
  '/%zz',
  '/%',
  '/mcp%',
  '/%c3/%28',
  '/%ff',
  '/:rest',
  '/*',
  '/*rest',
  '/index.html',
  '/favicon.ico',
  '/.well-known',
  '/.well-known/oauth-protected-resource/',
  '/.well-known/oauth-protected-resource/MCP',
  '/.well-known/OAuth-protected-resource/mcp',
  '/healthz/',
  '/Healthz',
  '/healthz/x',
  '*',
  'http://127.0.0.1/mcp',
  'HTTP://127.0.0.1/mcp',
  'http://evil.example/mcp',
  'https://evil.example',
])('[G5.path] %s is unknown, whatever the method', async (target) => {
  await expectRefused(server, post(server, call(1, 'ping'), { session, target }), 404, 'not_found');
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT', 'QUERY']) {
    await expectRefused(server, get(server, { session, target, method }), 404, 'not_found');
  }
});

test('[G5.path] an absolute form with our own host is unknown too', async () => {
  const target = `http://127.0.0.1:${server.port}/mcp`;
  await expectRefused(server, post(server, call(1, 'ping'), { session, target }), 404, 'not_found');
});

test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'M-SEARCH', 'PURGE', 'LINK', 'SEARCH'])(
  '[G5.method] %s /mcp, with a body and without',
  async (method) => {
    await expectRefused(server, get(server, { method, session }), 405, 'method_not_allowed', {
      allow: ALLOW,
    });
    const withBody = post(server, call(1, 'ping'), { method, session });
    await expectRefused(server, withBody, 405, 'method_not_allowed', { allow: ALLOW });
  },
);

test('[G5.method] CONNECT /mcp', async () => {
  await expectRefused(server, get(server, { method: 'CONNECT' }), 405, 'method_not_allowed', {
    allow: ALLOW,
  });
});

test.each(['evil.example:443', '127.0.0.1:80', 'localhost', '[::1]:22'])(
  '[G5.path] CONNECT %s is no path of ours',
  async (target) => {
    await expectRefused(server, get(server, { method: 'CONNECT', target }), 404, 'not_found');
    const foreign = get(server, { method: 'CONNECT', target, headers: { Host: target } });
    await expectRefused(server, foreign, 403, 'invalid_host');
  },
);

test('[G5.method] HEAD is refused with headers only, on every path', async () => {
  for (const [target, status, allow] of [
    ['/mcp', 405, ALLOW],
    ['/healthz', 405, 'GET'],
    ['/readyz', 405, 'GET'],
    ...METADATA.map((path) => [path, 405, 'GET'] as const),
    ['/nowhere', 404, undefined],
  ] as const) {
    const connection = await connectTo(server);
    connection.send(get(server, { method: 'HEAD', target }));
    await connection.closed();
    const [head = '', body] = connection.rest.split('\r\n\r\n');
    expect(body).toBe('');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const allowed = /^Allow: (.*)$/im.exec(head)?.[1];
    expect(allowed).toBe(allow);
    expect(head).toMatch(/^Cache-Control: no-store$/im);
    expect(head).toMatch(/^Connection: close$/im);
    expect(head).not.toMatch(/^(X-Powered-By|ETag|Server):/im);
  }
});

test.each(['/healthz', '/readyz', ...METADATA])('[G5.method] %s takes GET only', async (target) => {
  expect((await ask(server, get(server, { target, token: null, headers: { Accept: '*/*' } }))).status).toBe(
    200,
  );
  for (const method of ['POST', 'DELETE', 'PUT', 'OPTIONS', 'PATCH', 'TRACE']) {
    const request = get(server, { method, target, token: null });
    await expectRefused(server, request, 405, 'method_not_allowed', { allow: 'GET' });
  }
});

test.each(['post', 'Post', 'get', 'FOO', 'POSTX', 'POS', 'M\xe9thode', ''])(
  '[G5.method] [A.parser] %j is a method that the parser does not know',
  async (method) => {
    await expectRefused(server, post(server, call(1, 'ping'), { method, session }), 400, 'invalid_header');
  },
);

test.each(['mcp', 'mcp/', '\\mcp', '/mcp\xe9', '/mcp\x01', '/m\tcp', '?', '#', 'localhost', '://x'])(
  '[G5.path] [A.parser] %j is no request target',
  async (target) => {
    await expectRefused(server, post(server, call(1, 'ping'), { target, session }), 400, 'invalid_header');
  },
);

test('an Upgrade is not taken up: the request is served as it is', async () => {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
  const answer = await ask(server, post(server, call(7, 'ping'), { session, headers }));
  expect([answer.status, answer.body]).toEqual([200, '{"jsonrpc":"2.0","id":7,"result":{}}']);
});

test('[A.close] CONNECT ends the connection also for a client that keeps its side open or resets it', async () => {
  const narrow = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_CONNECTIONS: '2' } });
  const connect = get(narrow, { method: 'CONNECT' });
  for (let round = 0; round < 6; round++) {
    const connection = await connectTo(narrow);
    connection.send(connect + 'x'.repeat(round * 1000));
    if (round % 2 === 0) await connection.closed();
    else connection.socket.resetAndDestroy();
  }
  // None of them still counts: both places are free.
  const other = await connectTo(narrow);
  await eventually(async () => {
    const answer = await ask(narrow, get(narrow, { target: '/healthz', token: null }));
    return answer.status === 200;
  }, 'places for two connections');
  other.send(get(narrow, { target: '/healthz', token: null }));
  expect((await other.answer()).status).toBe(200);
});

test('[ORDER.one-at-a-time] CONNECT behind a running request waits for its answer', async () => {
  const connection = await connectTo(server);
  connection.send(post(server, call(1, 'test/hold'), { session }) + get(server, { method: 'CONNECT' }));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  expect(connection.rest).toBe('');
  await server.release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(405);
  expect(await connection.closed()).toBe(true);
});
