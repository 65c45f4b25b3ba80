/** Requests sent ahead on one connection: in order, one at a time, and none after a refusal. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefusalAndEnd } from '../support/connections.js';
import { expectNoLeak, expectRefusal, loggedRequests } from '../support/refusal.js';
import {
  ask,
  call,
  eventually,
  get,
  notification,
  openReadySession,
  openSession,
  post,
  type RequestOverrides,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_MAX_SESSIONS: '100', MCP_DISCARD_TIMEOUT_MS: '300' },
  });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const ping = (id: number | string, overrides: RequestOverrides = {}): string =>
  post(server, call(id, 'ping'), { session, ...overrides });
const hold = (id: number | string): string => post(server, call(id, 'test/hold'), { session });
const idOf = (body: string): unknown => (JSON.parse(body) as { id: unknown }).id;

test('[ORDER.one-at-a-time] what is sent ahead waits until the one before it is answered', async () => {
  const connection = await connectTo(server);
  connection.send(hold('a') + hold('b') + ping('c') + hold('d'));
  for (const ids of [['a'], ['b', 'c'], ['d']]) {
    await eventually(async () => (await server.held()) === 1, `${ids[0]} is held`);
    expect(connection.rest).toBe('');
    // Never two at once.
    expect(await server.release()).toBe(1);
    for (const id of ids) expect(idOf((await connection.answer()).body)).toBe(id);
  }
});

test('[ORDER.one-at-a-time] one after the other, each with its own framing, in pieces of any size', async () => {
  const stream = [
    ping(1),
    get(server, { session }),
    post(server, call(2, 'resources/list'), { session }),
    post(server, notification('notifications/progress', { progressToken: 1, progress: 1 }), { session }),
    get(server, { target: '/healthz', token: null }),
    ping(3),
  ].join('');
  for (const size of [1, 7, 100, stream.length]) {
    const connection = await connectTo(server);
    for (let at = 0; at < stream.length; at += size) {
      connection.send(stream.slice(at, at + size));
      if (size < 100) await new Promise((resolve) => setImmediate(resolve));
    }
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await connection.answer()).status);
    expect(statuses).toEqual([200, 200, 200, 202, 200, 200]);
    connection.destroy();
  }
});

test('[ORDER.one-at-a-time] 50 quick ones sent ahead are all answered, in order', async () => {
  const connection = await connectTo(server);
  connection.send(Array.from({ length: 50 }, (_, n) => ping(n)).join(''));
  for (let n = 0; n < 50; n++) expect(idOf((await connection.answer()).body)).toBe(n);
});

test('[ORDER.one-at-a-time] [G1.processing] behind a slow one a bounded number waits, then one is refused', async () => {
  const before = (await loggedRequests(server)).length;
  const connection = await connectTo(server);
  connection.send(hold(0) + Array.from({ length: 50 }, (_, n) => ping(n + 1)).join(''));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  await server.release();
  for (let n = 0; n < 16; n++) expect(idOf((await connection.answer()).body)).toBe(n);
  await expectRefusalAndEnd(connection, 503, 'overloaded');
  await eventually(async () => (await loggedRequests(server)).length >= before + 17, 'all lines');
  expect((await loggedRequests(server)).length).toBe(before + 17);
});

test('[ORDER.one-at-a-time] 50 on one connection, each sent when the one before is answered', async () => {
  const connection = await connectTo(server);
  for (let n = 0; n < 50; n++) {
    connection.send(ping(n));
    expect(idOf((await connection.answer()).body)).toBe(n);
  }
});

const REFUSALS: ReadonlyArray<[what: string, text: () => string, status: number, code: PublicCode]> = [
  ['an unknown path', () => get(server, { target: '/nowhere' }), 404, 'not_found'],
  ['an unknown path with a body', () => ping(1, { target: '/nowhere' }), 404, 'not_found'],
  ['PUT', () => ping(1, { method: 'PUT' }), 405, 'method_not_allowed'],
  ['a foreign host', () => ping(1, { headers: { Host: 'evil.example' } }), 403, 'invalid_host'],
  ['a foreign origin', () => ping(1, { headers: { Origin: 'null' } }), 403, 'invalid_origin'],
  ['a query', () => ping(1, { target: '/mcp?x' }), 400, 'query_not_allowed'],
  ['an expectation', () => ping(1, { headers: { Expect: 'x' } }), 417, 'expectation_failed'],
  ['no Accept', () => ping(1, { headers: { Accept: '*/*' } }), 406, 'not_acceptable'],
  [
    'no length',
    () => ping(1, { headers: { 'Content-Length': undefined } }).slice(0, -40),
    411,
    'length_required',
  ],
  ['too large a body', () => post(server, 'x'.repeat(20_000), { session }), 413, 'body_too_large'],
  ['bad JSON', () => post(server, 'x', { session }), 400, 'invalid_json'],
  ['no token', () => ping(1, { token: null }), 401, 'authorization_required'],
  ['a wrong token', () => ping(1, { token: 'x' }), 401, 'invalid_token'],
  [
    'no session',
    () => ping(1, { headers: { 'MCP-Session-Id': undefined } }),
    400,
    'missing_or_invalid_session',
  ],
  [
    'an unknown notification',
    () => post(server, notification('x'), { session }),
    400,
    'unsupported_notification',
  ],
  ['CONNECT', () => get(server, { method: 'CONNECT' }), 405, 'method_not_allowed'],
  ['what is no HTTP', () => 'garbage\r\n\r\n', 400, 'invalid_header'],
];

