/** Gate 9: protocol revision, session header, session and lifecycle, in this order; and what a session id is. */
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
  INITIALIZE,
  notification,
  openReadySession,
  openSession,
  post,
  PROTOCOL_VERSION,
  type RequestOverrides,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

const INITIALIZED = notification('notifications/initialized');

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '1000' } });
  session = await openReadySession(server);
});

/** Every kind of request that needs a session. */
const KINDS: ReadonlyArray<[kind: string, build: (overrides: RequestOverrides) => string]> = [
  ['a request', (overrides) => post(server, call(1, 'ping'), overrides)],
  ['a notification', (overrides) => post(server, INITIALIZED, overrides)],
  ['a response', (overrides) => post(server, { jsonrpc: '2.0', id: 1, result: {} }, overrides)],
  ['GET', (overrides) => get(server, overrides)],
  ['DELETE', (overrides) => del(server, overrides)],
];

describe('protocol revision', () => {
  test.each(KINDS)('[G9.version-missing] %s', async (_kind, build) => {
    const answer = await ask(server, build({ session, headers: { 'MCP-Protocol-Version': undefined } }));
    expectRefusal(answer, 400, 'missing_protocol_version');
    await expectNoLeak(server, session);
  });

  const OTHERS = [
    ['an older revision', '2025-06-18'],
    ['the oldest one', '2024-11-05'],
    ['the next one', '2026-07-28'],
    ['a draft', 'DRAFT-2026-v1'],
    ['empty', ''],
    ['in quotes', `"${PROTOCOL_VERSION}"`],
    ['a canary', CANARY],
  ] as const;
  test.each(OTHERS)('[G9.version] %s', async (_name, version) => {
    for (const [, build] of KINDS) {
      const answer = await ask(server, build({ session, headers: { 'MCP-Protocol-Version': version } }));
      expectRefusal(answer, 400, 'unsupported_protocol_version');
    }
    await expectNoLeak(server, session);
  });

  test('[G9.version] the version is judged before the session header', async () => {
    const headers = { 'MCP-Protocol-Version': '2024-11-05', 'MCP-Session-Id': undefined };
    expectRefusal(
      await ask(server, post(server, call(1, 'ping'), { session, headers })),
      400,
      'unsupported_protocol_version',
    );
    await expectNoLeak(server, session);
  });
});

describe('session header', () => {
  const WRONG: ReadonlyArray<[name: string, value: string | undefined]> = [
    ['missing', undefined],
    ['empty', ''],
    ['of 257 characters', 'a'.repeat(257)],
    ['with a space inside', 'a b'],
    ['with a tab inside', 'a\tb'],
  ];
  test.each(WRONG)('[G9.session-header] %s', async (_name, value) => {
    for (const [, build] of KINDS) {
      const answer = await ask(server, build({ session, headers: { 'MCP-Session-Id': value } }));
      expectRefusal(answer, 400, 'missing_or_invalid_session');
    }
    await expectNoLeak(server, session);
  });

  test.each([
    ['one character', '!'],
    ['256 characters', '~'.repeat(256)],
    [
      'every visible character',
      Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join(''),
    ],
    ['a member of every object', '__proto__'],
  ])('[G9.session] unknown, though well formed: %s', async (_name, value) => {
    for (const [, build] of KINDS) {
      expectRefusal(await ask(server, build({ session: value })), 404, 'session_not_found');
    }
    await expectNoLeak(server, session);
  });

  test('[G9.session] an id is compared whole and exactly', async () => {
    const swapped = session.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const near of [session.slice(0, -1), `${session}A`, swapped]) {
      expectRefusal(
        await ask(server, post(server, call(1, 'ping'), { session: near })),
        404,
        'session_not_found',
      );
    }
    await expectNoLeak(server, session);
  });
});

