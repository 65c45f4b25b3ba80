/** DELETE ends a session for ever, for every kind of request, and only that one. */
import { expect, test } from '@jest/globals';
import { expectNoContent, withoutDate } from '../support/answers.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  get,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { startServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

test('[S.delete] 204 without a body, then 404 for POST, GET and DELETE', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const session = await openReadySession(server);
  expectNoContent(await ask(server, del(server, { session })));
  const headers = { 'Last-Event-ID': 'anything' };
  for (const text of [
    post(server, call(1, 'ping'), { session }),
    post(server, call(1, 'nowhere'), { session }),
    post(server, notification('notifications/initialized'), { session }),
    post(server, notification('notifications/nothing'), { session }),
    post(server, { jsonrpc: '2.0', id: 1, result: {} }, { session }),
    get(server, { session }),
    get(server, { session, headers }),
    del(server, { session }),
    del(server, { session }),
  ]) {
    expectRefusal(await ask(server, text), 404, 'session_not_found');
  }
  expect(await server.notify(session, 'notifications/message')).toBe('session_not_found');
  await expectNoLeak(server, session);
});

test('[S.delete] the id stays ended while others open, and when its time would be over', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  await server.freeze();
  const session = await openReadySession(server);
  expectNoContent(await ask(server, del(server, { session })));
  const ping = post(server, call(1, 'ping'), { session });
  const at: string[] = [];
  for (let i = 0; i < 8; i++) {
    at.push(withoutDate(await ask(server, ping)));
    await openSession(server);
    await server.advance(10_000);
  }
  expect(new Set(at).size).toBe(1);
  expectRefusal(await ask(server, ping), 404, 'session_not_found');
  await expectNoLeak(server, session);
});

test('[S.delete] many at once: one ends it, the others find nothing; its neighbour goes on', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const [session, neighbour] = [await openReadySession(server), await openReadySession(server)];
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(server, del(server, { session }))));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 204)) {
    expectRefusal(answer, 404, 'session_not_found');
  }
  const ping = await ask(server, post(server, call(1, 'ping'), { session: neighbour }));
  expect(ping.status).toBe(200);
  await expectNoLeak(server, session, neighbour);
});

test('[S.delete] Accept is not looked at', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  for (const accept of [undefined, 'text/html', '*/*']) {
    const session = await openReadySession(server);
    expectNoContent(await ask(server, del(server, { session, headers: { Accept: accept } })));
  }
});
