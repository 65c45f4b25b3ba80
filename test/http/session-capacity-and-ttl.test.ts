/** How many sessions live and for how long: fail closed, never evict, end at the very instant. */
import { describe, expect, test } from '@jest/globals';
import { expectNoContent, streamedEvents, withoutDate } from '../support/answers.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  get,
  INITIALIZE,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, BOB, record, tokensOf } from '../support/tokens.js';

const FULL = { 'retry-after': '1' };

async function fill(server: TestServer, count: number): Promise<string[]> {
  const sessions: string[] = [];
  for (let i = 0; i < count; i++) sessions.push(await openReadySession(server, i % 2 === 0 ? ALICE : BOB));
  return sessions;
}

const ping = (server: TestServer, session: string, token = ALICE) =>
  ask(server, post(server, call(1, 'ping'), { session, token }));

describe('capacity', () => {
  test('[X.capacity] the ninth session is refused, whoever asks, and the eight go on', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const sessions = await fill(server, 8);
    for (const token of [ALICE, BOB, ALICE]) {
      const answer = await ask(server, post(server, INITIALIZE, { token }));
      expectRefusal(answer, 503, 'session_capacity_exceeded', FULL);
    }
    for (const [index, session] of sessions.entries()) {
      expect((await ping(server, session, index % 2 === 0 ? ALICE : BOB)).status).toBe(200);
    }
    await expectNoLeak(server, ...sessions);
  });

  test('[X.capacity] DELETE makes room for exactly one', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const sessions = await fill(server, 8);
    expectNoContent(await ask(server, del(server, { session: sessions[2] ?? '' })));
    const fresh = await openReadySession(server);
    expect((await ping(server, fresh)).status).toBe(200);
    expectRefusal(await ask(server, post(server, INITIALIZE)), 503, 'session_capacity_exceeded', FULL);
    expectRefusal(await ping(server, sessions[2] ?? ''), 404, 'session_not_found');
    await expectNoLeak(server, ...sessions, fresh);
  });

  test('[X.capacity] a session that was never initialized takes a place, and gives it back by TTL', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '1' } });
    await server.freeze();
    const first = await openSession(server);
    expectRefusal(await ask(server, post(server, INITIALIZE)), 503, 'session_capacity_exceeded', FULL);
    await server.advance(59_999);
    expectRefusal(await ask(server, post(server, INITIALIZE)), 503, 'session_capacity_exceeded', FULL);
    await server.advance(1);
    const second = await openReadySession(server);
    expect((await ping(server, second)).status).toBe(200);
    await expectNoLeak(server, first, second);
  });

  test('[X.capacity] places come back one by one, as the sessions end', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '3' } });
    await server.freeze();
    for (let i = 0; i < 3; i++) {
      await openSession(server);
      await server.advance(10_000);
    }
    const refused = () => ask(server, post(server, INITIALIZE));
    await server.advance(29_999);
    expectRefusal(await refused(), 503, 'session_capacity_exceeded', FULL);
    for (let i = 0; i < 3; i++) {
      await server.advance(i === 0 ? 1 : 10_000);
      await openSession(server);
      expectRefusal(await refused(), 503, 'session_capacity_exceeded', FULL);
    }
    await expectNoLeak(server);
  });

  test('[X.capacity] of twenty that come at once exactly eight get in', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const text = post(server, INITIALIZE);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server, text)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(answer, 503, 'session_capacity_exceeded', FULL);
    }
    await expectNoLeak(server);
  });

  test('[X.capacity] a refused initialize takes no place: bad params, bad token, bad scope', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '1' } });
    for (let i = 0; i < 3; i++) {
      expectRefusal(await ask(server, post(server, call(1, 'initialize'))), 400, 'invalid_initialize');
      expectRefusal(await ask(server, post(server, INITIALIZE, { token: 'bad' })), 401, 'invalid_token');
    }
    const session = await openReadySession(server);
    // A malformed one is told so even when there is no room.
    expectRefusal(await ask(server, post(server, call(1, 'initialize'))), 400, 'invalid_initialize');
    await expectNoLeak(server, session);
  });
});

describe('time to live', () => {
  test('[X.ttl] a session lives until 60 s after its creation, to the millisecond, however it is used', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    await server.freeze();
    const session = await openReadySession(server);
    for (let i = 0; i < 6; i++) {
      expect((await ping(server, session)).status).toBe(200);
      await server.advance(i < 5 ? 10_000 : 9999);
    }
    expect((await ping(server, session)).status).toBe(200);
    expect(streamedEvents(await ask(server, get(server, { session })))).toHaveLength(1);
    await server.advance(1);
    const unknown = await ping(server, 'unknown');
    for (const text of [
      post(server, call(1, 'ping'), { session }),
      post(server, notification('notifications/progress'), { session }),
      get(server, { session }),
      del(server, { session }),
    ]) {
      const answer = await ask(server, text);
      expectRefusal(answer, 404, 'session_not_found');
      expect(withoutDate(answer)).toBe(withoutDate(unknown));
    }
    await expectNoLeak(server, session);
  });

  test('[X.ttl] initialized does not begin the time anew', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    await server.freeze();
    const session = await openSession(server);
    await server.advance(59_999);
    const initialized = post(server, notification('notifications/initialized'), { session });
    expect((await ask(server, initialized)).status).toBe(202);
    await server.advance(1);
    expectRefusal(await ping(server, session), 404, 'session_not_found');
    await expectNoLeak(server, session);
  });

  test('[X.ttl] an ended session stays ended when the clock goes back', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    await server.freeze();
    const session = await openReadySession(server);
    await server.advance(60_000);
    expectRefusal(await ping(server, session), 404, 'session_not_found');
    await server.advance(-30_000);
    expectRefusal(await ping(server, session), 404, 'session_not_found');
    await expectNoLeak(server, session);
  });

  test('[X.ttl] notify of a session that is over says so', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    await server.freeze();
    const session = await openReadySession(server);
    expect(await server.notify(session, 'notifications/message')).toBe('queued');
    await server.advance(60_000);
    expect(await server.notify(session, 'notifications/message')).toBe('session_not_found');
    expect(await server.notify('unknown', 'notifications/message')).toBe('session_not_found');
  });

  test('[X.ttl] [N.settings] MCP_SESSION_TTL_SECONDS', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { expires_in: 100_000 })),
      env: { MCP_SESSION_TTL_SECONDS: '7200' },
    });
    await server.freeze();
    const session = await openReadySession(server);
    await server.advance(7_199_999);
    expect((await ping(server, session)).status).toBe(200);
    await server.advance(1);
    expectRefusal(await ping(server, session), 404, 'session_not_found');
    await expectNoLeak(server, session);
  });
});
