/** Slow heads and slow bodies are cut at their bounds, and nobody else notices. */
import { describe, expect, test } from '@jest/globals';
import { connectTo, expectRefusalAndEnd } from '../support/connections.js';
import type { RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, call, eventually, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

/** One byte at a time, slow enough never to end and quick enough never to look idle. */
function trickle(connection: RawConnection, text: string): { stop(): void } {
  let at = 0;
  const timer = setInterval(() => {
    if (at < text.length && connection.socket.writable) connection.send(text.charAt(at++));
  }, 50);
  return { stop: () => clearInterval(timer) };
}

interface Cut {
  readonly answer: Awaited<ReturnType<RawConnection['answer']>>;
  readonly afterMs: number;
}

async function cutOf(connection: RawConnection, begun: number): Promise<Cut> {
  const answer = await connection.answer(12_000);
  return { answer, afterMs: performance.now() - begun };
}

/** 32 clients that are answered again and again while `until` is under way; how many answers they got. */
async function othersAreServed(
  server: TestServer,
  session: string,
  until: Promise<unknown>,
): Promise<number> {
  const state = { isOver: false };
  const over = until.finally(() => (state.isOver = true));
  const counts = await Promise.all(
    Array.from({ length: 32 }, async (_, client) => {
      const connection = await connectTo(server);
      let count = 0;
      while (!state.isOver) {
        const id = `${client}-${count}`;
        connection.send(post(server, call(id, 'ping'), { session }));
        const answer = await connection.answer();
        expect(answer.body).toBe(`{"jsonrpc":"2.0","id":"${id}","result":{}}`);
        count++;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return count;
    }),
  );
  await over;
  expect(Math.min(...counts)).toBeGreaterThan(0);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A head that never ends, a body that never ends, and how long each may take. */
async function expectCuts(
  server: TestServer,
  head: readonly [min: number, max: number],
  body: readonly [min: number, max: number],
): Promise<void> {
  const session = await openReadySession(server);
  const text = post(server, call(1, 'test/echo', { text: 'x'.repeat(5000) }), { session });
  const headEnd = text.indexOf('\r\n\r\n') + 4;
  const slowHead = await connectTo(server);
  const slowBody = await connectTo(server);
  const begun = performance.now();
  slowBody.send(text.slice(0, headEnd));
  const senders = [trickle(slowHead, text), trickle(slowBody, text.slice(headEnd))];
  const cuts = Promise.all([cutOf(slowHead, begun), cutOf(slowBody, begun)]);
  expect(await othersAreServed(server, session, cuts)).toBeGreaterThan(32);
  for (const sender of senders) sender.stop();
  const [headCut, bodyCut] = await cuts;
  for (const { answer } of [headCut, bodyCut]) expectRefusal(answer, 408, 'request_timeout');
  expect(headCut.afterMs).toBeGreaterThanOrEqual(head[0]);
  expect(headCut.afterMs).toBeLessThan(head[1]);
  expect(bodyCut.afterMs).toBeGreaterThanOrEqual(body[0]);
  expect(bodyCut.afterMs).toBeLessThan(body[1]);
  for (const connection of [slowHead, slowBody]) await connection.closed(3000);
  await expectNoLeak(server, session);
}

// The clocks of client and server begin a moment apart, and a busy machine is late; a cut must never be early.
const EARLY_MS = 50;
const LATE_MS = 2500;

test('[A.head-timeout] [G7.timeout] slow head and body are cut, by default and as set, while others are served', async () => {
  const byDefault = await startServer({ tokens: ALICE_AND_BOB });
  const asSet = await startServer({
    tokens: ALICE_AND_BOB,
    env: { MCP_HEAD_TIMEOUT_MS: '1000', MCP_BODY_TIMEOUT_MS: '300' },
  });
  // Heads are looked at once a second.
  await Promise.all([
    expectCuts(byDefault, [5000 - EARLY_MS, 6000 + LATE_MS], [2000 - EARLY_MS, 2000 + LATE_MS]),
    expectCuts(asSet, [1000 - EARLY_MS, 2000 + LATE_MS], [300 - EARLY_MS, 300 + LATE_MS]),
  ]);
}, 20_000);

async function start(): Promise<{ server: TestServer; session: string }> {
  const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_HEAD_TIMEOUT_MS: '1000' } });
  return { server, session: await openReadySession(server) };
}

describe('a head timeout of one second', () => {
  test('[A.head-timeout] a connection that says nothing, half a start line, half a field, an endless prelude', async () => {
    const { server } = await start();
    await Promise.all(
      ['', 'PO', 'POST /mcp HTTP/1.1\r\nHost: loc', '\r\n\r\n\r\n'].map(async (text) => {
        const connection = await connectTo(server);
        connection.send(text);
        await expectRefusalAndEnd(connection, 408, 'request_timeout');
      }),
    );
    await expectNoLeak(server);
  });

  test('[A.head-timeout] the second head on a connection has its own second', async () => {
    const { server, session } = await start();
    const connection = await connectTo(server);
    const ping = post(server, call(1, 'ping'), { session });
    connection.send(ping);
    expect((await connection.answer()).status).toBe(200);
    connection.send(ping.slice(0, 20));
    await expectRefusalAndEnd(connection, 408, 'request_timeout');
    await expectNoLeak(server, session);
  });

  test('[A.head-timeout] [ORDER.one-at-a-time] a slow head behind a running request waits for its answer', async () => {
    const { server, session } = await start();
    const connection = await connectTo(server);
    connection.send(post(server, call(1, 'test/hold'), { session }) + 'POST /m');
    await eventually(async () => (await server.held()) === 1, 'a held request');
    await new Promise((resolve) => setTimeout(resolve, 2200));
    expect(connection.rest).toBe('');
    await server.release();
    expect((await connection.answer()).status).toBe(200);
    await expectRefusalAndEnd(connection, 408, 'request_timeout');
    await expectNoLeak(server, session);
  });

  test('a method may take longer than head and body together', async () => {
    const server = await startServer({
      tokens: ALICE_AND_BOB,
      env: { MCP_HEAD_TIMEOUT_MS: '100', MCP_BODY_TIMEOUT_MS: '100', MCP_DISCARD_TIMEOUT_MS: '0' },
    });
    const session = await openReadySession(server);
    const connection = await connectTo(server);
    connection.send(post(server, call(1, 'test/hold'), { session }));
    await new Promise((resolve) => setTimeout(resolve, 2400));
    expect(await server.release()).toBe(1);
    expect((await connection.answer()).status).toBe(200);
  });
});

test('an idle connection is closed after its time, without a word', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_KEEP_ALIVE_TIMEOUT_MS: '200' } });
  const session = await openReadySession(server);
  const connection = await connectTo(server);
  connection.send(post(server, call(1, 'ping'), { session }));
  expect((await connection.answer()).status).toBe(200);
  expect(await connection.closed()).toBe(true);
});

test('[G7.timeout] after a refusal by timeout a whole request may be sent anew', async () => {
  const server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_BODY_TIMEOUT_MS: '100' } });
  const session = await openReadySession(server);
  const ping = post(server, call(1, 'ping'), { session });
  const connection = await connectTo(server);
  connection.send(ping.slice(0, -1));
  await expectRefusalAndEnd(connection, 408, 'request_timeout');
  expect((await ask(server, ping)).status).toBe(200);
});
