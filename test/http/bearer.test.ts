/** Gate 8, first half: who bears what, and that nobody outside learns what is wrong with a token. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { withoutDate } from '../support/answers.js';
import type { TokenRecordDocument, TokensDocument } from '../support/harness.mjs';
import type { RawAnswer } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal, loggedRequests } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  eventually,
  get,
  INITIALIZE,
  openReadySession,
  post,
  type RequestOverrides,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, CANARY, record, tokensOf } from '../support/tokens.js';

const ELSEWHERE = `https://${CANARY}-elsewhere.example/mcp`;

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});

const KINDS: ReadonlyArray<[kind: string, build: (overrides: RequestOverrides) => string]> = [
  ['POST initialize', (overrides) => post(server, INITIALIZE, overrides)],
  ['POST ping', (overrides) => post(server, call(1, 'ping'), { session, ...overrides })],
  ['GET', (overrides) => get(server, { session, ...overrides })],
  ['DELETE', (overrides) => del(server, { session, ...overrides })],
];

describe('no bearer token', () => {
  const headers: ReadonlyArray<[name: string, authorization: string | undefined]> = [
    ['no header', undefined],
    ['an empty header', ''],
    ['Basic', 'Basic Y2FuYXJ5OmNhbmFyeQ=='],
    ['the token under another scheme', `Token ${ALICE}`],
    ['the token without a scheme', ALICE],
    ['a scheme that begins with Bearer', `Bearers ${ALICE}`],
    ['a scheme and then Bearer', `Basic Bearer ${ALICE}`],
    ['a quoted scheme', `"Bearer" ${ALICE}`],
  ];
  test.each(headers)('[G8.none] %s is 401 authorization_required', async (_name, authorization) => {
    for (const [, build] of KINDS) {
      const answer = await ask(server, build({ token: null, headers: { Authorization: authorization } }));
      expectRefusal(answer, 401, 'authorization_required');
    }
    await expectNoLeak(server, session);
  });

  test('[G8.none] a token in the body is no token', async () => {
    const body = call(1, 'ping', { access_token: ALICE, _meta: { authorization: `Bearer ${ALICE}` } });
    expectRefusal(
      await ask(server, post(server, body, { token: null, session })),
      401,
      'authorization_required',
    );
    await expectNoLeak(server, session);
  });

  test('[G8.none] a session header is no credential', async () => {
    const answer = await ask(server, post(server, call(1, 'ping'), { token: null, session }));
    expectRefusal(answer, 401, 'authorization_required');
    await expectNoLeak(server, session);
  });
});

test.each([
  ['bearer', `bearer ${ALICE}`],
  ['BEARER', `BEARER ${ALICE}`],
  ['two spaces', `Bearer  ${ALICE}`],
])('[G8.none] the scheme is read by its grammar: %s', async (_name, authorization) => {
  const text = post(server, call(1, 'ping'), {
    token: null,
    session,
    headers: { Authorization: authorization },
  });
  expect((await ask(server, text)).status).toBe(200);
});

describe('a token that does not hold', () => {
  const malformed: ReadonlyArray<[name: string, authorization: string]> = [
    ['nothing', 'Bearer'],
    ['two tokens', `Bearer ${ALICE} ${ALICE}`],
    ['a list of tokens', `Bearer ${ALICE},${ALICE}`],
    ['a second challenge', `Bearer ${ALICE}, Basic Y2FuYXJ5`],
    ['a quoted token', `Bearer "${ALICE}"`],
    ['a parameter', `Bearer token="${ALICE}"`],
    ['= amid the token', `Bearer canary=token`],
    ['= alone', 'Bearer ='],
    ['a tab before the token', `Bearer\t${ALICE}`],
    ['a character that no token has', `Bearer ${ALICE}@`],
  ];
  test.each(malformed)('[G8.invalid] malformed: %s', async (_name, authorization) => {
    for (const [, build] of KINDS) {
      const answer = await ask(server, build({ token: null, headers: { Authorization: authorization } }));
      expectRefusal(answer, 401, 'invalid_token');
    }
    await expectNoLeak(server, session);
  });

  test.each([
    ['another case', ALICE.toUpperCase()],
    ['a prefix', ALICE.slice(0, -1)],
    ['more behind it', `${ALICE}=`],
    ['the id of the token', `${CANARY}-id-of-${ALICE}`],
    ['the session id', ''],
    ['a member of every object', '__proto__'],
    ['a method of every object', 'constructor'],
    ['a token of 2 KiB', CANARY.repeat(400).slice(0, 2041)],
  ])('[G8.invalid] unknown: %s', async (_name, token) => {
    expectRefusal(
      await ask(server, post(server, call(1, 'ping'), { token: token || session, session })),
      401,
      'invalid_token',
    );
    await expectNoLeak(server, session);
  });
});

/** Records that are wrong in one way each, in the order in which the contract judges. */
const WRONG: ReadonlyArray<
  [
    reason: string,
    changes: Partial<TokenRecordDocument>,
    document?: (token: string) => Partial<TokensDocument>,
  ]
