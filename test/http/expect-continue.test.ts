/** `Expect: 100-continue`: a body is asked for only by who has judged everything before it. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefusalAndEnd, expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { call, get, openReadySession, post, type RequestOverrides } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_BODY_TIMEOUT_MS: '1500', MCP_DISCARD_TIMEOUT_MS: '100' },
  });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

function ping(overrides: RequestOverrides = {}): { head: string; body: string } {
  const headers = { Expect: '100-continue', ...overrides.headers };
  const text = post(server, call(1, 'ping'), { session, ...overrides, headers });
  const end = text.indexOf('\r\n\r\n') + 4;
  return { head: text.slice(0, end), body: text.slice(end) };
}

test.each(['100-continue', '100-Continue', '100-CONTINUE'])(
  '[G2.continue] %s: 100 Continue, then the body, then the answer',
  async (expectation) => {
    const { head, body } = ping({ headers: { Expect: expectation } });
    const connection = await connectTo(server);
    connection.send(head);
    expect((await connection.answer()).status).toBe(100);
    expect(connection.rest).toBe('');
    connection.send(body);
    expect((await connection.answer()).status).toBe(200);
    connection.send(head);
    expect((await connection.answer()).status).toBe(100);
  },
);

test('[G2.continue] a client that does not wait is served all the same', async () => {
  const { head, body } = ping();
  const connection = await connectTo(server);
  connection.send(head + body);
  const answers = [await connection.answer()];
  if (answers[0]?.status === 100) answers.push(await connection.answer());
  expect(answers.at(-1)?.status).toBe(200);
});

const REFUSED: ReadonlyArray<[what: string, overrides: RequestOverrides, status: number, code: PublicCode]> =
  [
    ['a path too long', { target: `/${'a'.repeat(2048)}` }, 414, 'uri_too_long'],
    ['a query', { target: '/mcp?x' }, 400, 'query_not_allowed'],
    ['a header twice', { headers: { 'MCP-Session-Id': ['a', 'a'] } }, 400, 'duplicate_header'],
    ['a foreign host', { headers: { Host: 'evil.example' } }, 403, 'invalid_host'],
    ['a foreign origin', { headers: { Origin: 'https://evil.example' } }, 403, 'invalid_origin'],
    ['no such path', { target: '/nowhere' }, 404, 'not_found'],
    ['another method', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['no Accept', { headers: { Accept: undefined } }, 406, 'not_acceptable'],
    ['another media type', { headers: { 'Content-Type': 'text/plain' } }, 415, 'unsupported_media_type'],
    [
      'chunked',
      { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } },
      400,
      'transfer_encoding_not_supported',
    ],
    ['no length', { headers: { 'Content-Length': undefined } }, 411, 'length_required'],
    ['no body', { headers: { 'Content-Length': '0' } }, 400, 'empty_body'],
    ['too large a body', { headers: { 'Content-Length': '16385' } }, 413, 'body_too_large'],
  ];

test.each(REFUSED)(
  '[G2.continue] %s: refused without 100 Continue',
  async (_what, overrides, status, code) => {
    await expectRefused(server, ping(overrides).head, status, code);
  },
);

test.each(REFUSED)(
  '[G2.continue] %s: refused also when the body comes unasked',
  async (_what, overrides, status, code) => {
    const { head, body } = ping(overrides);
    await expectRefused(server, head + body, status, code);
  },
);

test('[G2.continue] after 100 Continue the body has its time', async () => {
  const { head } = ping();
  const connection = await connectTo(server);
  connection.send(head);
  expect((await connection.answer()).status).toBe(100);
  await expectRefusalAndEnd(connection, 408, 'request_timeout');
});

test('[G2.continue] behind another request nobody is told to send before its turn', async () => {
  const { head, body } = ping();
  const connection = await connectTo(server);
  connection.send(post(server, call('first', 'test/hold'), { session }) + head);
  await expect(connection.answer(100)).rejects.toThrow('no whole answer');
  await server.release();
  expect((await connection.answer()).body).toContain('"first"');
  expect((await connection.answer()).status).toBe(100);
  connection.send(body);
  expect((await connection.answer()).status).toBe(200);
});

test('[G2.continue] HTTP/1.0 does not know it: no 100 Continue', async () => {
  const { head, body } = ping({ version: 'HTTP/1.0' });
  const connection = await connectTo(server);
  connection.send(head + body);
  expect((await connection.answer()).status).toBe(200);
});

test.each([
  'the-unexpected',
  '',
  '100-continu',
  '100-continue-not',
  '200-ok',
  '100-continue, the-unexpected',
  'the-unexpected, 100-continue',
  '100-continue; x=y',
  '"100-continue"',
])('[G2.expect] %j', async (expectation) => {
  const { head, body } = ping({ headers: { Expect: expectation } });
  await expectRefused(server, head, 417, 'expectation_failed');
  await expectRefused(server, head + body, 417, 'expectation_failed');
  const asking = get(server, { session, headers: { Expect: expectation } });
  await expectRefused(server, asking, 417, 'expectation_failed');
});

test('[G2.expect] two lines of which one is another', async () => {
  const { head } = ping({ headers: { Expect: ['100-continue', 'the-unexpected'] } });
  await expectRefused(server, head, 417, 'expectation_failed');
});
