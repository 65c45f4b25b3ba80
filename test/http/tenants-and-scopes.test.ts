/** Gates 8 and 10: which tenant, which scope of the HTTP handler, which scope and data of the JSON-RPC method. */
import { describe, expect, test } from '@jest/globals';
import { jsonRpcOf, jsonRpcOfEvent } from '../support/answers.js';
import { expectNoLeak, expectRefusal, loggedRequests } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  get,
  INITIALIZE,
  notification,
  openReadySession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, ALL_SCOPES, BOB, CANARY, record, tokensOf } from '../support/tokens.js';

const subjectOf = (token: string): string => `${CANARY}-subject-of-${token}`;
const TENANT = `${CANARY}-tenant`;

const without = (scope: string): string[] => ALL_SCOPES.filter((other) => other !== scope);

/** Every operation, and the base scope that it needs. */
const OPERATIONS: ReadonlyArray<
  [operation: string, scope: string, build: (server: TestServer, session: string) => string]
> = [
  ['initialize', 'mcp:connect', (server) => post(server, INITIALIZE)],
  ['ping', 'mcp:use', (server, session) => post(server, call(1, 'ping'), { session })],
  ['resources/list', 'mcp:use', (server, session) => post(server, call(1, 'resources/list'), { session })],
  ['an unknown method', 'mcp:use', (server, session) => post(server, call(1, 'nowhere'), { session })],
  [
    'a notification',
    'mcp:use',
    (server, session) => post(server, notification('notifications/progress'), { session }),
  ],
  [
    'initialize as a notification',
    'mcp:use',
    (server, session) => post(server, notification('initialize'), { session }),
  ],
  [
    'a response',
    'mcp:use',
    (server, session) => post(server, { jsonrpc: '2.0', id: 1, result: {} }, { session }),
  ],
  ['GET', 'mcp:stream', (server, session) => get(server, { session })],
  ['DELETE', 'mcp:session', (server, session) => del(server, { session })],
];

describe('base scope', () => {
  test.each(OPERATIONS)('[G8.scope] %s needs %s', async (_operation, scope, build) => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const session = await openReadySession(server);
    await server.setTokens(tokensOf(record(ALICE, { scopes: without(scope) })));
    expectRefusal(await ask(server, build(server, session)), 403, 'insufficient_scope');
    await server.setTokens(tokensOf(record(ALICE, { scopes: [] })));
    expectRefusal(await ask(server, build(server, session)), 403, 'insufficient_scope');

    await server.setTokens(tokensOf(record(ALICE, { scopes: [scope, 'resources:read'] })));
    const answer = await ask(server, build(server, session));
    expect([200, 202, 204, 400]).toContain(answer.status);
    expect(answer.text).not.toContain('scope');
    await expectNoLeak(server, session);
  });

  test('[G8.scope] a scope is compared whole and exactly', async () => {
    const near = [
      'mcp',
      'mcp:',
      'mcp:*',
      'MCP:CONNECT',
      'mcp:connect2',
      'xmcp:connect',
      'mcp:connect,mcp:use',
    ];
    const server = await startServer({ tokens: tokensOf(record(ALICE, { scopes: near })) });
    expectRefusal(await ask(server, post(server, INITIALIZE)), 403, 'insufficient_scope');
    await expectNoLeak(server);
  });

  test('[G8.scope] the base scope is judged before version, session and lifecycle', async () => {
    const server = await startServer({ tokens: tokensOf(record(ALICE, { scopes: ['mcp:connect'] })) });
    const overrides = { session: `${CANARY}-no-session`, headers: { 'MCP-Protocol-Version': '1999-01-01' } };
    for (const build of [() => post(server, call(1, 'ping'), overrides), () => get(server, overrides)]) {
      expectRefusal(await ask(server, build()), 403, 'insufficient_scope');
    }
    await expectNoLeak(server);
  });
});

describe('tenant', () => {
  test.each([
    ['a list of other tenants', { [subjectOf(ALICE)]: ['other', `${TENANT}/`, TENANT.toUpperCase()] }],
    ['an empty list', { [subjectOf(ALICE)]: [] }],
    ['a list of another subject', { [subjectOf(BOB)]: [TENANT] }],
    ['no list at all', {}],
  ])('[G8.tenant] %s is 403 forbidden for every operation', async (_name, allowed) => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const session = await openReadySession(server);
    await server.setTokens({ ...ALICE_AND_BOB, allowed_tenants: allowed });
    for (const [, , build] of OPERATIONS) {
      expectRefusal(await ask(server, build(server, session)), 403, 'forbidden');
    }
    await expectNoLeak(server, session);
  });

  test('[G8.tenant] the tenant is judged before the scope', async () => {
    const document = { ...tokensOf(record(ALICE, { scopes: [] })), allowed_tenants: {} };
    const server = await startServer({ tokens: document });
    expectRefusal(await ask(server, post(server, INITIALIZE)), 403, 'forbidden');
    await expectNoLeak(server);
  });

  test('[G8.tenant] one subject may act for one tenant and not for another', async () => {
    const server = await startServer({
      tokens: {
        ...tokensOf(record(ALICE), record(BOB, { subject: subjectOf(ALICE), tenant: 'other' })),
        allowed_tenants: { [subjectOf(ALICE)]: [TENANT] },
      },
    });
    expect((await ask(server, post(server, INITIALIZE))).status).toBe(200);
    expectRefusal(await ask(server, post(server, INITIALIZE, { token: BOB })), 403, 'forbidden');
    await expectNoLeak(server);
  });
});

