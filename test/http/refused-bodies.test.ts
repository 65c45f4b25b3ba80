/** Refusals while the client is still sending: it can read why, and cannot go on for ever. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { connectTo } from '../support/connections.js';
import type { RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, call, openReadySession, post, type RequestOverrides } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

const MIB = 1024 * 1024;
const PIECE = 'x'.repeat(16_384);

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const announced = (bytes: number, overrides: RequestOverrides = {}): string =>
  post(server, '', {
    session,
    ...overrides,
    headers: { 'Content-Length': String(bytes), ...overrides.headers },
  });

/** Sends until all is sent or the connection is gone; how many bytes the kernel took. */
async function pour(connection: RawConnection, bytes: number, pauseMs = 0): Promise<number> {
  const { socket } = connection;
  let sent = 0;
  while (sent < bytes && socket.writable) {
    const isRoomLeft = socket.write(PIECE);
    sent += PIECE.length;
    if (!isRoomLeft) {
      await new Promise<void>((resolve) => {
        socket.once('drain', resolve).once('close', resolve).once('error', resolve);
      });
    }
    await new Promise((resolve) => (pauseMs > 0 ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
  }
  return sent;
}

test.each<[what: string, overrides: RequestOverrides]>([
  ['', {}],
  [' although it asked first', { headers: { Expect: '100-continue' } }],
])(
  '[G7.too-large] [A.close] a client can send all of 1 MiB and then read the 413%s',
  async (_what, overrides) => {
    for (let round = 0; round < 5; round++) {
      const connection = await connectTo(server);
      connection.send(announced(MIB, overrides));
      connection.socket.pause();
      await pour(connection, MIB);
      connection.socket.resume();
      expectRefusal(await connection.answer(), 413, 'body_too_large');
      expect(await connection.closed()).toBe(true);
    }
  },
);

test.each<
  [status: number, code: 'not_found' | 'invalid_origin' | 'unsupported_media_type', RequestOverrides]
>([
  [404, 'not_found', { target: '/nowhere' }],
  [403, 'invalid_origin', { headers: { Origin: 'null' } }],
  [415, 'unsupported_media_type', { headers: { 'Content-Type': 'text/plain' } }],
])('[A.close] the same for %i %s', async (status, code, overrides) => {
  const connection = await connectTo(server);
  connection.send(announced(MIB, overrides));
  connection.socket.pause();
  await pour(connection, MIB);
  connection.socket.resume();
  expectRefusal(await connection.answer(), status, code);
  expect(await connection.closed()).toBe(true);
});

test('[G7.too-large] the 413 is there before the body is', async () => {
  const connection = await connectTo(server);
  connection.send(announced(MIB));
  expectRefusal(await connection.answer(), 413, 'body_too_large');
});

test('[G7.too-large] [A.close] a client that goes on for ever is cut by bytes', async () => {
  const slow = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_DISCARD_TIMEOUT_MS: '60000' } });
  const connection = await connectTo(slow);
  connection.send(post(slow, '', { headers: { 'Content-Length': '1000000000000' } }));
  expectRefusal(await connection.answer(), 413, 'body_too_large');
  // What both kernels hold comes on top of the 1 MiB.
  expect(await pour(connection, 100 * MIB)).toBeLessThan(50 * MIB);
  await connection.closed();
});

test('[G7.too-large] [A.close] a client that goes on for ever, slowly, is cut by time', async () => {
  const connection = await connectTo(server);
  const begun = performance.now();
  connection.send(announced(1_000_000_000_000));
  expectRefusal(await connection.answer(), 413, 'body_too_large');
  await pour(connection, MIB, 50);
  await connection.closed();
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(performance.now() - begun).toBeLessThan(3000);
});

test('[G7.too-large] [A.close] a client that only waits is cut by time', async () => {
  const connection = await connectTo(server);
  const begun = performance.now();
  connection.send(announced(MIB));
  expectRefusal(await connection.answer(), 413, 'body_too_large');
  expect(await connection.closed()).toBe(true);
  expect(performance.now() - begun).toBeLessThan(3000);
});

test('[A.parser] [A.close] after a refusal by the parser the client may go on for a while and read it too', async () => {
  const connection = await connectTo(server);
  connection.send('POST /mcp HTTP/1.1\r\nHost : x\r\n\r\n');
  connection.socket.pause();
  await pour(connection, MIB / 2);
  connection.socket.resume();
  expectRefusal(await connection.answer(), 400, 'invalid_header');
  await connection.closed(3000);
});

test('32 clients that are refused and send on do not keep others waiting', async () => {
  const senders = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const connection = await connectTo(server);
      connection.send(announced(4 * MIB));
      return connection;
    }),
  );
  const pouring = Promise.all(senders.map((connection) => pour(connection, 2 * MIB)));
  for (let n = 0; n < 32; n++) {
    expect((await ask(server, post(server, call(n, 'ping'), { session }), 3000)).status).toBe(200);
  }
  await pouring;
  for (const connection of senders) await connection.closed();
});
