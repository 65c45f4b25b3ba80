/** Gate 7, framing: where a body ends. Shapes on which two servers in a row could disagree are all refused. */
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefusalAndEnd, expectRefused } from '../support/connections.js';
import { expectNoLeak, expectRefusal, loggedRequests } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  get,
  notification,
  openReadySession,
  openSession,
  post,
  type Fields,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_MAX_SESSIONS: '100', MCP_DISCARD_TIMEOUT_MS: '300' },
  });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const PING = JSON.stringify(call(1, 'ping'));

/** A ping with the framing fields given, and then its body or `body`. */
function framed(headers: Fields, body = PING): string {
  return post(server, '', { session, headers: { 'Content-Length': undefined, ...headers } }) + body;
}

/** A call of exactly so many bytes. */
const echo = (bytes: number): string => {
  const empty = JSON.stringify(call(1, 'test/echo', { text: '' }));
  return JSON.stringify(call(1, 'test/echo', { text: 'x'.repeat(bytes - empty.length) }));
};

describe('length', () => {
  test('[G7.length-required] POST without one', async () => {
    await expectRefused(server, framed({}, ''), 411, 'length_required');
    await expectRefused(server, framed({ Connection: 'close' }, ''), 411, 'length_required');
    const old = post(server, '', { session, version: 'HTTP/1.0', headers: { 'Content-Length': undefined } });
    await expectRefused(server, old, 411, 'length_required');
  });

  test('[G7.empty] a length of zero', async () => {
    await expectRefused(server, framed({ 'Content-Length': '0' }, ''), 400, 'empty_body');
    await expectRefused(server, framed({ 'Content-Length': '000' }, ''), 400, 'empty_body');
  });

  test.each([
    ['a plus sign', (n: number) => `+${n}`],
    ['a minus sign', (n: number) => `-${n}`],
    ['hex', (n: number) => `0x${n.toString(16)}`],
    ['hex without a prefix', (n: number) => `${n.toString(16)}h`],
    ['an exponent', (n: number) => `${n}e0`],
    ['a fraction', (n: number) => `${n}.0`],
    ['a list', (n: number) => `${n}, ${n}`],
    ['a list of different ones', (n: number) => `${n}, 0`],
    ['a bare list', (n: number) => `${n},${n}`],
    ['a space within', (n: number) => `${Math.floor(n / 10)} ${n % 10}`],
    ['a quote', (n: number) => `"${n}"`],
    ['an underscore', (n: number) => `${n}_`],
    ['nothing', () => ''],
    ['other digits', () => '\xb2'],
    ['a word', () => 'many'],
    ['more than any counter holds', () => '9'.repeat(40)],
  ])('[G7.invalid-length] %s', async (_what, lengthOf) => {
    await expectRefused(
      server,
      framed({ 'Content-Length': lengthOf(PING.length) }),
      400,
      'invalid_content_length',
    );
  });

  test('leading zeros are decimal digits and change nothing', async () => {
    const answer = await ask(server, framed({ 'Content-Length': `${'0'.repeat(30)}${PING.length}` }));
    expect(answer.status).toBe(200);
  });

  test.each(['16385', '0016385', '1000000', '9999999999999999', '18446744073709551615'])(
    '[G7.too-large] %s is too large before a byte of it has come',
    async (length) => {
      await expectRefused(server, framed({ 'Content-Length': length }, ''), 413, 'body_too_large');
    },
  );

  test('[G7.too-large] 16 KiB pass, one byte more does not', async () => {
    expect((await ask(server, post(server, echo(16_384), { session }))).status).toBe(200);
    await expectRefused(server, post(server, echo(16_385), { session }), 413, 'body_too_large');
  });

  test('[G7.too-large] the bound is a setting', async () => {
    const small = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_BODY_BYTES: '64' } });
    await expectRefused(small, post(small, 'x'.repeat(64)), 400, 'invalid_json');
    await expectRefused(small, post(small, 'x'.repeat(65)), 413, 'body_too_large');
  });

  test.each([
    ['GET', get],
    ['DELETE', del],
  ])('[G7.invalid-length] %s with a body', async (_method, request) => {
    const text = request(server, { session, headers: { 'Content-Length': '2' } });
    await expectRefused(server, `${text}{}`, 400, 'invalid_content_length');
    const tooLarge = request(server, { session, headers: { 'Content-Length': '20000' } });
    await expectRefused(server, tooLarge, 413, 'body_too_large');
    const malformed = request(server, { session, headers: { 'Content-Length': '+0' } });
    await expectRefused(server, malformed, 400, 'invalid_content_length');
  });

  test('GET and DELETE with a length of zero have none', async () => {
    const own = await openReadySession(server);
    const headers = { 'Content-Length': '0' };
    expect((await ask(server, get(server, { session: own, headers }))).status).toBe(200);
    expect((await ask(server, del(server, { session: own, headers }))).status).toBe(204);
  });
});

