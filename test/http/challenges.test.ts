/** What WWW-Authenticate says, read by its grammar, and where there is none. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseChallenge } from '../support/challenge.js';
import type { RawAnswer } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
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
import type { RequestOverrides } from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, ALL_SCOPES, CANARY, record, tokensOf } from '../support/tokens.js';

type Build = (server: TestServer, overrides: RequestOverrides) => string;

/** Every operation, and what it needs as a whole. */
const OPERATIONS: ReadonlyArray<[operation: string, scope: string, build: Build]> = [
  [
    'initialize',
    'mcp:connect',
    (server, { token }) => post(server, INITIALIZE, token === undefined ? {} : { token }),
  ],
  ['ping', 'mcp:use', (server, overrides) => post(server, call(1, 'ping'), overrides)],
  [
    'resources/list',
    'mcp:use resources:read',
    (server, overrides) => post(server, call(1, 'resources/list'), overrides),
  ],
  ['an unknown method', 'mcp:use', (server, overrides) => post(server, call(1, 'nowhere'), overrides)],
  [
    'a notification',
    'mcp:use',
    (server, overrides) => post(server, notification('notifications/progress'), overrides),
  ],
  [
    'a notification named as a request',
    'mcp:use',
    (server, overrides) => post(server, notification('resources/list'), overrides),
  ],
  [
    'a response',
    'mcp:use',
    (server, overrides) => post(server, { jsonrpc: '2.0', id: 1, result: {} }, overrides),
  ],
  ['GET', 'mcp:stream', (server, overrides) => get(server, overrides)],
  ['DELETE', 'mcp:session', (server, overrides) => del(server, overrides)],
];

function challengeOf(answer: RawAnswer): ReturnType<typeof parseChallenge> {
  return parseChallenge(answer.headers.get('www-authenticate'));
}

const metadataOf = (server: TestServer): string =>
  `${server.origin}/.well-known/oauth-protected-resource/mcp`;

describe('by operation', () => {
  let server: TestServer;
  let session: string;
  beforeAll(async () => {
    server = await startServer({ tokens: ALICE_AND_BOB });
    session = await openReadySession(server);
  });

  test.each(OPERATIONS)(
    '[C.none] %s without a token: resource_metadata, scope "%s", no error',
    async (_name, scope, build) => {
      const answer = await ask(server, build(server, { session, token: null }));
      expectRefusal(answer, 401, 'authorization_required');
      expect(challengeOf(answer)).toEqual({
        scheme: 'Bearer',
        parameters: [
          ['resource_metadata', metadataOf(server)],
          ['scope', scope],
        ],
      });
      await expectNoLeak(server, session);
    },
  );

  test.each(OPERATIONS)(
    '[C.invalid] %s with a bad token: error, resource_metadata, scope "%s"',
    async (_name, scope, build) => {
      const answer = await ask(server, build(server, { session, token: `${CANARY}-nobody` }));
      expectRefusal(answer, 401, 'invalid_token');
      expect(challengeOf(answer)).toEqual({
        scheme: 'Bearer',
        parameters: [
          ['error', 'invalid_token'],
          ['resource_metadata', metadataOf(server)],
          ['scope', scope],
        ],
      });
      await expectNoLeak(server, session);
    },
  );

  test.each(OPERATIONS)(
    '[C.scope] %s with too few scopes: error, scope "%s", resource_metadata',
    async (_name, scope, build) => {
      await server.setTokens(tokensOf(record(ALICE, { scopes: ['other', 'unknown:scope'] })));
      const answer = await ask(server, build(server, { session }));
      await server.setTokens(ALICE_AND_BOB);
      expectRefusal(answer, 403, 'insufficient_scope');
      expect(challengeOf(answer)).toEqual({
        scheme: 'Bearer',
        parameters: [
          ['error', 'insufficient_scope'],
          ['scope', scope],
          ['resource_metadata', metadataOf(server)],
        ],
      });
      await expectNoLeak(server, session);
    },
  );

  test('[C.scope] a missing method scope names the scopes of the whole operation', async () => {
    await server.setTokens(tokensOf(record(ALICE, { scopes: ['mcp:use', 'mcp:session'] })));
    const answer = await ask(server, post(server, call(1, 'resources/list'), { session }));
    await server.setTokens(ALICE_AND_BOB);
    expectRefusal(answer, 403, 'insufficient_scope');
    expect(new Map(challengeOf(answer).parameters).get('scope')).toBe('mcp:use resources:read');
  });
});

