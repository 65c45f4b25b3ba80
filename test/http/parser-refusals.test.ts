/** What Node's parser refuses before any gate: in the same words, once, and then the end. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefusalAndEnd, expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const START = 'POST /mcp HTTP/1.1\r\n';

const REFUSED: ReadonlyArray<[what: string, text: string, status: number, code: PublicCode]> = [
  ['words', 'hello there\r\n\r\n', 400, 'invalid_header'],
  ['a secret', `${CANARY}\r\n\r\n`, 400, 'invalid_header'],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'invalid_header'],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_header'],
  ['an SSH greeting', 'SSH-2.0-OpenSSH_9.6\r\n', 400, 'invalid_header'],
  ['a PROXY line', 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n', 400, 'invalid_header'],
  ['NUL', '\0'.repeat(100), 400, 'invalid_header'],
  ['every byte there is', String.fromCharCode(...Array(256).keys()), 400, 'invalid_header'],
  ['a response', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 400, 'invalid_header'],
  [
    'a secret in a malformed field',
    `${START}Authorization : Bearer ${CANARY}\r\n\r\n`,
    400,
    'invalid_header',
  ],
  ['a secret in a malformed target', `GET ${CANARY} HTTP/1.1\r\n\r\n`, 400, 'invalid_header'],
  ['two lengths', `${START}Content-Length: 1\r\nContent-Length: 1\r\n\r\n`, 400, 'duplicate_header'],
  ['a length that is none', `${START}Content-Length: x\r\n\r\n`, 400, 'invalid_content_length'],
  [
    'length and coding',
    `${START}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
    'transfer_encoding_not_supported',
  ],
  ['a head without end', `${START}X: ${'x'.repeat(40_000)}`, 431, 'headers_too_large'],
  ['fields without end', START + 'X: y\r\n'.repeat(20_000), 431, 'headers_too_large'],
  ['a target without end', `GET /${'x'.repeat(40_000)}`, 431, 'headers_too_large'],
];

test.each(REFUSED)('[A.parser] [A.close] [A.headers] %s', async (_what, text, status, code) => {
  await expectRefused(server, text, status, code);
});

test.each(REFUSED)(
  '[A.parser] once, although more of the same follows: %s',
  async (_what, text, status, code) => {
    const connection = await connectTo(server);
    connection.send(text + text);
    await new Promise((resolve) => setImmediate(resolve));
    connection.send(text);
    await expectRefusalAndEnd(connection, status, code);
  },
);

test.each([
  ['half a start line', 'POST /m'],
  ['half a head', `${START}Host: localhost\r\n`],
])('[A.parser] %s, then the end', async (_what, text) => {
  const connection = await connectTo(server);
  connection.send(text);
  connection.socket.end();
  await expectRefusalAndEnd(connection, 400, 'truncated_body');
});

test('[A.parser] a connection that ends or resets without a word gets none', async () => {
  const ended = await connectTo(server);
  ended.socket.end();
  expect(await ended.closed()).toBe(true);
  for (let round = 0; round < 5; round++) {
    const connection = await connectTo(server);
    if (round > 0) connection.send(START.slice(0, round * 3));
    connection.socket.resetAndDestroy();
  }
  expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
});

test('[A.parser] a reset right behind what is refused does no harm', async () => {
  for (const text of ['garbage\r\n\r\n', 'GET /nowhere HTTP/1.1\r\n\r\n', post(server, 'x', { session })]) {
    for (let round = 0; round < 5; round++) {
      const connection = await connectTo(server);
      connection.send(text);
      connection.socket.resetAndDestroy();
    }
  }
  expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
});

test('empty lines before a request are skipped (RFC 9112 section 2.2)', async () => {
  const answer = await ask(server, `\r\n\r\n${post(server, call(1, 'ping'), { session })}`);
  expect(answer.status).toBe(200);
});