describe('what comes of it', () => {
  test('[G7.truncated] half a body, then the end', async () => {
    for (const part of ['', '{', PING.slice(0, -1)]) {
      const connection = await connectTo(server);
      connection.send(framed({ 'Content-Length': String(PING.length) }, part));
      connection.socket.end();
      await expectRefusalAndEnd(connection, 400, 'truncated_body');
    }
  });

  test('[G7.truncated] [ORDER.first-refusal-wins] a refused request that ends early is refused once', async () => {
    const connection = await connectTo(server);
    connection.send(post(server, '{', { target: '/nowhere', headers: { 'Content-Length': '100' } }));
    connection.socket.end();
    await expectRefusalAndEnd(connection, 404, 'not_found');
  });

  test('[G7.truncated] half a body, then a reset: nothing is served and the server lives', async () => {
    const fresh = await openSession(server);
    const text = post(server, notification('notifications/initialized'), { session: fresh });
    for (let round = 0; round < 10; round++) {
      const connection = await connectTo(server);
      connection.send(text.slice(0, -1));
      connection.socket.resetAndDestroy();
    }
    // Had one of them been served, this would be the second time.
    expect((await ask(server, text)).status).toBe(202);
  });

  test('[G7.timeout] half a body, then nothing', async () => {
    const hasty = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_BODY_TIMEOUT_MS: '300' } });
    const begun = performance.now();
    await expectRefused(hasty, post(hasty, PING).slice(0, -1), 408, 'request_timeout');
    expect(performance.now() - begun).toBeGreaterThan(250);
  });

  test('a shorter length than the body: what is left over is no request', async () => {
    const connection = await connectTo(server);
    connection.send(framed({ 'Content-Length': String(PING.length) }, `${PING}garbage\r\n\r\n`));
    expect((await connection.answer()).status).toBe(200);
    await expectRefusalAndEnd(connection, 400, 'invalid_header');
  });

  test('a body in writes of one byte each is one body', async () => {
    const connection = await connectTo(server);
    const text = post(server, call(1, 'test/echo', { text: 'grüße, 租户 🦀' }), { session });
    for (const byte of Buffer.from(text, 'latin1')) {
      connection.send(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await connection.answer();
    expect(JSON.parse(answer.body)).toMatchObject({ result: { params: { text: 'grüße, 租户 🦀' } } });
  });
});

/** A whole request that would leave a held call behind if anybody took it for one. */
const smuggled = (): string => post(server, call('smuggled', 'test/hold'), { session });

const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const LENGTH = String(PING.length);