describe('where there is no challenge', () => {
  const REFUSALS: ReadonlyArray<[code: string, status: number, build: Build]> = [
    [
      'invalid_host',
      403,
      (server) => post(server, INITIALIZE, { token: null, headers: { Host: 'evil.example' } }),
    ],
    [
      'invalid_origin',
      403,
      (server) => post(server, INITIALIZE, { token: null, headers: { Origin: 'https://evil.example' } }),
    ],
    ['invalid_origin', 403, (server) => get(server, { token: 'bad', headers: { Origin: 'null' } })],
    ['not_found', 404, (server) => post(server, INITIALIZE, { token: null, target: '/mcp/' })],
    ['method_not_allowed', 405, (server) => post(server, INITIALIZE, { token: null, method: 'PUT' })],
    ['not_acceptable', 406, (server) => get(server, { token: null, headers: { Accept: 'text/html' } })],
    ['invalid_json', 400, (server) => post(server, '{', { token: null })],
    ['invalid_jsonrpc', 400, (server) => post(server, '[]', { token: null })],
    ['session_not_found', 404, (server) => post(server, call(1, 'ping'), { session: 'unknown' })],
    ['missing_protocol_version', 400, (server) => post(server, call(1, 'ping'))],
    ['missing_or_invalid_session', 400, (server) => post(server, call(1, 'ping'), { session: '' })],
    [
      'initialization_must_not_reuse_session',
      400,
      (server) => post(server, INITIALIZE, { session: 'unknown' }),
    ],
    ['invalid_initialize', 400, (server) => post(server, call(1, 'initialize'))],
  ];
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ tokens: ALICE_AND_BOB });
  });

  test.each(REFUSALS)('[C.absent] %s (%d)', async (code, status, build) => {
    const answer = await ask(server, build(server, {}));
    expectRefusal(answer, status, code as Parameters<typeof expectRefusal>[2]);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    await expectNoLeak(server);
  });

  test('[C.absent] forbidden, for the tenant and for its data', async () => {
    const emptied = await startServer({ tokens: ALICE_AND_BOB, tenantsWithoutData: [`${CANARY}-tenant`] });
    const session = await openReadySession(emptied);
    const list = post(emptied, call(1, 'resources/list'), { session });
    const noData = await ask(emptied, list);
    await emptied.setTokens({ ...ALICE_AND_BOB, allowed_tenants: {} });
    const noTenant = await ask(emptied, list);
    for (const answer of [noData, noTenant]) {
      expectRefusal(answer, 403, 'forbidden');
      expect(answer.headers.has('www-authenticate')).toBe(false);
    }
    await expectNoLeak(emptied, session);
  });
});

const scopeAfter = async (scopes: string[], build: Build): Promise<string | undefined> => {
  const server = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_CHALLENGE_SCOPE: 'granted-and-needed' },
  });
  const session = await openReadySession(server);
  await server.setTokens(tokensOf(record(ALICE, { scopes })));
  const answer = await ask(server, build(server, { session }));
  expectRefusal(answer, 403, 'insufficient_scope');
  const { parameters } = challengeOf(answer);
  expect(parameters.map(([name]) => name)).toEqual(['error', 'scope', 'resource_metadata']);
  await expectNoLeak(server, session);
  return new Map(parameters).get('scope');
};

describe('granted-and-needed', () => {
  test.each([
    ['adds what the token has', ['mcp:connect'], 'ping', 'mcp:connect mcp:use'],
    [
      'in the order of scopes_supported',
      ['mcp:session', 'mcp:connect'],
      'ping',
      'mcp:connect mcp:use mcp:session',
    ],
    ['without scopes that are unknown here', ['zoo', 'mcp:stream', 'admin'], 'ping', 'mcp:use mcp:stream'],
    ['with nothing granted', [], 'ping', 'mcp:use'],
    [
      'for a method scope',
      ['mcp:use', 'mcp:connect'],
      'resources/list',
      'mcp:connect mcp:use resources:read',
    ],
    ['with both missing', ['mcp:session'], 'resources/list', 'mcp:use mcp:session resources:read'],
  ])('[C.granted] %s', async (_name, scopes, method, expected) => {
    expect(await scopeAfter(scopes, (server, overrides) => post(server, call(1, method), overrides))).toBe(
      expected,
    );
  });

  test('[C.granted] needed is the default with the offline policy, and 401 never names what was granted', async () => {
    const server = await startServer({
      tokens: tokensOf(record(ALICE, { scopes: ALL_SCOPES, active: false })),
      env: { MCP_CHALLENGE_SCOPE: 'granted-and-needed' },
    });
    const answer = await ask(server, post(server, INITIALIZE));
    expectRefusal(answer, 401, 'invalid_token');
    expect(new Map(challengeOf(answer).parameters).get('scope')).toBe('mcp:connect');
    const plain = await startServer({ tokens: tokensOf(record(ALICE, { scopes: ['mcp:session'] })) });
    const refused = await ask(plain, post(plain, INITIALIZE));
    expectRefusal(refused, 403, 'insufficient_scope');
    expect(new Map(challengeOf(refused).parameters).get('scope')).toBe('mcp:connect');
    await expectNoLeak(plain);
  });
});

test('[C.none] [C.invalid] [C.scope] MCP_PUBLIC_URL moves resource_metadata', async () => {
  const publicUrl = 'https://mcp.example/mcp';
  const server = await startServer({
    tokens: tokensOf(record(ALICE, { scopes: [] })),
    env: { MCP_PUBLIC_URL: publicUrl },
  });
  for (const token of [null, `${CANARY}-nobody`, ALICE]) {
    const answer = await ask(server, post(server, INITIALIZE, { token, headers: { Host: 'mcp.example' } }));
    expect(new Map(challengeOf(answer).parameters).get('resource_metadata')).toBe(
      'https://mcp.example/.well-known/oauth-protected-resource/mcp',
    );
  }
  await expectNoLeak(server);
});
