/**
 * The switches that let one kind of client in: off, the contract's refusal stands; on, just that refusal is gone
 * and nothing beside it; and whoever starts the server with one on reads so in the log.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { settingsFromEnvironment } from '../../src/config/environment.js';
import { SettingsError } from '../../src/config/settings-error.js';
import {
  expectAccepted,
  expectJson,
  expectNoContent,
  jsonRpcOf,
  streamedEvents,
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
  type RequestOverrides,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, BOB, CANARY } from '../support/tokens.js';

const MISSING = 'MCP_ACCEPT_MISSING_PROTOCOL_VERSION';
const OTHER = 'MCP_ACCEPT_OTHER_PROTOCOL_VERSION';
const CREDENTIALS = 'MCP_ACCEPT_METADATA_CREDENTIALS';
const SWITCHES = [MISSING, OTHER, CREDENTIALS] as const;
const ROOT_DOCUMENT = '/.well-known/oauth-protected-resource';
const DOCUMENTS = [ROOT_DOCUMENT, `${ROOT_DOCUMENT}/mcp`];

interface LoggedSwitch {
  readonly level: string;
  readonly setting: string;
  readonly opens: string;
}

/** Servers of one process share their log, so the lines of the server that started last come last. */
async function loggedSwitches(server: TestServer): Promise<LoggedSwitch[]> {
  return (await server.logs())
    .split('\n')
    .filter((line) => line.includes('"opens"'))
    .map((line) => JSON.parse(line) as LoggedSwitch);
}

async function start(...on: string[]): Promise<{ server: TestServer; logged: LoggedSwitch[] }> {
  const env = { MCP_MAX_SESSIONS: '1000', ...Object.fromEntries(on.map((name) => [name, 'true'])) };
  const server = await startServer({ tokens: ALICE_AND_BOB, env });
  return { server, logged: await loggedSwitches(server) };
}

let off: Awaited<ReturnType<typeof start>>;
let missing: typeof off;
let other: typeof off;
let credentials: typeof off;
let all: typeof off;
beforeAll(async () => {
  off = await start();
  missing = await start(MISSING);
  other = await start(OTHER);
  credentials = await start(CREDENTIALS);
  all = await start(...SWITCHES);
});

const NO_VERSION = { 'MCP-Protocol-Version': undefined };
const version = (value: string): { 'MCP-Protocol-Version': string } => ({ 'MCP-Protocol-Version': value });
const document = (server: TestServer, overrides: RequestOverrides = {}): string =>
  get(server, { headers: { Accept: 'application/json', Authorization: `Bearer ${ALICE}` }, ...overrides });

/** Everything that needs a session, from a fresh one to its end, with these headers. */
async function expectWholeSession(server: TestServer, headers: RequestOverrides['headers']): Promise<void> {
  const session = await openSession(server);
  const overrides = headers === undefined ? { session } : { session, headers };
  const initialized = notification('notifications/initialized');
  expectAccepted(await ask(server, post(server, initialized, overrides)));
  expect(jsonRpcOf(await ask(server, post(server, call(1, 'ping'), overrides))).result).toEqual({});
  expect(streamedEvents(await ask(server, get(server, overrides)))).toHaveLength(1);
  expectNoContent(await ask(server, del(server, overrides)));
  await expectNoLeak(server, session);
}

describe('the log at start', () => {
  test('[N.switches] names each switch that is on, and what it opens', () => {
    expect(off.logged).toEqual([]);
    for (const [started, name] of [
      [missing, MISSING],
      [other, OTHER],
      [credentials, CREDENTIALS],
    ] as const) {
      expect(started.logged.at(-1)).toEqual(
        expect.objectContaining({ level: 'warn', setting: name, opens: expect.stringMatching(/\w\.$/) }),
      );
    }
    expect(missing.logged).toHaveLength(1);
    expect(all.logged.slice(-3).map(({ setting }) => setting)).toEqual(SWITCHES);
  });

  test.each(SWITCHES)('[N.switches] %s is true or false and nothing else', (name) => {
    for (const value of ['1', '0', 'yes', 'TRUE', 'on', '']) {
      const read = (): unknown => settingsFromEnvironment({ [name]: value });
      expect(read).toThrow(SettingsError);
      expect(read).toThrow(`${name} must be true or false`);
    }
    expect(settingsFromEnvironment({ [name]: 'false' })).toEqual(settingsFromEnvironment({}));
  });
});

describe('MCP_ACCEPT_MISSING_PROTOCOL_VERSION', () => {
  test('[N.switch-missing-version] off: refused', async () => {
    const { server } = off;
    const session = await openReadySession(server);
    const ping = post(server, call(1, 'ping'), { session, headers: NO_VERSION });
    expectRefusal(await ask(server, ping), 400, 'missing_protocol_version');
  });

  test('[N.switch-missing-version] on: the session’s version holds, for every kind of request', async () => {
    await expectWholeSession(missing.server, NO_VERSION);
    await expectWholeSession(missing.server, undefined);
  });

  test('[N.switch-missing-version] on: every other version is refused as before', async () => {
    const { server } = missing;
    const session = await openReadySession(server);
    for (const value of ['2025-06-18', '2026-07-28', 'DRAFT-2026-v1', '']) {
      const ping = post(server, call(1, 'ping'), { session, headers: version(value) });
      expectRefusal(await ask(server, ping), 400, 'unsupported_protocol_version');
    }
    const two = { 'MCP-Protocol-Version': ['2025-11-25', '2025-06-18'] };
    const ping = post(server, call(1, 'ping'), { session, headers: two });
    expectRefusal(await ask(server, ping), 400, 'duplicate_header');
  });

  test('[N.switch-missing-version] on: token, session, owner and lifecycle are asked for as before', async () => {
    const { server } = missing;
    const session = await openSession(server);
    const ping = (overrides: RequestOverrides): string =>
      post(server, call(1, 'ping'), { headers: NO_VERSION, ...overrides });
    const none = ping({ session, token: null });
    expectRefusal(await ask(server, none), 401, 'authorization_required');
    expectRefusal(await ask(server, ping({})), 400, 'missing_or_invalid_session');
    expectRefusal(await ask(server, ping({ session: 'unknown' })), 404, 'session_not_found');
    expectRefusal(await ask(server, ping({ session, token: BOB })), 404, 'session_not_found');
    expectRefusal(await ask(server, ping({ session })), 400, 'invalid_lifecycle');
  });
});

