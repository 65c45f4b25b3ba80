/** The service profile over HTTP: idle lifetime that running requests keep from beginning, and a cap per subject. */
import { expect, test } from '@jest/globals';
import { RawConnection } from '../support/raw-http.js';
import { expectRefusal } from '../support/refusal.js';
import { ask, call, eventually, INITIALIZE, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE, BOB, record, tokensOf } from '../support/tokens.js';

const TTL = 1800_000;
const TOKENS = tokensOf(record(ALICE, { expires_in: 1e6 }), record(BOB, { expires_in: 1e6 }));

const start = (env: Record<string, string> = {}): Promise<TestServer> =>
  startServer({ tokens: TOKENS, env: { MCP_PROFILE: 'service', ...env } });

const ping = (server: TestServer, session: string, token = ALICE) =>
  ask(server, post(server, call(1, 'ping'), { session, token }));

test('a session lives for its idle time after its last request, to the millisecond, and use makes it go on', async () => {
  const server = await start();
  await server.freeze();
  const session = await openReadySession(server);
  for (let i = 0; i < 5; i++) {
    await server.advance(TTL - 1);
    expect((await ping(server, session)).status).toBe(200);
    // The session is released when the response is closed, just after the client has it.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await server.advance(TTL);
  expectRefusal(await ping(server, session), 404, 'session_not_found');
});

test("a refused request, and another's, do not make it live longer", async () => {
  const server = await start();
  await server.freeze();
  const session = await openReadySession(server);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await server.advance(TTL - 1);
  expectRefusal(await ping(server, session, BOB), 404, 'session_not_found');
  const again = post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, { session });
  expectRefusal(await ask(server, again), 400, 'invalid_lifecycle');
  await server.advance(1);
  expectRefusal(await ping(server, session), 404, 'session_not_found');
});

test('a running request is never cut short, also when its client has gone, and the idle time begins at its end', async () => {
  const server = await start();
  await server.freeze();
  const session = await openReadySession(server);
  const waiting = await RawConnection.open(server.port);
  waiting.send(post(server, call(1, 'test/hold'), { session }));
  await eventually(async () => (await server.held()) === 1, 'the method runs');
  await server.advance(3 * TTL);
  expect((await ping(server, session)).status).toBe(200);
  await server.advance(3 * TTL);
  waiting.destroy();
  await server.advance(3 * TTL);
  expect((await ping(server, session)).status).toBe(200);
  await server.advance(3 * TTL);
  expect(await server.release()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await server.advance(TTL - 1);
  expect((await ping(server, session)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await server.advance(TTL);
  expectRefusal(await ping(server, session), 404, 'session_not_found');
});

test('one subject cannot take the places of all others', async () => {
  const server = await start({ MCP_MAX_SESSIONS_PER_SUBJECT: '2', MCP_MAX_SESSIONS: '5' });
  const sessions = [await openReadySession(server), await openReadySession(server)];
  expectRefusal(await ask(server, post(server, INITIALIZE)), 503, 'session_capacity_exceeded', {
    'retry-after': '1',
  });
  const bobs = await openReadySession(server, BOB);
  expect((await ping(server, bobs, BOB)).status).toBe(200);
  for (const session of sessions) expect((await ping(server, session)).status).toBe(200);
});

test('the keep-alive of the profile is on the wire', async () => {
  const server = await start();
  const session = await openReadySession(server);
  expect((await ping(server, session)).headers.get('keep-alive')).toBe('timeout=65');
});
