/**
 * What real clients make of refusals: an error of their own that names the cause, soon, and never a hang; and what
 * they send next.
 */
import { describe, expect, test } from '@jest/globals';
import { InsufficientScopeError, SdkHttpError } from '@modelcontextprotocol/client';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { bearer, OFFICIAL_CLIENTS, type OfficialClient, V1, V2 } from '../support/official-clients.js';
import { type RecordedServer, startRecorded } from '../support/recorder.js';
import { eventually } from '../support/requests.js';
import { ALICE, ALICE_AND_BOB, record, tokensOf } from '../support/tokens.js';

/** Both clients give up on a request of their own after 60 s: that would be a hang. */
const SOON_MS = 10_000;

const start = (env: Record<string, string> = {}): Promise<RecordedServer> =>
  startRecorded({ tokens: ALICE_AND_BOB, env });

async function failureOf(action: Promise<unknown>): Promise<Error> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the client hangs')), SOON_MS);
  });
  try {
    return await Promise.race([action.then(() => new Error('no failure')), hang]);
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}

/** What the client's user learns: v1 the status and the body, v2 an error of its own with the scopes. */
function toldOf(failure: Error): unknown {
  if (failure instanceof InsufficientScopeError) return failure.requiredScope;
  return [statusOf(failure), failure.message];
}

function statusOf(error: Error): number | undefined {
  if (error instanceof StreamableHTTPError) return error.code;
  return error instanceof SdkHttpError ? error.status : undefined;
}

describe.each(OFFICIAL_CLIENTS)('%s', (_name, kind) => {
  const open = ({ recorder }: RecordedServer, headers: Record<string, string>): OfficialClient =>
    kind.open({ url: recorder.url, headers });
  const missingScopes = (scopes: string): unknown =>
    kind === V1 ? [403, expect.stringContaining('insufficient_scope')] : scopes;

  test.each([
    ['a wrong token', bearer('wrong'), 'invalid_token'],
    ['no token', {}, 'authorization_required'],
    ['another scheme', { Authorization: 'Basic d3Jvbmc6d3Jvbmc=' }, 'authorization_required'],
  ])(
    '[R.wrong-token] %s and no provider: HTTP 401 as an error, once, no retry',
    async (_what, headers, code) => {
      const recorded = await start();
      const failure = await failureOf(open(recorded, headers).connect());
      expect(statusOf(failure)).toBe(401);
      expect(recorded.recorder.exchanges).toEqual([expect.objectContaining({ status: 401, code })]);
    },
  );

  test('[R.scope-refused] a scope that is missing and no provider: an error that says so, no retry', async () => {
    const token = record('canary-token-few', {
      scopes: ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session'],
    });
    const recorded = await startRecorded({ tokens: tokensOf(token) });
    const client = open(recorded, bearer('canary-token-few'));
    await client.connect();
    const failure = await failureOf(client.listResources());
    expect(toldOf(failure)).toEqual(missingScopes('mcp:use resources:read'));
    expect(await client.ping()).toEqual({});
  });

  test('[R.connect-only] with mcp:connect alone the handshake stops at its second message', async () => {
    const token = record('canary-token-few', { scopes: ['mcp:connect'] });
    const recorded = await startRecorded({ tokens: tokensOf(token) });
    const failure = await failureOf(open(recorded, bearer('canary-token-few')).connect());
    expect(toldOf(failure)).toEqual(missingScopes('mcp:use'));
  });

  test('[R.expired] an ended session is 404 for every call; a new client of the same token goes on', async () => {
    const recorded = await start();
    const { recorder, server } = recorded;
    const client = open(recorded, bearer(ALICE));
    await client.connect();
    await eventually(() => recorder.of('GET')[0]?.status === 200, 'the stream is opened');
    await server.advance(60_000);
    const before = recorder.exchanges.length;
    for (const action of [() => client.ping(), () => client.listResources()]) {
      const failure = await failureOf(action());
      expect(statusOf(failure)).toBe(404);
      expect(failure.message).toContain('session_not_found');
    }
    // It neither starts over by itself nor forgets the session: whoever embeds it must.
    const later = recorder.exchanges.slice(before).filter(({ method }) => method === 'POST');
    expect(later.map(({ message }) => message.method)).toEqual(['ping', 'resources/list']);
    expect(statusOf(await failureOf(client.terminateSession()))).toBe(404);

    const next = open(recorded, bearer(ALICE));
    await next.connect();
    expect(await next.ping()).toEqual({});
  });

  test('[R.expired-stream] a stream of an ended session: two 404, then the client leaves it', async () => {
    const recorded = await start({ MCP_STREAM_RETRY_MS: '50' });
    const { recorder, server } = recorded;
    const client = open(recorded, bearer(ALICE));
    await client.connect();
    await eventually(() => recorder.of('GET')[0]?.status === 200, 'the stream is opened');
    await server.advance(60_000);
    const refused = (): unknown[] => recorder.of('GET').filter(({ code }) => code === 'session_not_found');
    await eventually(
      () => client.errors.some(({ message }) => message.startsWith('Maximum reconnection attempts')),
      'the client leaves the stream',
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(refused()).toHaveLength(2);
  });

  test('[R.sessions-full] 503 for a session too many is an error at connect, and the others go on', async () => {
    const recorded = await start({ MCP_MAX_SESSIONS: '1' });
    const first = open(recorded, bearer(ALICE));
    await first.connect();
    const failure = await failureOf(open(recorded, bearer(ALICE)).connect());
    expect(statusOf(failure)).toBe(503);
    expect(failure.message).toContain('session_capacity_exceeded');
    expect(await first.ping()).toEqual({});
    await first.terminateSession();
    const third = open(recorded, bearer(ALICE));
    await third.connect();
  });

  test('[R.overloaded] 503 overloaded is an error of that one request; no client looks at Retry-After', async () => {
    const recorded = await start({ MCP_MAX_CONCURRENT_REQUESTS: '1' });
    const { recorder, server } = recorded;
    const holder = V2.open({ url: recorder.url, headers: bearer(ALICE) });
    const client = open(recorded, bearer(ALICE));
    await holder.connect();
    await client.connect();
    await eventually(() => recorder.of('GET').filter(({ status }) => status === 200).length === 2, 'streams');
    const held = holder.giveUp('test/hold');
    await eventually(async () => (await server.held()) === 1, 'the method runs');
    const before = recorder.of('ping').length;
    const failure = await failureOf(client.ping());
    expect(statusOf(failure)).toBe(503);
    expect(failure.message).toContain('overloaded');
    expect(recorder.of('ping')).toHaveLength(before + 1);
    await server.release();
    await held.failure;
    expect(await client.ping()).toEqual({});
  });
});
