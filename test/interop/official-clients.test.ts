/**
 * Both official clients with a good token, from connect to DELETE, and what they put on the wire on the way:
 * the rows of README.md that the contract bears.
 */
import { describe, expect, test } from '@jest/globals';
import {
  bearer,
  OFFICIAL_CLIENTS,
  type OfficialClient,
  V1,
  V2_NEXT_FIRST,
} from '../support/official-clients.js';
import { type RecordedServer, startRecorded, valuesOf } from '../support/recorder.js';
import { expectNoLeak } from '../support/refusal.js';
import { eventually } from '../support/requests.js';
import { ALICE, ALICE_AND_BOB } from '../support/tokens.js';

const RESOURCES = [
  { uri: 'kb://tenant/canary-tenant/handbook', name: 'handbook', mimeType: 'text/markdown' },
];
/** What the clients wait by themselves before they open a stream again. */
const OWN_DELAY_MS = 1000;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const start = (env: Record<string, string> = {}): Promise<RecordedServer> =>
  startRecorded({ tokens: ALICE_AND_BOB, env });

describe.each(OFFICIAL_CLIENTS)('%s', (_name, kind) => {
  const probes = kind === V2_NEXT_FIRST ? ['server/discover'] : [];

  async function connected(
    { recorder }: RecordedServer,
    headers: Record<string, string> = {},
  ): Promise<OfficialClient> {
    const client = kind.open({ url: recorder.url, headers: { ...bearer(ALICE), ...headers } });
    await client.connect();
    return client;
  }

  test('[R.whole-session] connects, pings, lists, hears the notification, and ends its session', async () => {
    const recorded = await start();
    const { recorder, server } = recorded;
    const client = await connected(recorded);
    expect(await client.ping()).toEqual({});
    expect(await client.listResources()).toEqual(RESOURCES);
    await eventually(() => client.refreshed.length > 0, 'the list is fetched again');
    expect(client.refreshed).toEqual([RESOURCES]);
    await client.terminateSession();
    await client.close();

    const { story } = recorder;
    expect(story.slice(0, probes.length + 2)).toEqual([...probes, 'initialize', 'notifications/initialized']);
    expect(story.slice(probes.length + 2).toSorted()).toEqual(
      ['DELETE', 'GET', 'ping', 'resources/list', 'resources/list'].toSorted(),
    );
    expect(story.at(-1)).toBe('DELETE');
    expect(client.errors).toEqual([]);
    await expectNoLeak(server);
  });

  test('[R.headers] sends both types in Accept, the version once from initialized on, and 32 fields are plenty', async () => {
    const recorded = await start();
    const client = await connected(recorded);
    await client.ping();
    await eventually(() => recorded.recorder.of('GET').length > 0, 'the stream is opened');
    await client.terminateSession();
    const { recorder } = recorded;
    for (const exchange of recorder.exchanges) {
      expect(exchange.headers.length).toBeLessThanOrEqual(16);
      expect(valuesOf(exchange, 'authorization')).toEqual(['Bearer <token>']);
      expect(valuesOf(exchange, 'accept-encoding')).toEqual(['gzip, deflate']);
    }
    const [initialize] = recorder.of('initialize');
    expect(valuesOf(initialize, 'mcp-protocol-version')).toEqual([]);
    expect(valuesOf(initialize, 'mcp-session-id')).toEqual([]);
    for (const word of ['notifications/initialized', 'ping', 'GET', 'DELETE']) {
      const [exchange] = recorder.of(word);
      expect(valuesOf(exchange, 'mcp-protocol-version')).toEqual(['2025-11-25']);
      expect(valuesOf(exchange, 'mcp-session-id')).toEqual(['<session>']);
      expect(valuesOf(exchange, 'accept')).toEqual([
        { GET: 'text/event-stream', DELETE: '*/*' }[word] ?? 'application/json, text/event-stream',
      ]);
    }
    expect(valuesOf(recorder.of('DELETE')[0], 'content-type')).toEqual([]);
  });

  test('[R.early-request] asks before its stream is open, and gets answers', async () => {
    const recorded = await start();
    const client = await connected(recorded);
    await Promise.all([client.ping(), client.listResources(), client.ping()]);
    expect(recorded.recorder.exchanges.filter(({ status = 0 }) => status >= 400)).toHaveLength(probes.length);
  });

  test('[R.stream-ends] bears the end of the stream and comes back after `retry`, not at once', async () => {
    const recorded = await start({ MCP_STREAM_RETRY_MS: '2500' });
    const { recorder } = recorded;
    const client = await connected(recorded);
    await eventually(() => recorder.of('GET').length === 1, 'the stream is opened');
    await pause(OWN_DELAY_MS + 700);
    expect(recorder.of('GET')).toHaveLength(1);
    await eventually(() => recorder.of('GET')[1]?.status === 200, 'the stream is opened again');
    const [first, second] = recorder.of('GET');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2400);
    expect(valuesOf(second, 'last-event-id')).toEqual([expect.stringMatching(/^get-/)]);
    expect(await client.ping()).toEqual({});
    expect(client.errors).toEqual([]);
  });

  test('[R.cursor-lost] after a stream without a message it comes back without Last-Event-ID', async () => {
    const recorded = await start({ MCP_STREAM_RETRY_MS: '50' });
    const { recorder } = recorded;
    const client = await connected(recorded);
    await eventually(() => recorder.of('GET').length >= 3, 'three streams');
    const [first, second, third] = recorder.of('GET').map((get) => valuesOf(get, 'last-event-id').length);
    expect([first, second, third]).toEqual([0, 1, 0]);
    await eventually(() => client.refreshed.length > 0, 'the list is fetched again');
    await client.close();
    expect(client.refreshed).toHaveLength(1);
  });

  test('[R.cut-stream] a stream that a proxy cut is opened again, by its cursor, and nothing comes twice', async () => {
    const recorded = await start({ MCP_STREAM_RETRY_MS: '100' });
    const { recorder } = recorded;
    recorder.cutStreams(1);
    const client = await connected(recorded);
    await eventually(() => recorder.of('GET')[1]?.status === 200, 'a second stream');
    const [, second] = recorder.of('GET');
    expect(valuesOf(second, 'last-event-id')).toEqual([expect.stringMatching(/^get-/)]);
    await eventually(() => client.refreshed.length > 0, 'the list is fetched again');
    expect(await client.ping()).toEqual({});
    await client.close();
    expect(client.refreshed).toHaveLength(1);
    expect(client.errors.map(String).filter((text) => text.includes('SSE stream disconnected'))).toHaveLength(
      1,
    );
  });

  test('[R.no-delete] close alone sends no DELETE: the session waits for its end', async () => {
    const recorded = await start();
    const client = await connected(recorded);
    await client.ping();
    await client.close();
    await pause(100);
    expect(recorded.recorder.of('DELETE')).toEqual([]);
  });

  test('[R.cancel] a request given up is cancelled by notification; its late answer is reported, not fatal', async () => {
    const recorded = await start();
    const { recorder, server } = recorded;
    const client = await connected(recorded);
    const given = client.giveUp('test/hold');
    await eventually(async () => (await server.held()) === 1, 'the method runs');
    given.abort();
    expect(await given.failure).toBeInstanceOf(Error);
    await eventually(async () => (await server.aborted()) === 1, 'the method is stopped');
    const [cancelled] = recorder.of('notifications/cancelled');
    expect(cancelled?.message.params).toEqual({ requestId: expect.any(Number), reason: expect.any(String) });
    await eventually(() => recorder.of('notifications/cancelled')[0]?.status === 202, 'it is accepted');
    expect(await client.ping()).toEqual({});
    await client.sendRootsListChanged();
    expect(recorder.of('notifications/roots/list_changed')).toEqual([
      expect.objectContaining({ status: 202 }),
    ]);
    expect(client.errors.map(String)).toEqual([expect.stringContaining('unknown message ID')]);
  });

  test('[R.version-joined] a version header set by hand: v1 joins it to its own, v2 replaces it; both borne', async () => {
    const recorded = await start();
    const client = await connected(recorded, { 'MCP-Protocol-Version': '2025-11-25' });
    expect(await client.ping()).toEqual({});
    const [ping] = recorded.recorder.of('ping');
    const sent = kind === V1 ? '2025-11-25, 2025-11-25' : '2025-11-25';
    expect(valuesOf(ping, 'mcp-protocol-version')).toEqual([sent]);
  });

  test('[R.version-conflict] another version set by hand conflicts with the client’s own: refused, no hang', async () => {
    const recorded = await start({ MCP_ACCEPT_OTHER_PROTOCOL_VERSION: 'true' });
    const client = kind.open({
      url: recorded.recorder.url,
      headers: { ...bearer(ALICE), 'MCP-Protocol-Version': '2025-06-18' },
    });
    await expect(client.connect()).rejects.toThrow('unsupported_protocol_version');
  });
});