describe('MCP_ACCEPT_OTHER_PROTOCOL_VERSION', () => {
  const EARLIER = ['2025-06-18', '2025-03-26', '2024-11-05'];

  test.each(EARLIER)('[N.switch-other-version] off: %s is refused', async (value) => {
    const { server } = off;
    const session = await openReadySession(server);
    const ping = post(server, call(1, 'ping'), { session, headers: version(value) });
    expectRefusal(await ask(server, ping), 400, 'unsupported_protocol_version');
  });

  test.each(EARLIER)('[N.switch-other-version] on: %s is borne in a session', async (value) => {
    await expectWholeSession(other.server, version(value));
  });

  test('[N.switch-other-version] on: later ones, drafts, inventions and none are refused as before', async () => {
    const { server } = other;
    const session = await openReadySession(server);
    for (const value of ['2026-07-28', 'DRAFT-2026-v1', '2025-06-19', '2025-06-18 x', '', CANARY]) {
      const ping = post(server, call(1, 'ping'), { session, headers: version(value) });
      expectRefusal(await ask(server, ping), 400, 'unsupported_protocol_version');
    }
    const none = post(server, call(1, 'ping'), { session, headers: NO_VERSION });
    expectRefusal(await ask(server, none), 400, 'missing_protocol_version');
    const two = { 'MCP-Protocol-Version': ['2025-11-25', '2025-06-18'] };
    const ping = post(server, call(1, 'ping'), { session, headers: two });
    expectRefusal(await ask(server, ping), 400, 'duplicate_header');
  });

  test('[N.switch-other-version] on: initialize still refuses a header that conflicts', async () => {
    const { server } = other;
    const initialize = post(server, INITIALIZE, { headers: version('2025-06-18') });
    expectRefusal(await ask(server, initialize), 400, 'unsupported_protocol_version');
  });

  test('[N.switch-other-version] on: the answer to initialize is the spoken version as ever', async () => {
    const answer = await ask(other.server, post(other.server, INITIALIZE));
    expect(JSON.parse(answer.body)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });
});

describe('MCP_ACCEPT_METADATA_CREDENTIALS', () => {
  test.each(DOCUMENTS)('[N.switch-metadata-credentials] off: refused at %s', async (target) => {
    const answer = await ask(off.server, document(off.server, { target }));
    expectRefusal(answer, 400, 'metadata_does_not_accept_credentials');
  });

  test.each(DOCUMENTS)(
    '[N.switch-metadata-credentials] on: ignored at %s, whatever they are',
    async (target) => {
      const { server } = credentials;
      const plain = get(server, { target, token: null, headers: { Accept: 'application/json' } });
      const expected = expectJson(await ask(server, plain));
      for (const value of [`Bearer ${ALICE}`, `Bearer ${CANARY}-wrong`, `Basic ${CANARY}`, CANARY, '']) {
        const headers = { Accept: 'application/json', Authorization: value };
        const answer = await ask(server, document(server, { target, headers }));
        expect(expectJson(answer)).toEqual(expected);
        expect(answer.text).not.toContain(CANARY);
      }
      await expectNoLeak(server);
    },
  );

  test('[N.switch-metadata-credentials] on: Accept, method, query and a repeat are judged as before', async () => {
    const { server } = credentials;
    const target = ROOT_DOCUMENT;
    const html = document(server, { target, headers: { Accept: 'text/html' } });
    expectRefusal(await ask(server, html), 406, 'not_acceptable');
    const posted = document(server, { target, method: 'POST' });
    expectRefusal(await ask(server, posted), 405, 'method_not_allowed');
    const query = document(server, { target: `${target}?access_token=${CANARY}` });
    expectRefusal(await ask(server, query), 400, 'query_not_allowed');
    const twice = document(server, { target, headers: { Authorization: ['Bearer a', 'Bearer a'] } });
    expectRefusal(await ask(server, twice), 400, 'duplicate_header');
  });

  test('[N.switch-metadata-credentials] on: the endpoint itself still judges every token', async () => {
    const { server } = credentials;
    const wrong = post(server, INITIALIZE, { token: `${CANARY}-wrong` });
    expectRefusal(await ask(server, wrong), 401, 'invalid_token');
  });
});

test('[N.switches] one switch opens nothing of another', async () => {
  const withCredentials = document(missing.server, { target: ROOT_DOCUMENT });
  const refused = 'metadata_does_not_accept_credentials';
  expectRefusal(await ask(missing.server, withCredentials), 400, refused);
  expectRefusal(await ask(other.server, document(other.server, { target: ROOT_DOCUMENT })), 400, refused);
  const { server } = credentials;
  const session = await openReadySession(server);
  const ping = (headers: RequestOverrides['headers']): string =>
    post(server, call(1, 'ping'), { session, ...(headers && { headers }) });
  expectRefusal(await ask(server, ping(NO_VERSION)), 400, 'missing_protocol_version');
  expectRefusal(await ask(server, ping(version('2025-06-18'))), 400, 'unsupported_protocol_version');
});
