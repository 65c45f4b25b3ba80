/** A session id is no credential: with any other identity it opens nothing, and its owner notices nothing. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  expectAccepted,
  expectNoContent,
  jsonRpcOf,
  streamedEvents,
  withoutDate,
} from '../support/answers.js';
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
  type RequestOverrides,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, CANARY, record, tokensOf } from '../support/tokens.js';

const owner = record(ALICE);
/** Who comes with Alice's session, and what of Alice's identity they lack. */
const THIEVES = [
  ['another subject of the same tenant', record('canary-token-subject', { subject: `${CANARY}-mallory` })],
  [
    'another tenant of the same subject',
    record('canary-token-tenant', { subject: owner.subject, tenant: `${CANARY}-tenant-2` }),
  ],
  [
    'another revision of the same subject and tenant',
    record('canary-token-revision', {
      subject: owner.subject,
      authorization_revision: `${CANARY}-revision-2`,
    }),
  ],
  [
    'subject and tenant swapped',
    record('canary-token-swapped', { subject: owner.tenant, tenant: owner.subject }),
  ],
  [
    'the same letters, divided otherwise',
    record('canary-token-divided', {
      subject: `${owner.subject}${owner.tenant.slice(0, 1)}`,
      tenant: owner.tenant.slice(1),
    }),
  ],
] as const;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    tokens: tokensOf(owner, ...THIEVES.map(([, thief]) => thief)),
    env: { MCP_MAX_SESSIONS: '100' },
  });
});

const ATTEMPTS: ReadonlyArray<[kind: string, build: (overrides: RequestOverrides) => string]> = [
  ['POST ping', (overrides) => post(server, call(1, 'ping'), overrides)],
  ['POST resources/list', (overrides) => post(server, call(1, 'resources/list'), overrides)],
  ['POST initialized', (overrides) => post(server, notification('notifications/initialized'), overrides)],
  [
    'POST cancelled',
    (overrides) => post(server, notification('notifications/cancelled', { requestId: 7 }), overrides),
  ],
  ['GET', (overrides) => get(server, overrides)],
  ['DELETE', (overrides) => del(server, overrides)],
];

describe.each(THIEVES)('%s', (_who, { token = '' }) => {
  test.each(ATTEMPTS)('[X.owner] [G9.session] %s is 404 as for an unknown session', async (_kind, build) => {
    const session = await openReadySession(server);
    const held = ask(server, post(server, call(7, 'test/hold'), { session }));
    const stolen = await ask(server, build({ token, session }));
    const unknown = await ask(server, build({ token, session: 'unknown' }));
    expectRefusal(stolen, 404, 'session_not_found');
    expect(withoutDate(stolen)).toBe(withoutDate(unknown));

    // Nothing was delivered, cancelled or ended.
    expect(jsonRpcOf(await ask(server, post(server, call(8, 'ping'), { session }))).id).toBe(8);
    expect(streamedEvents(await ask(server, get(server, { session })))).toEqual([
      expect.objectContaining({ data: expect.stringContaining('list_changed') }),
    ]);
    expect(await server.release()).toBe(1);
    expect(jsonRpcOf(await held)).toEqual({ jsonrpc: '2.0', id: 7, result: { held: true } });
    expectNoContent(await ask(server, del(server, { session })));
    await expectNoLeak(server, session);
  });

  test('[X.owner] a session that was never initialized is safe too', async () => {
    const session = await openSession(server);
    for (const [, build] of ATTEMPTS) {
      expectRefusal(await ask(server, build({ token, session })), 404, 'session_not_found');
    }
    const initialized = post(server, notification('notifications/initialized'), { session });
    expectAccepted(await ask(server, initialized));
    expectNoContent(await ask(server, del(server, { session })));
    await expectNoLeak(server, session);
  });
});