> = [
  ['inactive', { active: false }],
  ['expired', { expires_in: undefined, expires_at: '2001-01-01T00:00:00Z' } as object],
  ['revoked', {}, (token) => ({ revoked: [`${CANARY}-id-of-${token}`] })],
  ['wrong_issuer', { issuer: `https://${CANARY}-other-issuer.example` }],
  ['wrong_audience', { audience: ELSEWHERE }],
  ['wrong_resource', { resource: ELSEWHERE }],
  ['wrong_authorization_resource', { authorization_resource: ELSEWHERE }],
  ['wrong_token_resource', { token_resource: ELSEWHERE }],
  [
    'stale_revision',
    {},
    (token) => ({
      revisions: [
        {
          subject: `${CANARY}-subject-of-${token}`,
          tenant: `${CANARY}-tenant`,
          revision: `${CANARY}-revision-2`,
        },
      ],
    }),
  ],
  ['tenant_not_allowed', {}, () => ({ allowed_tenants: {} })],
];

/** Alice's record, wrong in all of these ways at once. */
function wrongIn(reasons: readonly string[]): TokensDocument {
  const chosen = WRONG.filter(([reason]) => reasons.includes(reason));
  const changes = Object.assign({}, ...chosen.map(([, change]) => change)) as Partial<TokenRecordDocument>;
  const parts = chosen.map(([, , document]) => document?.(ALICE));
  return Object.assign(tokensOf(record(ALICE, changes)), ...parts) as TokensDocument;
}

