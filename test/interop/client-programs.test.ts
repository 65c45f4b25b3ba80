/**
 * Real clients that are programs of their own: mcp-remote, which brings clients that only speak stdio to a server
 * like this, and the MCP Inspector's command line. Both have a fixed Authorization header, as their users set it.
 */
import { describe, expect, test } from '@jest/globals';
import { AuthorizationServer } from '../support/authorization-server.js';
import {
  areToolsInstalled,
  INSPECTOR,
  MCP_REMOTE,
  mustToolsBeThere,
  Tool,
  type ToolRun,
} from '../support/interop-tools.js';
import { type Recorder, startRecorded, valuesOf } from '../support/recorder.js';
import { call, eventually, INITIALIZE, notification } from '../support/requests.js';
import { ALICE, ALICE_AND_BOB, record, tokensOf } from '../support/tokens.js';

const RESOURCES = [
  { uri: 'kb://tenant/canary-tenant/handbook', name: 'handbook', mimeType: 'text/markdown' },
];
const METADATA = 'GET /.well-known/oauth-protected-resource/mcp';
const STARTS_WITHIN_MS = 20_000;

const header = (token: string): string[] => ['--header', `Authorization: Bearer ${token}`];

const remote = ({ url }: Recorder, token: string): Tool =>
  new Tool(MCP_REMOTE, [url.href, '--allow-http', ...header(token)]);

const inspect = ({ url }: Recorder, ...more: string[]): Promise<ToolRun> =>
  new Tool(INSPECTOR, [
    '--cli',
    url.href,
    '--transport',
    'http',
    '--method',
    'resources/list',
    ...more,
  ]).end();

async function withWrongToken(env: Record<string, string>): Promise<{
  readonly ended: ToolRun;
  readonly recorder: Recorder;
  readonly authorization: AuthorizationServer;
}> {
  // Without registration the client stops before it would open a browser.
  const authorization = await AuthorizationServer.open(() => ALICE, { registers: false });
  const { recorder } = await startRecorded({
    tokens: ALICE_AND_BOB,
    env: { MCP_AUTHORIZATION_SERVERS: authorization.issuer, ...env },
  });
  const tool = remote(recorder, 'wrong');
  tool.say(INITIALIZE);
  return { ended: await tool.end(8000), recorder, authorization };
}

const whenInstalled = areToolsInstalled || mustToolsBeThere ? describe : describe.skip;

