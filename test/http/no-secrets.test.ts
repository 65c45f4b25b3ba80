/** What is the same for every answer, and what no answer, header or log line ever holds. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type RawAnswer, RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  eventually,
  get,
  INITIALIZE,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, CANARY, record, tokensOf } from '../support/tokens.js';

interface ErrorLine {
  readonly level: string;
  readonly context: string;
  readonly msg: string;
  readonly err: { type: string; message: string; stack?: string; cause?: ErrorLine['err'] };
}

async function errorLines(server: TestServer): Promise<ErrorLine[]> {
  const lines = (await server.logs()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ErrorLine).filter(({ level }) => level === 'error');
}

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '100' } });
  session = await openReadySession(server);
});

const alice = record(ALICE);
/** All that a request of Alice brings and that nobody may read in a log. */
const secrets = (): string[] => [
  ALICE,
  `Bearer ${ALICE}`,
  session,
  alice.token_id,
  alice.subject,
  alice.tenant,
  alice.authorization_revision,
];

/** The one error line that a request brings. */
async function errorOf(text: string, on = server): Promise<{ answer: RawAnswer; line: ErrorLine }> {
  const before = (await errorLines(on)).length;
  const answer = await ask(on, text);
  await eventually(async () => (await errorLines(on)).length > before, 'an error line');
  const lines = (await errorLines(on)).slice(before);
  expect(lines).toHaveLength(1);
  return { answer, line: lines[0] as ErrorLine };
}

describe('an exception that nobody foresaw', () => {
  test('[A.internal] outside a JSON-RPC request: 500 internal_error; the masked stack is in the log only', async () => {
    const params = { text: secrets().join(' and ') };
    const { answer, line } = await errorOf(
      post(server, notification('notifications/test/throwing', params), { session }),
    );
    expectRefusal(answer, 500, 'internal_error');
    expect(line).toMatchObject({ context: 'Boundary', msg: 'unforeseen exception', err: { type: 'Error' } });
    expect(line.err.message).toBe(
      `cannot go on with ${secrets()
        .map(() => '[masked]')
        .join(' and ')}`,
    );
    expect(line.err.stack).toMatch(/^Error: cannot go on with \[masked\][^]*\n {4}at /);
    await expectNoLeak(server, session);
  });

  test.each([
    ['at once', 'test/throwing', 'Error'],
    ['later', 'test/rejecting', 'TypeError'],
  ])(
    '[A.internal] in a method, %s: the caller gets -32603, the log the cause, masked',
    async (_name, method, type) => {
      const params = { text: secrets().join(' ') };
      const { answer, line } = await errorOf(post(server, call('id', method, params), { session }));
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/cannot|canary/);
      expect(line).toMatchObject({ context: 'Boundary', msg: 'a method failed', err: { type } });
      expect(line.err.stack).toContain('[masked]');
      await expectNoLeak(server, session);
    },
  );

  test('[A.internal] causes are logged with the same masks', async () => {
    const params = { text: ALICE };
    const { line } = await errorOf(post(server, call(1, 'test/throwing', params), { session }));
    expect(line.err.cause).toMatchObject({ type: 'Error', message: 'because of [masked]' });
    expect(line.err.cause?.stack).toContain('because of [masked]');
    await expectNoLeak(server, session);
  });

  test('[A.internal] claims are masked as they stand in JSON and in a URI, and where one is within another', async () => {
    const tenant = `${CANARY} "租户"/甲?#`;
    const own = await startServer({
      tokens: tokensOf(record(ALICE, { tenant, subject: `${tenant}-and-more` })),
    });
    const opened = await openReadySession(own);
    const text = [JSON.stringify(tenant), encodeURIComponent(tenant), `${tenant}-and-more`].join(' ');
    const message = notification('notifications/test/throwing', { text });
    const { answer, line } = await errorOf(post(own, message, { session: opened }), own);
    expectRefusal(answer, 500, 'internal_error');
    expect(line.err.message).toBe('cannot go on with "[masked]" [masked] [masked]');
    await expectNoLeak(own, opened);
  });

  test.each([
    'undefined',
    'null prototype',
    'throwing toString',
    'throwing message',
    'no constructor',
    'endless causes',
  ])('[A.internal] thrown: %s', async (kind) => {
    const { answer } = await errorOf(
      post(server, notification('notifications/test/hostile', { kind }), { session }),
    );
    expectRefusal(answer, 500, 'internal_error');
    await expectNoLeak(server, session);
  });

  test('[A.internal] the server goes on, and so does the session', async () => {
    await ask(server, post(server, notification('notifications/test/throwing', { text: 'x' }), { session }));
    expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
  });
});