describe('what is wrong stays inside', () => {
  let strict: TestServer;
  let opened: string;
  beforeAll(async () => {
    strict = await startServer({ tokens: ALICE_AND_BOB });
    opened = await openReadySession(strict);
  });

  /** Sends the request and waits for its own line in the log. */
  async function judge(text: string): Promise<{ answer: RawAnswer; reason: string | undefined }> {
    const before = (await loggedRequests(strict)).length;
    const answer = await ask(strict, text);
    await eventually(async () => (await loggedRequests(strict)).length > before, 'a line in the log');
    return { answer, reason: (await loggedRequests(strict)).at(-1)?.reason };
  }

  test('[G8.invalid] every reason answers alike, byte for byte; only the log tells them apart', async () => {
    const reasons = WRONG.map(([reason]) => reason).filter((reason) => reason !== 'tenant_not_allowed');
    const requests: ReadonlyArray<(overrides: RequestOverrides) => string> = [
      (overrides) => post(strict, INITIALIZE, overrides),
      (overrides) => post(strict, call(1, 'resources/list'), { session: opened, ...overrides }),
      (overrides) => get(strict, { session: opened, ...overrides }),
      (overrides) => del(strict, { session: opened, ...overrides }),
    ];
    for (const build of requests) {
      const answers = new Map<string, string>();
      for (const reason of reasons) {
        await strict.setTokens(wrongIn([reason]));
        const { answer, reason: logged } = await judge(build({}));
        expectRefusal(answer, 401, 'invalid_token');
        answers.set(reason, withoutDate(answer));
        expect(logged).toBe(reason);
      }
      const unknown = await ask(strict, build({ token: `${CANARY}-nobody` }));
      answers.set('unknown', withoutDate(unknown));
      const malformed = await ask(strict, build({ headers: { Authorization: 'Bearer not a token' } }));
      answers.set('malformed', withoutDate(malformed));
      expect(new Set(answers.values()).size).toBe(1);
    }
    await expectNoLeak(strict, opened);
  });

  test.each(
    WRONG.slice(0, -1).map(([reason], index) => [reason, WRONG.slice(index + 1).map(([later]) => later)]),
  )('[T.order] %s is told before all that comes after it', async (reason, later) => {
    for (const other of later) {
      await strict.setTokens(wrongIn([String(reason), other]));
      const { answer, reason: logged } = await judge(post(strict, INITIALIZE));
      expectRefusal(answer, 401, 'invalid_token');
      expect(logged).toBe(reason);
    }
    await expectNoLeak(strict, opened);
  });

  test('[T.order] the tenant is judged last, and then the token itself holds', async () => {
    await strict.setTokens(wrongIn(['tenant_not_allowed']));
    expectRefusal(await ask(strict, post(strict, INITIALIZE)), 403, 'forbidden');
    await strict.setTokens(wrongIn([]));
    expect((await ask(strict, post(strict, INITIALIZE))).status).toBe(200);
  });
});

test('[T.order] all four bindings are compared with the canonical resource URI, byte for byte', async () => {
  const bound = await startServer({ tokens: ALICE_AND_BOB });
  const bindings = ['audience', 'resource', 'authorization_resource', 'token_resource'] as const;
  const allOf = (resource: string): Partial<TokenRecordDocument> =>
    Object.fromEntries(bindings.map((binding) => [binding, resource]));

  await bound.setTokens(tokensOf(record(ALICE, allOf(bound.resource))));
  expect((await ask(bound, post(bound, INITIALIZE))).status).toBe(200);
  const others = [
    `${bound.resource}/`,
    bound.resource.toUpperCase(),
    bound.resource.replace('127.0.0.1', 'localhost'),
    bound.origin,
    `${bound.resource}#`,
  ];
  for (const binding of bindings) {
    for (const other of others) {
      await bound.setTokens(tokensOf(record(ALICE, { ...allOf(bound.resource), [binding]: other })));
      expectRefusal(await ask(bound, post(bound, INITIALIZE)), 401, 'invalid_token');
    }
  }
  await expectNoLeak(bound);
});

test('[T.order] a token ends at its very instant', async () => {
  const timed = await startServer({ tokens: tokensOf(record(ALICE, { expires_in: 100 })) });
  await timed.freeze();
  await timed.setTokens(tokensOf(record(ALICE, { token_id: `${CANARY}-id-2`, expires_in: 100 })));
  await timed.advance(99_999);
  expect((await ask(timed, post(timed, INITIALIZE))).status).toBe(200);
  await timed.advance(1);
  expectRefusal(await ask(timed, post(timed, INITIALIZE)), 401, 'invalid_token');
  await expectNoLeak(timed);
});

test('[G8.invalid] the token is judged before protocol version, session and lifecycle', async () => {
  const overrides: RequestOverrides = {
    token: `${CANARY}-nobody`,
    session: `${CANARY}-no-session`,
    headers: { 'MCP-Protocol-Version': '1999-01-01' },
  };
  for (const text of [
    post(server, call(1, 'nowhere'), overrides),
    get(server, overrides),
    del(server, overrides),
  ]) {
    expectRefusal(await ask(server, text), 401, 'invalid_token');
  }
  await expectNoLeak(server, session);
});
