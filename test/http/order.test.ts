/** Requests that are wrong at two gates at once: the earlier gate's code is the answer, and nothing after it runs. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefused } from '../support/connections.js';
import { expectNoLeak, loggedRequests } from '../support/refusal.js';
import {
  call,
  del,
  eventually,
  get,
  openReadySession,
  post,
  type RequestOverrides,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_MAX_SESSIONS: '100', MCP_DISCARD_TIMEOUT_MS: '200' },
  });
});
afterEach(() => expectNoLeak(server));

/** One fault each, in the order in which they are judged. */
const FAULTS = {
  longPath: { target: `/${'a'.repeat(2048)}` },
  manyFields: { lines: Array.from({ length: 33 }, (_, n) => `X-Pad-${n}: x`) },
  longValue: { headers: { 'X-Long': 'x'.repeat(2049) } },
  bigHead: { headers: Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`X-${n}`, 'x'.repeat(2048)])) },
  query: { target: `/mcp?access_token=${CANARY}` },
  repeated: { headers: { 'Last-Event-ID': ['a', 'b'] } },
  illegalValue: { headers: { 'MCP-Session-Id': 'caf\xe9' } },
  expectation: { headers: { Expect: 'the-unexpected' } },
  host: { headers: { Host: 'evil.example' } },
  origin: { headers: { Origin: 'https://evil.example' } },
  path: { target: '/nowhere' },
  method: { method: 'PUT' },
  accept: { headers: { Accept: 'text/html' } },
  mediaType: { headers: { 'Content-Type': 'text/plain' } },
  chunked: { headers: { 'Transfer-Encoding': 'chunked', 'Content-Length': undefined } },
  noLength: { headers: { 'Content-Length': undefined } },
  zeroLength: { headers: { 'Content-Length': '0' } },
  tooLarge: { headers: { 'Content-Length': '16385' } },
} satisfies Record<string, RequestOverrides>;

type Fault = keyof typeof FAULTS;

function both(first: RequestOverrides, second: RequestOverrides): RequestOverrides {
  return {
    ...first,
    ...second,
    headers: { ...first.headers, ...second.headers },
    lines: [...(first.lines ?? []), ...(second.lines ?? [])],
  };
}

const PAIRS: ReadonlyArray<[earlier: Fault, later: Fault, status: number, code: PublicCode]> = [
  ['longPath', 'manyFields', 414, 'uri_too_long'],
  ['manyFields', 'longValue', 431, 'too_many_headers'],
  ['longValue', 'bigHead', 431, 'header_too_large'],
  ['bigHead', 'query', 431, 'headers_too_large'],
  ['query', 'repeated', 400, 'query_not_allowed'],
  ['repeated', 'illegalValue', 400, 'duplicate_header'],
  ['illegalValue', 'expectation', 400, 'invalid_header'],
  ['expectation', 'host', 417, 'expectation_failed'],
  ['query', 'host', 400, 'query_not_allowed'],
  ['query', 'method', 400, 'query_not_allowed'],
  ['host', 'origin', 403, 'invalid_host'],
  ['host', 'path', 403, 'invalid_host'],
  ['origin', 'path', 403, 'invalid_origin'],
  ['origin', 'method', 403, 'invalid_origin'],
  ['path', 'method', 404, 'not_found'],
  ['path', 'accept', 404, 'not_found'],
  ['method', 'accept', 405, 'method_not_allowed'],
  ['method', 'mediaType', 405, 'method_not_allowed'],
  ['accept', 'mediaType', 406, 'not_acceptable'],
  ['accept', 'chunked', 406, 'not_acceptable'],
  ['mediaType', 'chunked', 415, 'unsupported_media_type'],
  ['mediaType', 'noLength', 415, 'unsupported_media_type'],
  ['mediaType', 'zeroLength', 415, 'unsupported_media_type'],
  ['mediaType', 'tooLarge', 415, 'unsupported_media_type'],
  ['host', 'tooLarge', 403, 'invalid_host'],
];

test.each(PAIRS)('[ORDER.first-refusal-wins] %s before %s: %i %s', async (earlier, later, status, code) => {
  const overrides = both(FAULTS[earlier], FAULTS[later]);
  await expectRefused(server, post(server, call(1, 'ping'), overrides), status, code);
});

test('[ORDER.first-refusal-wins] capacity before everything in the head', async () => {
  const full = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_CONCURRENT_REQUESTS: '1' } });
  const session = await openReadySession(full);
  const holder = await connectTo(full);
  holder.send(post(full, call(1, 'test/hold'), { session }));
  await eventually(async () => (await full.held()) === 1, 'one held request');
  await expectRefused(full, post(full, '', both(FAULTS.longPath, FAULTS.host)), 503, 'overloaded');
  await full.release();
  expect((await holder.answer()).status).toBe(200);
  await expectNoLeak(full, session);
});

/** Bodies that are wrong in what is judged first and in all that is judged after it. */
const BODIES: ReadonlyArray<[what: string, body: string | Uint8Array, code: PublicCode]> = [
  ['bytes before depth', Buffer.concat([Buffer.from([0xff]), Buffer.from('['.repeat(65))]), 'invalid_utf8'],
  ['depth before syntax', `${'['.repeat(65)}x`, 'json_depth_exceeded'],
  ['syntax before envelope', '[1, 2', 'invalid_json'],
  ['envelope before token', '{"jsonrpc":"1.0"}', 'invalid_jsonrpc'],
];

test.each(BODIES)('[ORDER.first-refusal-wins] in the body: %s', async (_what, body, code) => {
  await expectRefused(server, post(server, body, { token: null }), 400, code);
});

test.each(['unknown', null])(
  '[ORDER.first-refusal-wins] the token %j is judged before version and session',
  async (token) => {
    const code = token === null ? 'authorization_required' : 'invalid_token';
    await expectRefused(server, post(server, call(1, 'ping'), { token }), 401, code);
    await expectRefused(server, get(server, { token }), 401, code);
    await expectRefused(server, del(server, { token }), 401, code);
  },
);

test('[ORDER.first-refusal-wins] each refusal is one line in the log, with its code', async () => {
  const before = (await loggedRequests(server)).length;
  await expectRefused(
    server,
    post(server, 'x', both(FAULTS.origin, FAULTS.mediaType)),
    403,
    'invalid_origin',
  );
  await eventually(async () => (await loggedRequests(server)).length > before, 'a line in the log');
  expect((await loggedRequests(server)).slice(before)).toEqual([
    expect.objectContaining({ method: 'POST', path: '/mcp', status: 403, code: 'invalid_origin' }),
  ]);
});
