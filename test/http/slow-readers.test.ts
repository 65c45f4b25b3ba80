/** Clients that never read their answer are cut, and their place is given back. */
import { expect, test } from '@jest/globals';
import { connectTo } from '../support/connections.js';
import { expectNoLeak, loggedRequests } from '../support/refusal.js';
import { ask, call, eventually, get, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

const MIB = 1024 * 1024;

async function start(): Promise<{ server: TestServer; session: string }> {
  const server = await startServer({
    tokens: ALICE_AND_BOB,
    env: {
      MCP_MAX_CONCURRENT_REQUESTS: '1',
      MCP_MAX_RESPONSE_BYTES: String(64 * MIB),
      MCP_WRITE_TIMEOUT_MS: '300',
    },
  });
  return { server, session: await openReadySession(server) };
}

async function expectPlaceGivenBack(server: TestServer, session: string): Promise<void> {
  const ping = post(server, call(1, 'ping'), { session });
  await eventually(async () => (await ask(server, ping)).status === 200, 'the place given back', 4000);
  await expectNoLeak(server, session);
}

/** A few times what two kernels hold for a connection. */
const BIG = 32 * MIB;

test('[G1.processing] one big answer that nobody reads', async () => {
  const { server, session } = await start();
  const connection = await connectTo(server);
  connection.socket.pause();
  connection.send(post(server, call(1, 'test/big', { bytes: BIG }), { session }));
  await expectPlaceGivenBack(server, session);
  connection.socket.resume();
  await expect(connection.answer()).rejects.toThrow('closed');
});

test('[G1.processing] many answers, sent ahead, that nobody reads', async () => {
  const { server, session } = await start();
  const before = (await loggedRequests(server)).length;
  const connection = await connectTo(server);
  connection.socket.pause();
  const big = post(server, call(1, 'test/big', { bytes: BIG / 8 }), { session });
  connection.send(big.repeat(16));
  await eventually(async () => (await loggedRequests(server)).length > before, 'the first one is answered');
  await expectPlaceGivenBack(server, session);
  connection.socket.resume();
  await connection.closed();
  // Those behind the one that was cut were never begun: their answers would be megabytes as well.
  expect((await loggedRequests(server)).filter(({ status }) => status === 200).length).toBeLessThan(16 + 10);
});

test('[G1.processing] a stream of big notifications that nobody reads', async () => {
  const { server, session } = await start();
  for (let n = 0; n < 15; n++) {
    const sent = await server.notify(session, 'notifications/big', { text: 'x'.repeat(BIG / 15) });
    expect(sent).toBe('queued');
  }
  const connection = await connectTo(server);
  connection.socket.pause();
  connection.send(get(server, { session }));
  await expectPlaceGivenBack(server, session);
});

test('a client that reads slowly, but reads, gets all of it', async () => {
  const { server, session } = await start();
  const connection = await connectTo(server);
  connection.send(post(server, call(1, 'test/big', { bytes: 4 * MIB }), { session }));
  connection.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 100));
  connection.socket.resume();
  const answer = await connection.answer();
  expect(answer.body.length).toBeGreaterThan(4 * MIB);
});