describe('lifecycle', () => {
  test('[G9.lifecycle] before initialized: requests and GET are refused, ping too; the session bears it', async () => {
    const opened = await openSession(server);
    const early = [
      post(server, call(1, 'ping'), { session: opened }),
      post(server, call(2, 'resources/list'), { session: opened }),
      post(server, call(3, 'nowhere'), { session: opened }),
      post(server, call(4, 'notifications/initialized'), { session: opened }),
      get(server, { session: opened }),
      get(server, { session: opened, headers: { 'Last-Event-ID': 'nothing' } }),
    ];
    for (const text of early) expectRefusal(await ask(server, text), 400, 'invalid_lifecycle');
    expectAccepted(await ask(server, post(server, INITIALIZED, { session: opened })));
    expect(jsonRpcOf(await ask(server, post(server, call(5, 'ping'), { session: opened }))).id).toBe(5);
    expect(streamedEvents(await ask(server, get(server, { session: opened })))).toHaveLength(1);
    await expectNoLeak(server, opened);
  });

  test('[G9.lifecycle] before initialized other notifications are accepted, or refused for what they are', async () => {
    const opened = await openSession(server);
    const send = (message: object) => ask(server, post(server, message, { session: opened }));
    expectAccepted(await send(notification('notifications/cancelled', { requestId: 1 })));
    expectRefusal(await send(notification('notifications/nothing')), 400, 'unsupported_notification');
    expectRefusal(await send({ jsonrpc: '2.0', id: 1, result: {} }), 400, 'unexpected_response');
    expectRefusal(await send(call(1, 'ping')), 400, 'invalid_lifecycle');
    await expectNoLeak(server, opened);
  });

  test('[G9.lifecycle] initialized twice: the second one is refused and changes nothing', async () => {
    const opened = await openReadySession(server);
    for (let i = 0; i < 2; i++) {
      const again = await ask(server, post(server, INITIALIZED, { session: opened }));
      expectRefusal(again, 400, 'invalid_lifecycle');
    }
    expect((await ask(server, post(server, call(1, 'ping'), { session: opened }))).status).toBe(200);
    expect(streamedEvents(await ask(server, get(server, { session: opened })))).toHaveLength(1);
    await expectNoLeak(server, opened);
  });

  test('[G9.lifecycle] initialized many times at once: exactly one is accepted, one event is queued', async () => {
    const opened = await openSession(server);
    const text = post(server, INITIALIZED, { session: opened });
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(server, text)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expectRefusal(answer, 400, 'invalid_lifecycle');
    }
    expect(streamedEvents(await ask(server, get(server, { session: opened })))).toHaveLength(1);
    await expectNoLeak(server, opened);
  });

  test('[G9.lifecycle] DELETE is allowed at once', async () => {
    const opened = await openSession(server);
    expectNoContent(await ask(server, del(server, { session: opened })));
    const late = await ask(server, post(server, INITIALIZED, { session: opened }));
    expectRefusal(late, 404, 'session_not_found');
    await expectNoLeak(server, opened);
  });
});

test('[G9.session] unknown, foreign and terminated sessions answer alike, byte for byte', async () => {
  const ended = await openReadySession(server);
  expectNoContent(await ask(server, del(server, { session: ended })));
  const foreign = await openReadySession(server, 'canary-token-bob');
  for (const [kind, build] of KINDS) {
    const answers = await Promise.all(
      ['unknown', ended, foreign].map((other) => ask(server, build({ session: other }))),
    );
    for (const answer of answers) expectRefusal(answer, 404, 'session_not_found');
    expect([kind, new Set(answers.map(withoutDate)).size]).toEqual([kind, 1]);
  }
  await expectNoLeak(server, ended, foreign);
});

test('[X.id] an id has 256 bits in visible ASCII, and no two of 500 share more than chance gives', async () => {
  const ids = await Promise.all(Array.from({ length: 500 }, () => openSession(server)));
  for (const id of ids) {
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  }
  expect(new Set(ids).size).toBe(500);
  const bytes = Buffer.concat(ids.map((id) => Buffer.from(id, 'base64url')));
  // 16,000 random bytes: every value is there, and each bit is set about half of the time.
  expect(new Set(bytes).size).toBe(256);
  for (let bit = 0; bit < 256; bit++) {
    const set = ids.filter((id) => ((Buffer.from(id, 'base64url')[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
    expect(set).toBeGreaterThan(150);
    expect(set).toBeLessThan(350);
  }
});

test('[X.id] initialize gives every caller another session, also the same caller on the same connection', async () => {
  const first = await ask(server, post(server, INITIALIZE));
  const second = await ask(server, post(server, INITIALIZE));
  expect(first.body).toBe(second.body);
  expect(first.headers.get('mcp-session-id')).not.toBe(second.headers.get('mcp-session-id'));
});