/** One request for every code of gates 8 to 11 and of the metadata, with canaries wherever a value can stand. */
const REFUSALS: ReadonlyArray<[code: string, status: number, build: () => string | Promise<string>]> = [
  [
    'authorization_required',
    401,
    () => post(server, INITIALIZE, { headers: { Authorization: `Basic ${CANARY}` } }),
  ],
  ['invalid_token', 401, () => post(server, INITIALIZE, { token: `${CANARY}-nobody` })],
  ['initialization_must_not_reuse_session', 400, () => post(server, INITIALIZE, { session })],
  [
    'missing_protocol_version',
    400,
    () => post(server, call(CANARY, CANARY), { headers: { 'MCP-Session-Id': session } }),
  ],
  [
    'unsupported_protocol_version',
    400,
    () => get(server, { session, headers: { 'MCP-Protocol-Version': CANARY } }),
  ],
  ['missing_or_invalid_session', 400, () => del(server, { session: `${CANARY} ${session}` })],
  ['session_not_found', 404, () => get(server, { session: `${CANARY}-${session}` })],
  ['invalid_lifecycle', 400, async () => get(server, { session: await openSession(server) })],
  ['invalid_initialize', 400, () => post(server, call(CANARY, 'initialize', { protocolVersion: CANARY }))],
  [
    'unsupported_notification',
    400,
    () => post(server, notification(CANARY, { [CANARY]: CANARY }), { session }),
  ],
  [
    'unexpected_response',
    400,
    () => post(server, { jsonrpc: '2.0', id: CANARY, result: { [CANARY]: 1 } }, { session }),
  ],
  ['invalid_last_event_id', 400, () => get(server, { session, headers: { 'Last-Event-ID': CANARY } })],
  [
    'metadata_does_not_accept_credentials',
    400,
    () => get(server, { target: '/.well-known/oauth-protected-resource', headers: { Accept: CANARY } }),
  ],
  ['invalid_json', 400, () => post(server, `{"${CANARY}": ${session}`, { session })],
  ['invalid_jsonrpc', 400, () => post(server, { [CANARY]: session }, { session })],
  ['not_acceptable', 406, () => get(server, { session, headers: { Accept: `text/${CANARY}` } })],
  [
    'unsupported_media_type',
    415,
    () => post(server, INITIALIZE, { headers: { 'Content-Type': `text/${CANARY}` } }),
  ],
  [
    'invalid_origin',
    403,
    () => post(server, INITIALIZE, { headers: { Origin: `https://${CANARY}.example` } }),
  ],
];

test.each(REFUSALS)('[A.error-body] %s (%d) tells its code and nothing else', async (code, status, build) => {
  const answer = await ask(server, await build());
  expectRefusal(answer, status, code as Parameters<typeof expectRefusal>[2]);
  expect(answer.text).not.toContain(session);
  expect(answer.text).not.toMatch(/at .*:\d+:\d+|node_modules|\.js/);
  await expectNoLeak(server, session);
});

async function headOf(text: string): Promise<Pick<RawAnswer, 'headers'>> {
  const connection = await RawConnection.open(server.port);
  connection.send(text);
  await connection.closed();
  const [, ...lines] = connection.rest.split('\r\n');
  connection.destroy();
  return {
    headers: new Map(
      lines
        .filter((line) => line.includes(': '))
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
    ),
  };
}

describe('headers of every answer', () => {
  const ANSWERS: ReadonlyArray<
    [name: string, contentType: string | undefined, build: () => string | Promise<string>]
  > = [
    ['initialize', 'application/json', () => post(server, INITIALIZE)],
    ['ping', 'application/json', () => post(server, call(1, 'ping'), { session })],
    ['a JSON-RPC error', 'application/json', () => post(server, call(1, 'nowhere'), { session })],
    ['resources/list', 'text/event-stream', () => post(server, call(1, 'resources/list'), { session })],
    ['GET', 'text/event-stream', () => get(server, { session })],
    [
      'an accepted notification',
      undefined,
      () => post(server, notification('notifications/progress'), { session }),
    ],
    ['DELETE', undefined, async () => del(server, { session: await openSession(server) })],
    ['a refusal', 'application/json', () => post(server, call(1, 'ping'))],
    ['an unknown path', 'application/json', () => get(server, { target: '/nowhere' })],
    ['HEAD', 'application/json', () => get(server, { method: 'HEAD', headers: { Connection: 'close' } })],
    [
      'metadata',
      'application/json',
      () =>
        get(server, {
          target: '/.well-known/oauth-protected-resource',
          token: null,
          headers: { Accept: '*/*' },
        }),
    ],
    ['health', 'application/json', () => get(server, { target: '/healthz' })],
    ['what the parser refuses', 'application/json', () => 'GET /mcp HTTP/1.1\r\nHost : x\r\n\r\n'],
  ];
  test.each(ANSWERS)('[A.headers] %s', async (name, contentType, build) => {
    // The body of HEAD's answer never comes, so only the head is read.
    const text = await build();
    const answer = name === 'HEAD' ? await headOf(text) : await ask(server, text);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.headers.get('cache-control')).toMatch(/(?:^|, )no-store(?:,|$)/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    for (const banner of ['x-powered-by', 'etag', 'server', 'set-cookie', 'access-control-allow-origin']) {
      expect([banner, answer.headers.has(banner)]).toEqual([banner, false]);
    }
    expect(answer.headers.has('mcp-session-id')).toBe(name === 'initialize');
    await expectNoLeak(server, session);
  });
});

test('[A.error-body] a whole session, good and bad, leaves no secret in its answers or in the log', async () => {
  const own = await startServer({ tokens: ALICE_AND_BOB });
  const opened = await openReadySession(own);
  const texts = [
    post(own, call(CANARY, 'ping', { _meta: { token: ALICE, session: opened } }), { session: opened }),
    post(own, call(1, 'ping', { token: ALICE }), { session: opened }),
    post(own, call(2, CANARY, { session: opened }), { session: opened }),
    post(own, notification('notifications/cancelled', { requestId: CANARY, reason: opened }), {
      session: opened,
    }),
    post(own, notification('notifications/progress', { progressToken: opened, message: ALICE }), {
      session: opened,
    }),
    get(own, { session: opened }),
    get(own, {
      session: opened,
      headers: { 'Last-Event-ID': opened, Cookie: `token=${ALICE}`, 'X-Token': ALICE },
    }),
    del(own, { session: opened }),
    del(own, { session: opened }),
  ];
  for (const [at, text] of texts.entries()) {
    const answer = await ask(own, text);
    expect([at, answer.text.includes(opened), answer.text.includes(ALICE)]).toEqual([at, false, false]);
  }
  await eventually(
    async () => (await own.logs()).split('"context":"Request"').length > texts.length,
    'all lines',
  );
  await expectNoLeak(own, opened);
});
