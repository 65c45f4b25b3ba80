/** What a client may say without being answered, and what cancelling does. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectAccepted, jsonRpcOf } from '../support/answers.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  eventually,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE_AND_BOB, BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '100' } });
  session = await openReadySession(server);
});

const send = (message: object | string) => ask(server, post(server, message, { session }));

test('[M.initialized] is accepted with an empty answer', async () => {
  const opened = await openSession(server);
  const initialized = post(server, notification('notifications/initialized'), { session: opened });
  expectAccepted(await ask(server, initialized));
});

test('[M.initialized] params are borne', async () => {
  const opened = await openSession(server);
  const message = notification('notifications/initialized', { _meta: { x: 1 } });
  expectAccepted(await ask(server, post(server, message, { session: opened })));
});

test.each([
  ['notifications/cancelled', { requestId: 'nothing', reason: CANARY }],
  ['notifications/cancelled', { requestId: null }],
  ['notifications/cancelled', { requestId: { toString: 1 } }],
  ['notifications/cancelled', undefined],
  ['notifications/progress', { progressToken: 1, progress: 0.5, total: 1, message: CANARY }],
  ['notifications/progress', undefined],
  ['notifications/roots/list_changed', undefined],
  ['notifications/roots/list_changed', { _meta: {} }],
])('[M.notifications] %s %j is accepted', async (method, params) => {
  expectAccepted(await send(notification(method, params)));
  await expectNoLeak(server, session);
});

test.each([
  'notifications/message',
  'notifications/resources/list_changed',
  'notifications/tasks/status',
  'notifications/',
  'notifications/Cancelled',
  'notifications/cancelled ',
  'ping',
  'resources/list',
  'initialize',
  '__proto__',
  'constructor',
  'toString',
  CANARY,
])('[M.notifications] %s is refused', async (method) => {
  expectRefusal(await send(notification(method)), 400, 'unsupported_notification');
  await expectNoLeak(server, session);
});

test.each([
  ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
  ['a result with a text id', { jsonrpc: '2.0', id: CANARY, result: { a: 1 } }],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: CANARY } }],
  ['an error without id', { jsonrpc: '2.0', error: { code: -32700, message: CANARY } }],
])('[M.response] %s answers nothing that was asked', async (_name, message) => {
  expectRefusal(await send(message), 400, 'unexpected_response');
  await expectNoLeak(server, session);
});

/** Starts a request and does not wait for its answer; wrapped, since a promise of a promise is one. */
async function start(id: string | number, owner = session) {
  const before = await server.held();
  const answer = ask(server, post(server, call(id, 'test/hold'), { session: owner }));
  await eventually(async () => (await server.held()) > before, 'the method runs');
  return { answer };
}
const cancel = (requestId: unknown, overrides: { session?: string; token?: string } = {}) =>
  ask(
    server,
    post(server, notification('notifications/cancelled', { requestId }), { session, ...overrides }),
  );

describe('cancelled', () => {
  const CANCELLED = {
    code: -32603,
    message: 'Request cancelled',
    data: { code: 'request_cancelled' },
  };

  test.each([1, 'one', '1', -(2 ** 53) + 1, '', '租户🦊'])(
    '[M.cancelled] the running request %j is aborted and answered as cancelled',
    async (id) => {
      const before = await server.aborted();
      const { answer } = await start(id);
      expectAccepted(await cancel(id));
      expect(jsonRpcOf(await answer)).toEqual({ jsonrpc: '2.0', id, error: CANCELLED });
      expect(await server.aborted()).toBe(before + 1);
      expect(await server.held()).toBe(0);
      await expectNoLeak(server, session);
    },
  );

  test('[M.cancelled] not by an id of another type, of another spelling, or of nothing that runs', async () => {
    const before = await server.aborted();
    const { answer } = await start(7);
    for (const other of ['7', 8, 7.5, null, [7], { id: 7 }, true]) expectAccepted(await cancel(other));
    expect(await server.aborted()).toBe(before);
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await answer)).toEqual({ jsonrpc: '2.0', id: 7, result: { held: true } });
    await expectNoLeak(server, session);
  });

  test('[M.cancelled] not from another session, of the same caller or of another', async () => {
    const before = await server.aborted();
    const { answer } = await start(9);
    const own = await openReadySession(server);
    const bobs = await openReadySession(server, BOB);
    expectAccepted(await cancel(9, { session: own }));
    expectAccepted(await cancel(9, { session: bobs, token: BOB }));
    expectRefusal(await cancel(9, { token: BOB }), 404, 'session_not_found');
    expect(await server.aborted()).toBe(before);
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await answer)).toMatchObject({ id: 9, result: { held: true } });
    await expectNoLeak(server, session, own, bobs);
  });

  test('[M.cancelled] of requests that run at once only the named one is aborted', async () => {
    const { answer: one } = await start('a');
    const { answer: two } = await start('b');
    expectAccepted(await cancel('a'));
    expect(jsonRpcOf(await one)).toMatchObject({ id: 'a', error: CANCELLED });
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await two)).toMatchObject({ id: 'b', result: { held: true } });
  });

  test('[M.cancelled] what has been answered can no longer be cancelled, and its id can be used again', async () => {
    const before = await server.aborted();
    const { answer: first } = await start(11);
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await first)).toMatchObject({ id: 11, result: { held: true } });
    expectAccepted(await cancel(11));
    const { answer } = await start(11);
    expect(await server.aborted()).toBe(before);
    expectAccepted(await cancel(11));
    expect(jsonRpcOf(await answer)).toMatchObject({ id: 11, error: CANCELLED });
  });

  test('[M.cancelled] the end of the session aborts what runs in it, and nothing else', async () => {
    const other = await openReadySession(server);
    const before = await server.aborted();
    const { answer: ending } = await start(1, other);
    const { answer: going } = await start(1);
    expect((await ask(server, del(server, { session: other }))).status).toBe(204);
    expect(jsonRpcOf(await ending)).toMatchObject({ id: 1, error: CANCELLED });
    expect(await server.aborted()).toBe(before + 1);
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await going)).toMatchObject({ id: 1, result: { held: true } });
    await expectNoLeak(server, session, other);
  });

  test('[M.cancelled] initialize cannot be cancelled: there is nothing that runs', async () => {
    expectAccepted(await cancel(0));
  });
});
