/** Gate 1: three bounds apart, each refusing at once, and none of them reached by who only waits or was refused. */
import { expect, test } from '@jest/globals';
import { connectTo, expectRefusalAndEnd, expectRefused } from '../support/connections.js';
import type { RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, call, eventually, get, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

const RETRY = { 'retry-after': '1' };

async function start(env: Record<string, string>): Promise<{ server: TestServer; session: string }> {
  const server = await startServer({ tokens: ALICE_AND_BOB, env });
  return { server, session: await openReadySession(server) };
}

/** Opens connections one after the other, each with `text` sent. */
async function openMany(
  server: TestServer,
  count: number,
  text: (n: number) => string,
): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let n = 0; n < count; n++) {
    const connection = await connectTo(server);
    connection.send(text(n));
    connections.push(connection);
  }
  return connections;
}

test('[G1.processing] 64 requests are processed at once; the 65th of any kind is refused until one ends', async () => {
  const { server, session } = await start({});
  const hold = (n: number): string => post(server, call(n, 'test/hold'), { session });
  const holders = await openMany(server, 64, hold);
  await eventually(async () => (await server.held()) === 64, '64 held requests');
  await expectRefused(server, hold(64), 503, 'overloaded', RETRY);
  await expectRefused(server, get(server, { session }), 503, 'overloaded', RETRY);
  await expectRefused(server, get(server, { target: '/nowhere' }), 503, 'overloaded', RETRY);
  await expectRefused(server, post(server, 'x', { method: 'PUT' }), 503, 'overloaded', RETRY);
  expect(await server.held()).toBe(64);
  expect(await server.release()).toBe(64);
  const answers = await Promise.all(holders.map((holder) => holder.answer()));
  expect(answers.map(({ body }) => (JSON.parse(body) as { id: number }).id)).toEqual([...holders.keys()]);
  expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
  await expectNoLeak(server, session);
});

test('[G1.processing] 32 clients at once are each answered with their own id', async () => {
  const { server, session } = await start({});
  const clients = await openMany(server, 32, (n) => post(server, call(`id-${n}`, 'ping'), { session }));
  const answers = await Promise.all(clients.map((client) => client.answer()));
  expect(answers.map(({ body }) => body)).toEqual(
    clients.map((_client, n) => `{"jsonrpc":"2.0","id":"id-${n}","result":{}}`),
  );
});

test('[G1.processing] Retry-After is a setting', async () => {
  const { server, session } = await start({ MCP_MAX_CONCURRENT_REQUESTS: '1', MCP_RETRY_AFTER_SECONDS: '7' });
  const [holder] = await openMany(server, 1, () => post(server, call(1, 'test/hold'), { session }));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  await expectRefused(server, get(server), 503, 'overloaded', { 'retry-after': '7' });
  await server.release();
  expect((await holder?.answer())?.status).toBe(200);
});

test('[G1.processing] a request whose client is gone keeps its place until its method ends', async () => {
  const { server, session } = await start({ MCP_MAX_CONCURRENT_REQUESTS: '1' });
  const [holder] = await openMany(server, 1, () => post(server, call(1, 'test/hold'), { session }));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  holder?.socket.resetAndDestroy();
  await expectRefused(server, get(server), 503, 'overloaded', RETRY);
  await server.release();
  const ping = post(server, call(2, 'ping'), { session });
  await eventually(async () => (await ask(server, ping)).status === 200, 'its place given back');
});

test('[G1.processing] a refused request gives its place back although its body never ends', async () => {
  const { server, session } = await start({
    MCP_MAX_CONCURRENT_REQUESTS: '2',
    MCP_DISCARD_TIMEOUT_MS: '60000',
  });
  const unfinished = (target: string, length: number): string =>
    post(server, '', { target, headers: { 'Content-Length': String(length) } });
  const refused = await openMany(server, 4, (n) =>
    n % 2 === 0 ? unfinished('/nowhere', 100) : unfinished('/mcp', 100_000),
  );
  for (const [n, connection] of refused.entries()) {
    const answer = await connection.answer();
    if (n % 2 === 0) expectRefusal(answer, 404, 'not_found');
    else expectRefusal(answer, 413, 'body_too_large');
  }
  expect((await ask(server, post(server, call(1, 'ping'), { session }))).status).toBe(200);
  await expectNoLeak(server, session);
});