/** Stands between the client and the wire and changes the version it sends after `initialize`. */
function tampering(version: string | undefined): typeof fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get('mcp-protocol-version') === '2025-11-25') {
      headers.delete('mcp-protocol-version');
      if (version !== undefined) headers.set('mcp-protocol-version', version);
    }
    return fetch(url, { ...init, headers });
  };
}

/** No client recorded here does either; hosted ones have been reported to, so their traffic is made by hand. */
describe.each(OFFICIAL_CLIENTS)('%s behind something that tampers with the version header', (_name, kind) => {
  const HABITS = [
    {
      habit: 'leaves it out',
      version: undefined,
      code: 'missing_protocol_version',
      name: 'MCP_ACCEPT_MISSING_PROTOCOL_VERSION',
    },
    {
      habit: 'sends an earlier one',
      version: '2025-06-18',
      code: 'unsupported_protocol_version',
      name: 'MCP_ACCEPT_OTHER_PROTOCOL_VERSION',
    },
  ];

  test.each(HABITS)('[R.version-tampered] $habit: refused', async ({ version, code }) => {
    const { recorder } = await start();
    const fetch = tampering(version);
    const client = kind.open({ url: recorder.url, headers: bearer(ALICE), fetch });
    await expect(client.connect()).rejects.toThrow(code);
  });

  test.each(HABITS)('[R.version-tampered] $habit: its switch lets it in', async ({ version, name }) => {
    const { recorder } = await start({ [name]: 'true' });
    const fetch = tampering(version);
    const client = kind.open({ url: recorder.url, headers: bearer(ALICE), fetch });
    await client.connect();
    expect(await client.listResources()).toEqual(RESOURCES);
    await eventually(() => client.refreshed.length > 0, 'the list is fetched again');
    await client.terminateSession();
    expect(client.errors).toEqual([]);
  });
});

test('[R.probe] v2 tries server/discover by the next revision, is refused, and falls back', async () => {
  const { recorder } = await start();
  const client = V2_NEXT_FIRST.open({ url: recorder.url, headers: bearer(ALICE) });
  await client.connect();
  const [probe, initialize] = recorder.exchanges;
  expect(probe).toMatchObject({ status: 400, code: 'unsupported_protocol_version' });
  expect(valuesOf(probe, 'mcp-protocol-version')).toEqual(['2026-07-28']);
  expect(valuesOf(probe, 'mcp-method')).toEqual(['server/discover']);
  expect(initialize?.message).toMatchObject({
    method: 'initialize',
    params: { protocolVersion: '2025-11-25' },
  });
  expect(await client.ping()).toEqual({});
});