whenInstalled('mcp-remote', () => {
  test('[R.remote-whole] carries a whole session over stdio, the notification too', async () => {
    const { recorder } = await startRecorded({ tokens: ALICE_AND_BOB });
    const tool = remote(recorder, ALICE);
    const answerTo = (id: number): unknown => tool.said.find((message) => message['id'] === id)?.['result'];
    tool.say(INITIALIZE);
    await eventually(() => answerTo(0) !== undefined, 'initialize is answered', STARTS_WITHIN_MS);
    tool.say(notification('notifications/initialized'));
    tool.say(call(1, 'ping'));
    await eventually(() => answerTo(1) !== undefined, 'ping is answered');
    tool.say(call(2, 'resources/list'));
    await eventually(() => answerTo(2) !== undefined, 'the list is answered');
    await eventually(
      () => tool.said.some(({ method }) => method === 'notifications/resources/list_changed'),
      'the notification comes',
    );
    expect(answerTo(1)).toEqual({});
    expect(answerTo(2)).toEqual({ resources: RESOURCES });
    expect((await tool.end()).exitCode).toBe(0);

    // Two sessions for one user, none ended: a trial one, and the one that is used.
    expect(recorder.of('initialize')).toHaveLength(2);
    expect(recorder.of('DELETE')).toEqual([]);
    // It looks around first, without version and session; the refusals do not disturb it.
    const refused = recorder.exchanges.filter(({ status = 0 }) => status >= 400);
    expect(refused.length).toBeGreaterThan(0);
    for (const exchange of refused) {
      expect(exchange).toMatchObject({ method: 'GET', code: 'missing_protocol_version' });
      expect(valuesOf(exchange, 'accept')).toEqual(['application/json, text/event-stream']);
    }
    // With a good token the metadata document is asked for without credentials.
    expect(recorder.of(METADATA)).toEqual([expect.objectContaining({ status: 200 })]);
    expect(valuesOf(recorder.of(METADATA)[0], 'authorization')).toEqual([]);
    // A header of the next revision, which means nothing here.
    expect(valuesOf(recorder.of('ping')[0], 'mcp-method')).toEqual(['ping']);
    expect(valuesOf(recorder.of('ping')[0], 'mcp-protocol-version')).toEqual(['2025-11-25']);
  });

  test('[R.remote-sessions] one takes two sessions: where there is room for two, a second one is refused', async () => {
    const { recorder } = await startRecorded({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '2' } });
    const first = remote(recorder, ALICE);
    first.say(INITIALIZE);
    await eventually(() => first.said.length > 0, 'initialize is answered', STARTS_WITHIN_MS);
    const second = remote(recorder, ALICE);
    second.say(INITIALIZE);
    const ended = await second.end();
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('session_capacity_exceeded');
    await first.end();
  });

  test('[R.remote-expired] 404 makes it open another session and ask again; its user notices nothing', async () => {
    const { recorder, server } = await startRecorded({ tokens: ALICE_AND_BOB });
    const tool = remote(recorder, ALICE);
    tool.say(INITIALIZE);
    await eventually(() => tool.said.length > 0, 'initialize is answered', STARTS_WITHIN_MS);
    tool.say(notification('notifications/initialized'));
    await eventually(
      () => recorder.of('notifications/initialized')[1]?.status === 202,
      'the session is ready',
    );
    await server.advance(60_000);
    tool.say(call(1, 'ping'));
    await eventually(() => tool.said.some(({ id }) => id === 1), 'ping is answered');
    expect(tool.said.find(({ id }) => id === 1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(recorder.of('ping').map(({ status }) => status)).toEqual([404, 200]);
    expect(recorder.of('initialize')).toHaveLength(3);
    await tool.end();
  });

  test('[R.remote-wrong-token] a wrong token ends it with an error; it sends the token to the metadata too', async () => {
    const { ended, recorder, authorization } = await withWrongToken({});
    expect(ended.exitCode).toBe(1);
    expect(recorder.of('initialize')[0]).toMatchObject({ code: 'invalid_token' });
    const withCredentials = recorder
      .of(METADATA)
      .filter((asked) => valuesOf(asked, 'authorization').length > 0);
    expect(withCredentials.length).toBeGreaterThan(0);
    for (const { code } of withCredentials) expect(code).toBe('metadata_does_not_accept_credentials');
    // So it takes this server for its own authorization server, and is refused everything there.
    expect(recorder.of('POST /register').map(({ code }) => code)).toContain('not_found');
    expect(authorization.logins).toEqual([]);
    expect(ended.stdout).toBe('');
  });

  test('[R.remote-wrong-token] with MCP_ACCEPT_METADATA_CREDENTIALS it reads the document instead', async () => {
    const { ended, recorder, authorization } = await withWrongToken({
      MCP_ACCEPT_METADATA_CREDENTIALS: 'true',
    });
    expect(ended.exitCode).toBe(1);
    expect(authorization.sawCredentials).toBe(true);
    expect(recorder.of(METADATA).map(({ status }) => status)).not.toContain(400);
    expect(recorder.of('POST /register')).toEqual([]);
  });
});

whenInstalled('the Inspector’s command line', () => {
  test('[R.inspector] lists the resources and leaves its session to its end', async () => {
    const { recorder } = await startRecorded({ tokens: ALICE_AND_BOB });
    const { exitCode, stdout } = await inspect(recorder, ...header(ALICE));
    expect({ exitCode, ...(JSON.parse(stdout) as object) }).toEqual({ exitCode: 0, resources: RESOURCES });
    expect(recorder.of('DELETE')).toEqual([]);
    expect(recorder.story.filter((word) => word !== 'GET')).toEqual([
      'initialize',
      'notifications/initialized',
      'resources/list',
    ]);
    // Capabilities that the contract has never heard of.
    expect(recorder.of('initialize')[0]?.message.params?.['capabilities']).toHaveProperty('extensions');
  });

  test.each([
    ['a wrong token', header('wrong'), 'invalid_token'],
    ['no token', [], 'authorization_required'],
  ])(
    '[R.inspector-refused] %s: exit code 3 and its own word for it, without a retry',
    async (_what, args, code) => {
      const { recorder } = await startRecorded({ tokens: ALICE_AND_BOB });
      const { exitCode, stderr } = await inspect(recorder, ...args);
      expect(exitCode).toBe(3);
      expect(stderr).toContain('auth_required');
      expect(recorder.exchanges).toEqual([expect.objectContaining({ status: 401, code })]);
    },
  );

  test('[R.inspector-refused] a missing scope is told, not waited for', async () => {
    const few = record('canary-token-few', { scopes: ['mcp:connect', 'mcp:use', 'mcp:stream'] });
    const { recorder } = await startRecorded({ tokens: tokensOf(few) });
    const { exitCode, stderr } = await inspect(recorder, ...header('canary-token-few'));
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toMatch(/scope/i);
  });
});
