/** Many live sessions cost memory, never time per request: nothing scans them. */
import { expect, test } from '@jest/globals';
import { RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, call, INITIALIZE, notification, openReadySession, post } from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

const SESSIONS = 10_000;
/** As many as one connection may have in the pipe. */
const AHEAD = 16;

/** Sends texts over a few kept connections and gives what `read` makes of each answer, in order. */
async function pour<T>(
  server: TestServer,
  texts: readonly string[],
  read: (answer: Awaited<ReturnType<RawConnection['answer']>>) => T,
): Promise<T[]> {
  const results: T[] = [];
  const batches: Array<readonly [at: number, texts: readonly string[]]> = [];
  for (let at = 0; at < texts.length; at += AHEAD) batches.push([at, texts.slice(at, at + AHEAD)]);
  const work = batches.values();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const connection = await RawConnection.open(server.port);
      for (const [at, batch] of work) {
        connection.send(batch.join(''));
        for (let i = 0; i < batch.length; i++) results[at + i] = read(await connection.answer());
      }
      connection.destroy();
    }),
  );
  return results;
}

/** The median of many pings on one kept connection, in milliseconds. */
async function pingTime(server: TestServer, session: string): Promise<number> {
  const connection = await RawConnection.open(server.port);
  const text = post(server, call(1, 'ping'), { session });
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    const start = performance.now();
    connection.send(text);
    expect((await connection.answer()).status).toBe(200);
    times.push(performance.now() - start);
  }
  connection.destroy();
  return times.toSorted((a, b) => a - b)[100] ?? 0;
}

test('[X.no-scan] [X.capacity] 10,000 live sessions: old and young are found, one more is refused, a ping takes no longer', async () => {
  const env = { MCP_MAX_SESSIONS: String(SESSIONS), MCP_SESSION_TTL_SECONDS: '600', MCP_LOG_LEVEL: 'warn' };
  const full = await startServer({ tokens: ALICE_AND_BOB, env });
  const empty = await startServer({ tokens: ALICE_AND_BOB, env });

  const initialize = Array.from({ length: SESSIONS }, () => post(full, INITIALIZE));
  const sessions = await pour(full, initialize, ({ headers }) => headers.get('mcp-session-id') ?? '');
  expect(new Set(sessions).size).toBe(SESSIONS);
  // Every tenth is used, from the oldest to the youngest.
  const used = sessions.filter((_, at) => at % 10 === 0);
  const initialized = used.map((session) =>
    post(full, notification('notifications/initialized'), { session }),
  );
  expect(new Set(await pour(full, initialized, ({ status }) => status))).toEqual(new Set([202]));
  expectRefusal(await ask(full, post(full, INITIALIZE)), 503, 'session_capacity_exceeded', {
    'retry-after': '1',
  });

  const alone = await openReadySession(empty);
  // Taken in turns, so that a busy machine slows both alike; the best of each is compared.
  const times = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 3; round++) {
    times.few = Math.min(times.few, await pingTime(empty, alone));
    const picked = used[Math.floor((used.length / 3) * round)] ?? '';
    times.many = Math.min(times.many, await pingTime(full, picked));
  }
  // A scan of 10,000 would take hundreds of times as long; the ratio leaves room for caches and noise.
  expect(times.many / times.few).toBeLessThan(5);
  await expectNoLeak(full, sessions[0] ?? '', sessions.at(-1) ?? '', alone);
}, 60_000);