describe('transfer coding and smuggling', () => {
  const TE = 'transfer_encoding_not_supported';
  /** With the code, or the codes of the parsers of different Node releases. */
  const SHAPES: ReadonlyArray<[what: string, text: () => string, ...codes: PublicCode[]]> = [
    ['chunked', () => framed({ 'Transfer-Encoding': 'chunked' }, chunked(PING)), TE],
    ['Chunked in another case', () => framed({ 'transfer-encoding': 'CHUNKED' }, chunked(PING)), TE],
    [
      'chunked after a tab',
      () => framed({}, '').replace(/\r\n\r\n$/, `\r\nTransfer-Encoding:\tchunked\r\n\r\n${chunked(PING)}`),
      TE,
    ],
    [
      'a chunk extension',
      () =>
        framed(
          { 'Transfer-Encoding': 'chunked' },
          `${PING.length.toString(16)};a="b"\r\n${PING}\r\n0\r\n\r\n`,
        ),
      TE,
    ],
    ['a trailer', () => framed({ 'Transfer-Encoding': 'chunked' }, `0\r\nContent-Length: 5\r\n\r\n`), TE],
    [
      'a chunk size that is none',
      () => framed({ 'Transfer-Encoding': 'chunked' }, `xyz\r\n${PING}\r\n0\r\n\r\n`),
      TE,
    ],
    ['a chunk size with a sign', () => framed({ 'Transfer-Encoding': 'chunked' }, `+${chunked(PING)}`), TE],
    ['a chunk size with 0x', () => framed({ 'Transfer-Encoding': 'chunked' }, `0x${chunked(PING)}`), TE],
    [
      'a chunk size past 64 bits',
      () => framed({ 'Transfer-Encoding': 'chunked' }, `${'f'.repeat(17)}\r\n${PING}`),
      TE,
    ],
    [
      'a chunk longer than its size',
      () => framed({ 'Transfer-Encoding': 'chunked' }, `1\r\n${PING}\r\n0\r\n\r\n`),
      TE,
    ],
    [
      'bare LF in chunks',
      () => framed({ 'Transfer-Encoding': 'chunked' }, chunked(PING).replaceAll('\r\n', '\n')),
      TE,
    ],
    ['gzip, chunked', () => framed({ 'Transfer-Encoding': 'gzip, chunked' }, chunked(PING)), TE],
    ['chunked, gzip', () => framed({ 'Transfer-Encoding': 'chunked, gzip' }, chunked(PING)), TE],
    ['chunked twice', () => framed({ 'Transfer-Encoding': 'chunked, chunked' }, chunked(PING)), TE],
    [
      'chunked on two lines',
      () => framed({ 'Transfer-Encoding': ['chunked', 'chunked'] }, chunked(PING)),
      TE,
    ],
    ['chunked, identity', () => framed({ 'Transfer-Encoding': 'chunked, identity' }, chunked(PING)), TE],
    ['identity', () => framed({ 'Transfer-Encoding': 'identity' }), TE],
    ['xchunked', () => framed({ 'Transfer-Encoding': 'xchunked' }, chunked(PING)), TE],
    ['chunkedx', () => framed({ 'Transfer-Encoding': 'chunkedx' }, chunked(PING)), TE],
    ['a quoted one', () => framed({ 'Transfer-Encoding': '"chunked"' }, chunked(PING)), TE],
    ['an empty one', () => framed({ 'Transfer-Encoding': '' }, chunked(PING)), TE],
    [
      'chunked with HTTP/1.0',
      () => framed({ 'Transfer-Encoding': 'chunked' }, chunked(PING)).replace('HTTP/1.1', 'HTTP/1.0'),
      TE,
    ],
    [
      'CL, then TE',
      () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding': 'chunked' }, chunked(PING)),
      TE,
    ],
    [
      'TE, then CL',
      () =>
        framed({ 'Transfer-Encoding': 'chunked' }, '').replace(
          /\r\n\r\n$/,
          `\r\nContent-Length: ${LENGTH}\r\n\r\n${chunked(PING)}`,
        ),
      TE,
      'invalid_content_length',
      'duplicate_header',
    ],
    ['CL, then TE identity', () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding': 'identity' }), TE],
    ['CL, then an empty TE', () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding': '' }), TE],
    [
      'CL 0, then TE with a request in its chunk',
      () => framed({ 'Content-Length': '0', 'Transfer-Encoding': 'chunked' }, chunked(smuggled())),
      TE,
    ],
    ['two equal CLs', () => framed({ 'Content-Length': [LENGTH, LENGTH] }), 'duplicate_header'],
    ['two different CLs', () => framed({ 'Content-Length': [LENGTH, '0'] }), 'duplicate_header'],
    ['two CLs, the first one zero', () => framed({ 'Content-Length': ['0', LENGTH] }), 'duplicate_header'],
    ['a space before the colon of CL', () => framed({ 'Content-Length ': LENGTH }), 'invalid_header'],
    [
      'a space before the colon of TE',
      () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding ': 'chunked' }),
      'invalid_header',
    ],
    [
      'a tab before the colon of TE',
      () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding\t': 'chunked' }),
      'invalid_header',
    ],
    [
      'a folded TE',
      () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding': '\r\n chunked' }),
      TE,
      'invalid_header',
    ],
    ['a folded CL', () => framed({ 'Content-Length': `1\r\n ${LENGTH}` }), 'invalid_header'],
    [
      'TE folded into another field',
      () => framed({ 'Content-Length': LENGTH, 'X-Any': 'x\r\n Transfer-Encoding: chunked' }),
      'invalid_header',
    ],
    [
      'TE behind a bare LF',
      () => framed({ 'Content-Length': LENGTH, 'X-Any': 'x\nTransfer-Encoding: chunked' }),
      'invalid_header',
    ],
    [
      'TE behind a bare CR',
      () => framed({ 'Content-Length': LENGTH, 'X-Any': 'x\rTransfer-Encoding: chunked' }),
      'invalid_header',
    ],
    [
      'TE behind NUL',
      () => framed({ 'Content-Length': LENGTH, 'X-Any': 'x\0Transfer-Encoding: chunked' }),
      'invalid_header',
    ],
    [
      'TE with a vertical tab',
      () => framed({ 'Content-Length': LENGTH, 'Transfer-Encoding': '\x0bchunked' }),
      TE,
      'invalid_header',
    ],
    [
      'a head that ends with a bare LF',
      () => framed({ 'Content-Length': LENGTH }).replace('\r\n\r\n', '\r\n\n'),
      'invalid_header',
    ],
    ['only bare LFs', () => framed({ 'Content-Length': LENGTH }).replaceAll('\r\n', '\n'), 'invalid_header'],
    ['only bare CRs', () => framed({ 'Content-Length': LENGTH }).replaceAll('\r\n', '\r'), 'invalid_header'],
    [
      'a head that begins with a space',
      () => framed({ 'Content-Length': LENGTH }).replace('\r\n', '\r\n '),
      'invalid_header',
    ],
  ];

  test.each(SHAPES)(
    '[G7.transfer-encoding] [A.parser] %s, and nothing behind it',
    async (_what, text, ...codes) => {
      const before = (await loggedRequests(server)).length;
      const connection = await connectTo(server);
      connection.send(text() + smuggled());
      const answer = await connection.answer();
      const { error } = JSON.parse(answer.body) as { error: PublicCode };
      expect(codes).toContain(error);
      expectRefusal(answer, 400, error);
      expect(await connection.closed()).toBe(true);
      expect(await server.held()).toBe(0);
      expect((await loggedRequests(server)).length - before).toBeLessThanOrEqual(1);
    },
  );

  test('[G7.transfer-encoding] GET and DELETE too', async () => {
    const headers = { 'Transfer-Encoding': 'chunked' };
    for (const request of [get, del]) {
      await expectRefused(server, `${request(server, { session, headers })}0\r\n\r\n`, 400, TE);
    }
  });

  test('a request within a body is a body', async () => {
    const connection = await connectTo(server);
    connection.send(post(server, smuggled(), { session }));
    await expectRefusalAndEnd(connection, 400, 'invalid_json');
    expect(await server.held()).toBe(0);
  });

  test('a request behind GET with a length is not served', async () => {
    const text = smuggled();
    const connection = await connectTo(server);
    connection.send(
      get(server, { session, headers: { 'Content-Length': String(text.length) } }) + text + text,
    );
    await expectRefusalAndEnd(connection, 400, 'invalid_content_length');
    expect(await server.held()).toBe(0);
  });
});
