/**
 * The official clients with a login of their own: what they do with the challenges, where they look for the
 * authorization server, and what they send there.
 */
import { describe, expect, test } from '@jest/globals';
import { UnauthorizedError as UnauthorizedV2 } from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { AuthorizationServer, LoginProvider } from '../support/authorization-server.js';
import { bearer, OFFICIAL_CLIENTS, type OfficialClient, V1 } from '../support/official-clients.js';
import { type Recorder, startRecorded, valuesOf } from '../support/recorder.js';
import { eventually } from '../support/requests.js';
import { ALL_SCOPES, CANARY, record, tokensOf } from '../support/tokens.js';

const METADATA = 'GET /.well-known/oauth-protected-resource/mcp';
const MOST_LOGINS = 12;

interface Setting {
  readonly recorder: Recorder;
  readonly authorization: AuthorizationServer;
}

/** Every subset of the scopes has a token of its own, so that the server sees exactly what was granted. */
function tokenFor(scopes: readonly string[]): string {
  return `${CANARY}-granted-${ALL_SCOPES.map((scope) => Number(scopes.includes(scope))).join('')}`;
}

const GRANTS = Array.from({ length: 2 ** ALL_SCOPES.length }, (_, bits) => {
  const scopes = ALL_SCOPES.filter((_scope, index) => (bits >> index) & 1);
  return record(tokenFor(scopes), { scopes, subject: `${CANARY}-user`, token_id: `${CANARY}-grant-${bits}` });
});

async function start(env: Record<string, string> = {}): Promise<Setting> {
  const authorization = await AuthorizationServer.open(tokenFor);
  const { recorder } = await startRecorded({
    tokens: tokensOf(...GRANTS),
    env: {
      MCP_AUTHORIZATION_SERVERS: authorization.issuer,
      MCP_CHALLENGE_SCOPE: 'granted-and-needed',
      MCP_MAX_SESSIONS: '100',
      ...env,
    },
  });
  return { recorder, authorization };
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof UnauthorizedV1 || error instanceof UnauthorizedV2;

describe.each(OFFICIAL_CLIENTS)('%s', (_name, kind) => {
  const opening = (
    { recorder }: Setting,
    authProvider: LoginProvider,
    headers?: Record<string, string>,
  ): OfficialClient => kind.open({ url: recorder.url, authProvider, ...(headers && { headers }) });

  test.each([
    ['a wrong token', 'wrong'],
    ['no token', undefined],
  ])(
    '[R.login-asked] %s: metadata without credentials, then the user is sent to log in',
    async (_what, token) => {
      const setting = await start();
      const provider = new LoginProvider(setting.authorization, token);
      const client = opening(setting, provider);
      const failure: unknown = await client.connect().catch((error: unknown) => error);
      expect(isUnauthorized(failure)).toBe(true);

      const [refused, metadata, ...more] = setting.recorder.exchanges;
      expect(more).toEqual([]);
      expect(refused).toMatchObject({ status: 401 });
      expect(metadata).toMatchObject({ method: 'GET', path: METADATA.slice('GET '.length), status: 200 });
      expect(valuesOf(metadata, 'authorization')).toEqual([]);
      expect(valuesOf(metadata, 'mcp-protocol-version')).toEqual(['2025-11-25']);
      expect(provider.authorizationUrl?.searchParams.get('resource')).toBe(setting.recorder.url.href);
      // `initialize` needs mcp:connect; the probe for the next revision is judged as any other request.
      expect(setting.authorization.logins).toEqual([
        [refused?.message.method === 'initialize' ? 'mcp:connect' : 'mcp:use'],
      ]);
    },
  );

  test('[R.step-up] scope by scope the client logs in until all works, and not for ever', async () => {
    const setting = await start();
    const provider = new LoginProvider(setting.authorization);
    /** As an application does it: log in when told to, then begin anew. */
    async function work(): Promise<unknown> {
      const client = opening(setting, provider);
      try {
        await client.connect();
        return await client.listResources();
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
        if (setting.authorization.logins.length >= MOST_LOGINS)
          throw new Error('logs in for ever', { cause: error });
        await client.finishAuth(provider.code);
        return work();
      }
    }
    expect(await work()).toHaveLength(1);
    const needed = [['mcp:connect'], ['mcp:use'], ['mcp:stream'], ['resources:read']];
    // v1 does not log in for the stream: it goes without. v2 keeps to an order of its own.
    if (kind === V1) needed.splice(2, 1);
    expect(setting.authorization.logins).toHaveLength(needed.length);
    expect(setting.authorization.logins.at(-1)?.toSorted()).toEqual(needed.flat().toSorted());
  });

  test('[R.stream-scope] a token without mcp:stream: v1 goes without a stream, v2 asks for the scope', async () => {
    const setting = await start();
    const granted = ALL_SCOPES.filter((scope) => scope !== 'mcp:stream');
    const provider = new LoginProvider(setting.authorization, tokenFor(granted));
    const client = opening(setting, provider);
    await client.connect();
    await eventually(() => client.errors.length > 0, 'the stream fails');
    expect(setting.recorder.of('GET')).toEqual([expect.objectContaining({ code: 'insufficient_scope' })]);
    expect(await client.ping()).toEqual({});
    const forStream = setting.authorization.logins.filter((scopes) => scopes.includes('mcp:stream'));
    expect(forStream).toHaveLength(kind === V1 ? 0 : 1);
  });

  test('[R.metadata-credentials] a fixed Authorization goes to the metadata document too: refused, no login', async () => {
    const setting = await start();
    const provider = new LoginProvider(setting.authorization);
    const client = opening(setting, provider, bearer('wrong'));
    const failure: unknown = await client.connect().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isUnauthorized(failure)).toBe(false);
    const asked = setting.recorder.of(METADATA);
    expect(asked.map(({ code }) => code)).toContain('metadata_does_not_accept_credentials');
    expect(asked.flatMap((exchange) => valuesOf(exchange, 'authorization'))).toContain('Bearer <token>');
    expect(setting.authorization.logins).toEqual([]);
  });

  test('[R.metadata-credentials] with the switch on, the document is read and the user is sent to log in', async () => {
    const setting = await start({ MCP_ACCEPT_METADATA_CREDENTIALS: 'true' });
    const provider = new LoginProvider(setting.authorization);
    const client = opening(setting, provider, bearer('wrong'));
    const failure: unknown = await client.connect().catch((error: unknown) => error);
    expect(isUnauthorized(failure)).toBe(true);
    expect(setting.recorder.of(METADATA)).toEqual([expect.objectContaining({ status: 200 })]);
    expect(setting.authorization.logins).toHaveLength(1);
    // Not our doing, but whoever sets a fixed header should know.
    expect(setting.authorization.sawCredentials).toBe(true);
  });

  test('[R.authorization-joined] a fixed header beside a login: v1 joins two tokens into one header', async () => {
    const setting = await start();
    const provider = new LoginProvider(setting.authorization, tokenFor(ALL_SCOPES));
    const client = opening(setting, provider, { authorization: `Bearer ${tokenFor(ALL_SCOPES)}` });
    const outcome: unknown = await client.connect().catch(() => 'failed');
    const [first] = setting.recorder.exchanges;
    const joined = { outcome: 'failed', code: 'invalid_token', sent: ['Bearer <token>, Bearer <token>'] };
    const replaced = { outcome: undefined, code: first?.code, sent: ['Bearer <token>'] };
    expect({ outcome, code: first?.code, sent: valuesOf(first, 'authorization') }).toEqual(
      kind === V1 ? joined : replaced,
    );
  });
});