test('[G1.bodies] 256 bodies may arrive at once; the next slow one is refused, whole ones go on', async () => {
  const { server, session } = await start({ MCP_BODY_TIMEOUT_MS: '20000' });
  const ping = (n: number): string => post(server, call(n, 'ping'), { session });
  const slow = await openMany(server, 256, (n) => ping(n).slice(0, -1));
  const late = await connectTo(server);
  late.send(ping(256).slice(0, -1));
  await expectRefusalAndEnd(late, 503, 'overloaded', RETRY);
  // Neither the 64 places nor the full 256 keep anybody out who brings the whole body along.
  for (let n = 0; n < 100; n++) expect((await ask(server, ping(n))).status).toBe(200);
  for (const connection of slow) connection.send('}');
  const answers = await Promise.all(slow.map((connection) => connection.answer()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await expectNoLeak(server, session);
}, 20_000);

test('[G1.bodies] with all places for bodies taken nobody is told to send one', async () => {
  const { server, session } = await start({ MCP_MAX_PENDING_BODIES: '1' });
  const ping = post(server, call(1, 'ping'), { session, headers: { Expect: '100-continue' } });
  const first = await connectTo(server);
  const head = ping.slice(0, ping.indexOf('\r\n\r\n') + 4);
  first.send(head);
  expect((await first.answer()).status).toBe(100);
  await expectRefused(server, head, 503, 'overloaded', RETRY);
  first.send(ping.slice(head.length));
  expect((await first.answer()).status).toBe(200);
});

test.each(['FIN', 'RST'])(
  '[G1.bodies] [G7.truncated] half a body and %s give the place back',
  async (end) => {
    const { server, session } = await start({ MCP_MAX_PENDING_BODIES: '1' });
    const half = post(server, call(1, 'ping'), { session }).slice(0, -5);
    for (let round = 0; round < 3; round++) {
      const connection = await connectTo(server);
      connection.send(half);
      if (end === 'FIN') {
        connection.socket.end();
        await expectRefusalAndEnd(connection, 400, 'truncated_body');
      } else {
        connection.socket.resetAndDestroy();
      }
    }
    const last = await connectTo(server);
    await eventually(async () => {
      const probe = await connectTo(server);
      probe.send(half);
      const answer = await probe.answer(300).catch(() => undefined);
      probe.destroy();
      return answer === undefined;
    }, 'a free place for a body');
    last.send(post(server, call(1, 'ping'), { session }));
    expect((await last.answer()).status).toBe(200);
    await expectNoLeak(server, session);
  },
);

test('[G1.bodies] complete bodies still count among the processed', async () => {
  const { server, session } = await start({ MCP_MAX_CONCURRENT_REQUESTS: '1' });
  const late = await connectTo(server);
  const ping = post(server, call(1, 'ping'), { session });
  late.send(ping.slice(0, -1));
  await eventually(async () => {
    const answer = await ask(server, post(server, call(2, 'ping'), { session }));
    return answer.status === 200;
  }, 'the place of a request whose body arrives');
  const [holder] = await openMany(server, 1, () => post(server, call(3, 'test/hold'), { session }));
  await eventually(async () => (await server.held()) === 1, 'a held request');
  late.send('}');
  await expectRefusalAndEnd(late, 503, 'overloaded', RETRY);
  await server.release();
  expect((await holder?.answer())?.status).toBe(200);
});

test('[G1.connections] a connection over the bound has its first request refused, and frees itself', async () => {
  const { server, session } = await start({ MCP_MAX_CONNECTIONS: '3' });
  const ping = (n: number): string => post(server, call(n, 'ping'), { session });
  await eventually(async () => (await ask(server, ping(0))).status === 200, 'no connection left over');
  const open = await openMany(server, 3, ping);
  for (const connection of open) expect((await connection.answer()).status).toBe(200);
  for (let round = 0; round < 3; round++) await expectRefused(server, ping(9), 503, 'overloaded', RETRY);
  for (const connection of open) {
    connection.send(ping(1));
    expect((await connection.answer()).status).toBe(200);
  }
  open[0]?.destroy();
  await eventually(async () => (await ask(server, ping(2))).status === 200, 'a place for a connection');
  await expectNoLeak(server, session);
});

test('[G1.connections] far over the bound Node closes without an answer, and the others are served on', async () => {
  const { server, session } = await start({ MCP_MAX_CONNECTIONS: '2' });
  const ping = post(server, call(1, 'ping'), { session });
  const [first] = await openMany(server, 1, () => ping);
  expect((await first?.answer())?.status).toBe(200);
  const silent = await openMany(server, 100, () => '');
  const dropped = await Promise.all(
    silent.map((connection) =>
      connection.closed(1000).then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(dropped.filter(Boolean).length).toBeGreaterThanOrEqual(100 - 66);
  first?.send(ping);
  expect((await first?.answer())?.status).toBe(200);
});
