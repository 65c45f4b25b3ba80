/** `initialize`: one answer whatever is proposed, and what it refuses. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectJson } from '../support/answers.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  INITIALIZE,
  notification,
  openReadySession,
  post,
  PROTOCOL_VERSION,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

const { name, version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

const PARAMS = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: `${CANARY}-client`, version: '1' },
};

const answerOf = (id: string | number) => ({
  jsonrpc: '2.0',
  id,
  result: {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { resources: { listChanged: true } },
    serverInfo: { name, version },
  },
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '200' } });
});

async function expectInitialized(params: object, id: string | number = 1): Promise<void> {
  const answer = await ask(server, post(server, call(id, 'initialize', params)));
  const session = { 'mcp-session-id': expect.stringMatching(/^[\w-]{43}$/) };
  expect(expectJson(answer, session)).toEqual(answerOf(id));
}

describe('what is answered', () => {
  test.each([
    ['the spoken revision', PROTOCOL_VERSION],
    ['an older one', '2025-06-18'],
    ['the oldest one', '2024-11-05'],
    ['a later one', '2026-07-28'],
    ['a draft', 'DRAFT-2026-v1'],
    ['no revision at all', 'zzz'],
    ['64 characters', 'v'.repeat(64)],
    ['one space', ' '],
    ['Chinese', '租户'],
  ])('[M.initialize] proposed: %s', async (_name, protocolVersion) => {
    await expectInitialized({ ...PARAMS, protocolVersion });
    await expectNoLeak(server);
  });

  test.each([
    [
      'everything that the specification knows',
      {
        capabilities: {
          roots: { listChanged: true },
          sampling: { context: {}, tools: {} },
          elicitation: { form: {}, url: {} },
          tasks: { list: {}, cancel: {} },
          experimental: { x: {} },
        },
        clientInfo: {
          ...PARAMS.clientInfo,
          title: 'T',
          icons: [{ src: 'https://client.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
          websiteUrl: 'https://client.example',
          description: 'D',
        },
        _meta: { progressToken: 1 },
      },
    ],
    ['empty names', { clientInfo: { name: '', version: '' } }],
    ['members of every object', JSON.parse('{"__proto__":{"protocolVersion":1},"constructor":{}}') as object],
  ])('[M.initialize] borne: %s', async (_name, more) => {
    await expectInitialized(Object.assign(Object.create(null) as object, PARAMS, more));
    await expectNoLeak(server);
  });

  test.each([0, -1, 2 ** 53 - 1, -(2 ** 53) + 1, '', 'é🦊"\\\u0000', '1'])(
    '[M.initialize] [A.json-rpc] the answer bears the id %j',
    async (id) => {
      await expectInitialized(PARAMS, id);
    },
  );

  test('[M.initialize] the spoken revision in the header is borne', async () => {
    const headers = { 'MCP-Protocol-Version': PROTOCOL_VERSION };
    expect((await ask(server, post(server, INITIALIZE, { headers }))).status).toBe(200);
  });
});

describe('what is refused', () => {
  const { protocolVersion: _version, ...noVersion } = PARAMS;
  const { capabilities: _capabilities, ...noCapabilities } = PARAMS;
  const { clientInfo: _clientInfo, ...noClientInfo } = PARAMS;
  const WRONG: ReadonlyArray<[name: string, params: object | undefined]> = [
    ['no params', undefined],
    ['empty params', {}],
    ['no protocolVersion', noVersion],
    ['an empty protocolVersion', { ...PARAMS, protocolVersion: '' }],
    ['a protocolVersion of 65 characters', { ...PARAMS, protocolVersion: `${CANARY}${'v'.repeat(59)}` }],
    ['a number as protocolVersion', { ...PARAMS, protocolVersion: 20251125 }],
    ['null as protocolVersion', { ...PARAMS, protocolVersion: null }],
    ['a list as protocolVersion', { ...PARAMS, protocolVersion: [PROTOCOL_VERSION] }],
    ['no capabilities', noCapabilities],
    ['null as capabilities', { ...PARAMS, capabilities: null }],
    ['a list as capabilities', { ...PARAMS, capabilities: [] }],
    ['text as capabilities', { ...PARAMS, capabilities: 'all' }],
    ['no clientInfo', noClientInfo],
    ['null as clientInfo', { ...PARAMS, clientInfo: null }],
    ['a list as clientInfo', { ...PARAMS, clientInfo: [] }],
    ['clientInfo without name', { ...PARAMS, clientInfo: { version: '1' } }],
    ['clientInfo without version', { ...PARAMS, clientInfo: { name: CANARY } }],
    ['a number as version', { ...PARAMS, clientInfo: { name: CANARY, version: 1 } }],
    ['null as name', { ...PARAMS, clientInfo: { name: null, version: '1' } }],
    ['members that only a prototype has', JSON.parse(`{"__proto__":${JSON.stringify(PARAMS)}}`) as object],
  ];
  test.each(WRONG)('[M.initialize-invalid] %s', async (_name, params) => {
    const answer = await ask(server, post(server, call(1, 'initialize', params)));
    expectRefusal(answer, 400, 'invalid_initialize');
    expect(answer.headers.has('mcp-session-id')).toBe(false);
    await expectNoLeak(server);
  });

  test.each([
    ['unknown', () => 'unknown'],
    ['empty', () => ''],
    ['too long', () => 'a'.repeat(300)],
    ['live', () => openReadySession(server)],
  ])('[G9.reuse] a session header, %s', async (_name, sessionOf) => {
    const session = await sessionOf();
    const headers = { 'MCP-Session-Id': session };
    const answer = await ask(server, post(server, INITIALIZE, { headers }));
    expectRefusal(answer, 400, 'initialization_must_not_reuse_session');
    const withVersion = await ask(
      server,
      post(server, INITIALIZE, { session, headers: { 'MCP-Protocol-Version': '1' } }),
    );
    expectRefusal(withVersion, 400, 'initialization_must_not_reuse_session');
    await expectNoLeak(server, ...(session.length === 43 ? [session] : []));
  });

  test.each(['2025-06-18', '2026-07-28', '', CANARY])(
    '[G9.initialize-version] a conflicting version header: "%s"',
    async (value) => {
      const headers = { 'MCP-Protocol-Version': value };
      const answer = await ask(server, post(server, INITIALIZE, { headers }));
      expectRefusal(answer, 400, 'unsupported_protocol_version');
      await expectNoLeak(server);
    },
  );

  test('[G9.initialize-version] gate 9 comes before the params', async () => {
    const headers = { 'MCP-Protocol-Version': '2025-06-18' };
    const answer = await ask(server, post(server, call(1, 'initialize'), { headers }));
    expectRefusal(answer, 400, 'unsupported_protocol_version');
    await expectNoLeak(server);
  });
});

test('[M.notifications] initialize as a notification is none that is known, and needs a session as any other', async () => {
  const { params } = INITIALIZE as { params: object };
  const message = notification('initialize', params);
  expectRefusal(await ask(server, post(server, message)), 400, 'missing_protocol_version');
  const session = await openReadySession(server);
  expectRefusal(await ask(server, post(server, message, { session })), 400, 'unsupported_notification');
  await expectNoLeak(server, session);
});

test('[M.initialize] a session gets no second initialize', async () => {
  const session = await openReadySession(server);
  const again = await ask(server, post(server, INITIALIZE, { session }));
  expectRefusal(again, 400, 'initialization_must_not_reuse_session');
  expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
  await expectNoLeak(server, session);
});