test.each(REFUSALS)('[ORDER.nothing-after-refusal] [A.close] after %s', async (_what, text, status, code) => {
  const fresh = await openSession(server);
  const initialized = post(server, notification('notifications/initialized'), { session: fresh });
  const before = (await loggedRequests(server)).length;
  const connection = await connectTo(server);
  connection.send(text() + hold('after') + initialized + initialized);
  await expectRefusalAndEnd(connection, status, code);
  expect(await server.held()).toBe(0);
  // Had it been served, this would be the second time.
  expect((await ask(server, initialized)).status).toBe(202);
  await eventually(async () => (await loggedRequests(server)).length >= before + 2, 'two lines');
  expect((await loggedRequests(server)).length).toBe(before + 2);
});

test('[ORDER.nothing-after-refusal] what is sent in later segments is not served either', async () => {
  const connection = await connectTo(server);
  connection.send(post(server, '{', { target: '/nowhere', headers: { 'Content-Length': '10' } }));
  expectRefusal(await connection.answer(), 404, 'not_found');
  connection.send(`         ${hold('late')}${hold('later')}`);
  await connection.closed();
  expect(connection.rest).toBe('');
  expect(await server.held()).toBe(0);
});

test('[ORDER.nothing-after-refusal] good ones before the refusal are answered, none after it', async () => {
  const connection = await connectTo(server);
  connection.send(ping(1) + ping(2) + get(server, { target: '/nowhere' }) + hold(3) + ping(4));
  expect(idOf((await connection.answer()).body)).toBe(1);
  expect(idOf((await connection.answer()).body)).toBe(2);
  await expectRefusalAndEnd(connection, 404, 'not_found');
  expect(await server.held()).toBe(0);
});

test('[A.parser] good ones before what the parser refuses are answered first', async () => {
  const connection = await connectTo(server);
  connection.send(`${hold(1)}${ping(2)}POST /mcp HTTP/1.1\r\nHost : x\r\n\r\n${hold(3)}`);
  await eventually(async () => (await server.held()) === 1, 'a held request');
  expect(connection.rest).toBe('');
  await server.release();
  expect(idOf((await connection.answer()).body)).toBe(1);
  expect(idOf((await connection.answer()).body)).toBe(2);
  await expectRefusalAndEnd(connection, 400, 'invalid_header');
  expect(await server.held()).toBe(0);
});

test.each(['close', 'Close', 'keep-alive, close'])(
  '[ORDER.one-at-a-time] after Connection: %s nothing more is served',
  async (value) => {
    const connection = await connectTo(server);
    connection.send(ping(1, { headers: { Connection: value } }) + hold(2));
    expect((await connection.answer()).headers.get('connection')).toBe('close');
    expect(await connection.closed()).toBe(true);
    expect(await server.held()).toBe(0);
  },
);

test('[ORDER.one-at-a-time] a client that is gone has nothing more served of what it sent ahead', async () => {
  const connection = await connectTo(server);
  connection.send(hold(1) + hold(2) + hold(3));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  const before = (await loggedRequests(server)).length;
  connection.socket.resetAndDestroy();
  await eventually(async () => (await loggedRequests(server)).length > before, 'the server has seen it');
  await server.release();
  expect((await ask(server, ping(4))).status).toBe(200);
  expect(await server.held()).toBe(0);
});