describe('the JSON-RPC method', () => {
  test('[G10.scope] resources/list needs resources:read beside mcp:use; ping goes on without it', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { scopes: without('resources:read') })),
    });
    const session = await openReadySession(server);
    expectRefusal(
      await ask(server, post(server, call(1, 'resources/list'), { session })),
      403,
      'insufficient_scope',
    );
    expect(jsonRpcOf(await ask(server, post(server, call(2, 'ping'), { session })))).toMatchObject({ id: 2 });
    await expectNoLeak(server, session);
  });

  test('[G10.scope] the method scope is judged after the session and its lifecycle', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { scopes: without('resources:read') })),
    });
    const list = call(1, 'resources/list');
    expectRefusal(await ask(server, post(server, list, { session: 'unknown' })), 404, 'session_not_found');
    const opened = await ask(server, post(server, INITIALIZE));
    const session = opened.headers.get('mcp-session-id') ?? '';
    expectRefusal(await ask(server, post(server, list, { session })), 400, 'invalid_lifecycle');
    await expectNoLeak(server, session);
  });

  test('[G10.scope] the method scope is judged before params', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { scopes: without('resources:read') })),
    });
    const session = await openReadySession(server);
    const text = post(server, call(1, 'resources/list', { wrong: true }), { session });
    expectRefusal(await ask(server, text), 403, 'insufficient_scope');
    await expectNoLeak(server, session);
  });

  test('[G10.tenant] a tenant without data is 403 forbidden, after its scope, and only where data is asked for', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE), record(BOB, { scopes: without('resources:read') })),
      tenantsWithoutData: [TENANT],
    });
    const session = await openReadySession(server);
    const list = call(1, 'resources/list');
    expectRefusal(await ask(server, post(server, list, { session })), 403, 'forbidden');
    expect((await ask(server, post(server, call(2, 'ping'), { session }))).status).toBe(200);

    const bobs = await openReadySession(server, BOB);
    const asBob = post(server, list, { session: bobs, token: BOB });
    expectRefusal(await ask(server, asBob), 403, 'insufficient_scope');
    await expectNoLeak(server, session, bobs);
  });
});

const long = (kind: string): string => `${CANARY}-${kind}-`.padEnd(2048, '-');

describe('identities in any UTF-8', () => {
  const TENANTS: ReadonlyArray<[name: string, tenant: string, segment: string]> = [
    ['Chinese, slash, ? and #', '租户/甲?#', '%E7%A7%9F%E6%88%B7%2F%E7%94%B2%3F%23'],
    ['quotes and backslash', `a"b\\c'd`, 'a%22b%5Cc%27d'],
    ['line ends and NUL', 'a\r\nSet-Cookie: x\n\0', 'a%0D%0ASet-Cookie%3A%20x%0A%00'],
    ['reserved characters', `!*()'@:&=+$,;[]`, '%21%2A%28%29%27%40%3A%26%3D%2B%24%2C%3B%5B%5D'],
    ['already encoded', '%2F', '%252F'],
    ['dots', '..', '%2E%2E'],
    ['beyond the BMP', '🦊', '%F0%9F%A6%8A'],
    ['spaces around', ' a ', '%20a%20'],
    ['2,048 bytes', '租'.repeat(682) + 'ab', '%E7%A7%9F'.repeat(682) + 'ab'],
  ];
  test.each(TENANTS)('[T.unicode] [M.uri] tenant: %s', async (_name, tenant, segment) => {
    const server = await startServer({
      tokens: {
        ...tokensOf(record(ALICE, { tenant })),
        allowed_tenants: { [subjectOf(ALICE)]: [tenant] },
        revisions: [{ subject: subjectOf(ALICE), tenant, revision: `${CANARY}-revision-1` }],
      },
    });
    const session = await openReadySession(server);
    const answer = await ask(server, post(server, call('1', 'resources/list'), { session }));
    expect(jsonRpcOfEvent(answer)).toEqual({
      jsonrpc: '2.0',
      id: '1',
      result: {
        resources: [{ uri: `kb://tenant/${segment}/handbook`, name: 'handbook', mimeType: 'text/markdown' }],
      },
    });
    expect(JSON.stringify(await loggedRequests(server))).not.toContain(JSON.stringify(tenant).slice(1, -1));
    await expectNoLeak(server, session);
  });

  test('[T.unicode] equal to the eye is not equal: composed and decomposed, upper and lower case, a zero width space', async () => {
    const subjects = ['é', 'e\u0301', 'É', 'é\u200b', ' é'];
    const tokens = subjects.map((subject, index) =>
      record(`canary-token-${index}`, { subject, tenant: 'é' }),
    );
    const server = await startServer({ tokens: { ...tokensOf(...tokens), allowed_tenants: { é: ['é'] } } });
    const [, ...others] = tokens;
    const session = await openReadySession(server, 'canary-token-0');
    for (const { token = '' } of others) {
      expectRefusal(await ask(server, post(server, INITIALIZE, { token })), 403, 'forbidden');
    }
    await server.setTokens(tokensOf(...tokens));
    for (const { token = '' } of others) {
      const answer = await ask(server, post(server, call(1, 'ping'), { token, session }));
      expectRefusal(answer, 404, 'session_not_found');
    }
    await expectNoLeak(server, session);
  });

  test('[T.unicode] every claim of 2,048 bytes is borne, and none of them is sent or logged', async () => {
    const claims = {
      token_id: long('id'),
      subject: long('subject'),
      tenant: long('tenant'),
      authorization_revision: long('revision'),
      issuer: long('issuer'),
    };
    const server = await startServer({
      tokens: { ...tokensOf(record(ALICE, claims)), issuer: claims.issuer },
    });
    const session = await openReadySession(server);
    expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
    const refused = await ask(server, post(server, call(1, 'ping'), { session: 'unknown' }));
    expectRefusal(refused, 404, 'session_not_found');
    await expectNoLeak(server, session);
  });
});
