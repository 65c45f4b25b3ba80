/** The token policy is asked anew on every request: what changes there holds for a live session at once. */
import { describe, expect, test } from '@jest/globals';
import { expectAccepted, jsonRpcOf, streamedEvents } from '../support/answers.js';
import type { TokensDocument } from '../support/harness.mjs';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  eventually,
  get,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, BOB, CANARY, record, tokensOf } from '../support/tokens.js';

const alice = record(ALICE);
const REFRESHED = 'canary-token-alice-refreshed';

const CHANGES: ReadonlyArray<[name: string, status: 401 | 403, document: TokensDocument]> = [
  ['its token is revoked', 401, { ...ALICE_AND_BOB, revoked: [alice.token_id] }],
  ['its token is deactivated', 401, tokensOf(record(ALICE, { active: false }), record(BOB))],
  ['its token is gone', 401, tokensOf(record(BOB))],
  [
    'its revision is no longer current',
    401,
    {
      ...ALICE_AND_BOB,
      revisions: [{ subject: alice.subject, tenant: alice.tenant, revision: `${CANARY}-revision-2` }],
    },
  ],
  ['its subject has no revision any more', 401, { ...ALICE_AND_BOB, revisions: [] }],
  [
    'its issuer is another one now',
    401,
    { ...ALICE_AND_BOB, tokens: [record(ALICE, { issuer: 'urn:canary:other' })] },
  ],
  ['its audience is another one now', 401, tokensOf(record(ALICE, { audience: 'https://canary.example/' }))],
  ['its tenant is off the list', 403, { ...ALICE_AND_BOB, allowed_tenants: { [alice.subject]: ['other'] } }],
  ['its subject may act for no tenant', 403, { ...ALICE_AND_BOB, allowed_tenants: {} }],
  ['its scopes are taken away', 403, tokensOf(record(ALICE, { scopes: [] }))],
];

function refuses(status: 401 | 403, name: string): 'invalid_token' | 'insufficient_scope' | 'forbidden' {
  if (status === 401) return 'invalid_token';
  return name.includes('scopes') ? 'insufficient_scope' : 'forbidden';
}

function everyRequest(server: TestServer, session: string): string[] {
  return [
    post(server, call(1, 'ping'), { session }),
    post(server, notification('notifications/progress'), { session }),
    get(server, { session }),
    del(server, { session }),
  ];
}

describe('a live session stops when', () => {
  test.each(CHANGES)(
    '[T.anew] %s (%d), and goes on when all is well again',
    async (name, status, document) => {
      const server = await startServer({ tokens: ALICE_AND_BOB });
      const session = await openReadySession(server);
      await server.setTokens(document);
      for (const text of everyRequest(server, session)) {
        expectRefusal(await ask(server, text), status, refuses(status, name));
      }
      await server.setTokens(ALICE_AND_BOB);
      // Refused, not ended: nothing was delivered or lost meanwhile.
      expect(jsonRpcOf(await ask(server, post(server, call(2, 'ping'), { session }))).id).toBe(2);
      expect(streamedEvents(await ask(server, get(server, { session })))).toEqual([
        expect.objectContaining({ data: expect.stringContaining('list_changed') }),
      ]);
      await expectNoLeak(server, session);
    },
  );

  test('[T.anew] its token expires, and goes on with a refreshed token of the same identity', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { expires_in: 30 })),
    });
    await server.freeze();
    const session = await openReadySession(server);
    await server.advance(30_000);
    for (const text of everyRequest(server, session)) {
      expectRefusal(await ask(server, text), 401, 'invalid_token');
    }
    const refreshed = record(REFRESHED, { subject: alice.subject });
    await server.setTokens(tokensOf(record(ALICE, { expires_in: 30 }), refreshed));
    const ping = (token: string) => ask(server, post(server, call(3, 'ping'), { session, token }));
    expect(jsonRpcOf(await ping(REFRESHED)).id).toBe(3);
    expectRefusal(await ping(ALICE), 401, 'invalid_token');
    await expectNoLeak(server, session);
  });
});

test('[T.anew] a request in the middle of its lifecycle is judged too: initialized with a revoked token', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const session = await openSession(server);
  const initialized = post(server, notification('notifications/initialized'), { session });
  await server.setTokens({ ...ALICE_AND_BOB, revoked: [alice.token_id] });
  expectRefusal(await ask(server, initialized), 401, 'invalid_token');
  await server.setTokens(ALICE_AND_BOB);
  expectAccepted(await ask(server, initialized));
  await expectNoLeak(server, session);
});

test('[T.anew] what one identity loses does not touch another', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const bobs = await openReadySession(server, BOB);
  await server.setTokens({
    ...ALICE_AND_BOB,
    revoked: [alice.token_id],
    allowed_tenants: { [record(BOB).subject]: [alice.tenant] },
  });
  const answer = await ask(server, post(server, call(1, 'ping'), { session: bobs, token: BOB }));
  expect(jsonRpcOf(answer).id).toBe(1);
});

test('[X.owner] two tokens of one identity share its session at the same time', async () => {
  const twin = record(REFRESHED, {
    subject: alice.subject,
    scopes: ['mcp:use', 'mcp:stream', 'mcp:session'],
  });
  const server = await startServer({ tokens: tokensOf(alice, twin) });
  const session = await openReadySession(server);
  for (const token of [ALICE, REFRESHED, ALICE]) {
    const answer = await ask(server, post(server, call(1, 'ping'), { session, token }));
    expect(jsonRpcOf(answer).id).toBe(1);
  }
  // The session lends no scope: each token is judged by its own.
  const list = post(server, call(2, 'resources/list'), { session, token: REFRESHED });
  expectRefusal(await ask(server, list), 403, 'insufficient_scope');
  expect(streamedEvents(await ask(server, get(server, { session, token: REFRESHED })))).toHaveLength(1);
  expect((await ask(server, del(server, { session, token: REFRESHED }))).status).toBe(204);
  expectRefusal(await ask(server, post(server, call(3, 'ping'), { session })), 404, 'session_not_found');
  await expectNoLeak(server, session);
});

test('[X.owner] a new revision is a new owner: its token does not find the session of the old one', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const session = await openReadySession(server);
  const next = record(REFRESHED, { subject: alice.subject, authorization_revision: `${CANARY}-revision-2` });
  await server.setTokens({
    ...tokensOf(alice, next),
    revisions: [{ subject: alice.subject, tenant: alice.tenant, revision: `${CANARY}-revision-2` }],
  });
  const ping = (token: string) => ask(server, post(server, call(1, 'ping'), { session, token }));
  expectRefusal(await ping(ALICE), 401, 'invalid_token');
  expectRefusal(await ping(REFRESHED), 404, 'session_not_found');
  await server.setTokens(ALICE_AND_BOB);
  expect(jsonRpcOf(await ping(ALICE)).id).toBe(1);
  await expectNoLeak(server, session);
});

test('[T.anew] what was let in before runs to its end; the next request sees the new policy', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB });
  const session = await openReadySession(server);
  const held = ask(server, post(server, call(1, 'test/hold'), { session }));
  await eventually(async () => (await server.held()) === 1, 'the method runs');
  await server.setTokens({ ...ALICE_AND_BOB, revoked: [alice.token_id] });
  expectRefusal(await ask(server, post(server, call(2, 'ping'), { session })), 401, 'invalid_token');
  await server.release();
  expect(jsonRpcOf(await held)).toMatchObject({ id: 1, result: { held: true } });
  await expectNoLeak(server, session);
});
