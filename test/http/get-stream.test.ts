/** The GET stream: what it delivers, to whom, how often, and from where it can be resumed. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { SseEvent } from '../../src/protocol/sse-decoder.js';
import { expectAccepted, jsonRpcOf, streamedEvents } from '../support/answers.js';
import { RawConnection } from '../support/raw-http.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import {
  ask,
  call,
  eventually,
  get,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE_AND_BOB, BOB, CANARY } from '../support/tokens.js';

const RETRY = 15_000;
const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';
const MESSAGE = 'notifications/message';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '200' } });
});

async function stream(session: string, lastEventId?: string): Promise<SseEvent[]> {
  const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  return streamedEvents(await ask(server, get(server, { session, headers })));
}

async function queue(session: string, ...numbers: number[]): Promise<void> {
  for (const number of numbers) expect(await server.notify(session, MESSAGE, { number })).toBe('queued');
}

/** The numbers that `queue` gave to these events; 0 for the one that initialized queues. */
function numbersOf(events: readonly SseEvent[]): number[] {
  return events.map(({ data }) => {
    if (data === LIST_CHANGED) return 0;
    return (JSON.parse(data ?? 'null') as { params: { number: number } }).params.number;
  });
}

const lastIdOf = (events: readonly SseEvent[]): string => events.at(-1)?.id ?? '';

describe('delivery', () => {
  test('[S.get] the first stream brings list_changed with id and retry, and closes', async () => {
    const session = await openReadySession(server);
    expect(await stream(session)).toEqual([
      { type: 'message', id: expect.stringMatching(/^get-[0-9a-f]+-\d+$/), retry: RETRY, data: LIST_CHANGED },
    ]);
  });

  test('[S.get] what notify queued comes in order, ids are distinct, retry stands once', async () => {
    const session = await openReadySession(server);
    await queue(session, 1, 2, 3);
    const events = await stream(session);
    expect(numbersOf(events)).toEqual([0, 1, 2, 3]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events.map(({ retry }) => retry)).toEqual([RETRY, undefined, undefined, undefined]);
  });

  test('[S.get] text that could break a line arrives as it was', async () => {
    const session = await openReadySession(server);
    const text = 'a\r\nid: evil\n\ndata: evil\u2028租户🦊\u0000';
    expect(await server.notify(session, MESSAGE, { text })).toBe('queued');
    const events = await stream(session);
    expect(events).toHaveLength(2);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({ jsonrpc: '2.0', method: MESSAGE, params: { text } });
  });

  test('[S.at-most-once] a second stream brings nothing again', async () => {
    const session = await openReadySession(server);
    await queue(session, 1);
    expect(numbersOf(await stream(session))).toEqual([0, 1]);
    for (let i = 0; i < 3; i++) {
      expect((await stream(session)).map(({ data }) => data)).toEqual([undefined]);
    }
    await queue(session, 2);
    expect(numbersOf(await stream(session))).toEqual([2]);
  });

  test('[S.at-most-once] of streams that come at once only one brings an event', async () => {
    const session = await openReadySession(server);
    const streams = await Promise.all(Array.from({ length: 8 }, () => stream(session)));
    expect(streams.flat().filter(({ data }) => data === LIST_CHANGED)).toHaveLength(1);
  });

  test('[S.empty] nothing to deliver: one event with id and retry and without data', async () => {
    const session = await openReadySession(server);
    await stream(session);
    const first = await stream(session);
    expect(first).toEqual([
      { type: 'message', id: expect.stringMatching(/^get-/), retry: RETRY, data: undefined },
    ]);
    expect(lastIdOf(await stream(session))).not.toBe(lastIdOf(first));
  });

  test('[S.get] each session has its own events and namespace', async () => {
    const [one, two] = [await openReadySession(server), await openReadySession(server, BOB)];
    await queue(one, 1);
    const events = await stream(one);
    const others = streamedEvents(await ask(server, get(server, { session: two, token: BOB })));
    expect(numbersOf(events)).toEqual([0, 1]);
    expect(numbersOf(others)).toEqual([0]);
    expect(lastIdOf(events).split('-')[1]).not.toBe(lastIdOf(others).split('-')[1]);
  });

  test('[S.get] an answer on a POST stream is never kept', async () => {
    const session = await openReadySession(server);
    await ask(server, post(server, call(1, 'resources/list'), { session }));
    expect(numbersOf(await stream(session))).toEqual([0]);
  });

  test('[S.get] the connection is kept, and serves the next request', async () => {
    const session = await openReadySession(server);
    const connection = await RawConnection.open(server.port);
    for (let i = 0; i < 3; i++) {
      connection.send(get(server, { session }) + post(server, call(i, 'ping'), { session }));
      expect(streamedEvents(await connection.answer())).toHaveLength(1);
      expect(jsonRpcOf(await connection.answer()).id).toBe(i);
    }
    connection.destroy();
  });

  test('[S.get] [N.settings] MCP_STREAM_RETRY_MS', async () => {
    const other = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_STREAM_RETRY_MS: '250' } });
    const session = await openReadySession(other);
    for (let i = 0; i < 2; i++) {
      const events = streamedEvents(await ask(other, get(other, { session })));
      expect(events.map(({ retry }) => retry)).toEqual([250]);
    }
  });
});

describe('resuming', () => {
  test('[S.resume] with nothing after it: one event with the same id and no data', async () => {
    const session = await openReadySession(server);
    const id = lastIdOf(await stream(session));
    for (let i = 0; i < 3; i++) {
      expect(await stream(session, id)).toEqual([{ type: 'message', id, retry: RETRY, data: undefined }]);
    }
  });

  test('[S.resume] brings all that came after it, delivered or not, as often as it is asked', async () => {
    const session = await openReadySession(server);
    await queue(session, 1, 2);
    const events = await stream(session);
    const [first, second, third] = events.map(({ id }) => id ?? '');
    await queue(session, 3);
    expect(numbersOf(await stream(session, first))).toEqual([1, 2, 3]);
    expect(numbersOf(await stream(session, first))).toEqual([1, 2, 3]);
    expect(numbersOf(await stream(session, second))).toEqual([2, 3]);
    expect(numbersOf(await stream(session, third))).toEqual([3]);
    // What a resumed stream delivered counts as delivered.
    expect((await stream(session)).map(({ data }) => data)).toEqual([undefined]);
  });

  test('[S.resume] an event keeps its id when it comes again', async () => {
    const session = await openReadySession(server);
    await queue(session, 1, 2);
    const events = await stream(session);
    const again = await stream(session, events[0]?.id);
    expect(again.map(({ id, data }) => [id, data])).toEqual(
      events.slice(1).map(({ id, data }) => [id, data]),
    );
  });

  test('[S.resume] [S.empty] the fresh id of an empty stream can be resumed from', async () => {
    const session = await openReadySession(server);
    await stream(session);
    const fresh = lastIdOf(await stream(session));
    expect(await stream(session, fresh)).toEqual([
      { type: 'message', id: fresh, retry: RETRY, data: undefined },
    ]);
    await queue(session, 1, 2);
    expect(numbersOf(await stream(session, fresh))).toEqual([1, 2]);
  });

  test('[S.resume] from far back: the oldest event that is kept, and none before it', async () => {
    const session = await openReadySession(server);
    const ids = [lastIdOf(await stream(session))];
    for (let number = 1; number <= 20; number++) {
      await queue(session, number);
      ids.push(lastIdOf(await stream(session)));
    }
    // 16 are kept: 5 to 20. After 4 nothing is missing; after 3 number 4 is.
    const sixteen = Array.from({ length: 16 }, (_, at) => at + 5);
    expect(numbersOf(await stream(session, ids[4]))).toEqual(sixteen);
    const headers = { 'Last-Event-ID': ids[3] };
    expectRefusal(await ask(server, get(server, { session, headers })), 400, 'invalid_last_event_id');
    await expectNoLeak(server, session);
  });

  test('[S.last-event-id] malformed, unknown, of a POST stream, of another session', async () => {
    const session = await openReadySession(server);
    const other = await openReadySession(server);
    const known = lastIdOf(await stream(session));
    const [, namespace] = known.split('-');
    const { body } = await ask(server, post(server, call(1, 'resources/list'), { session }));
    const wrong = {
      'of a POST stream': /^id: (.*)$/m.exec(body)?.[1] ?? '',
      'of another session': lastIdOf(await stream(other)),
      empty: '',
      'only a number': '1',
      'a canary': CANARY,
      'the session id': session,
      'the next one': `get-${namespace}-2`,
      'far ahead': `get-${namespace}-9007199254740993`,
      zero: `get-${namespace}-0`,
      'a leading zero': `get-${namespace}-01`,
      negative: `get-${namespace}--1`,
      'an exponent': `get-${namespace}-1e0`,
      'a fraction': `get-${namespace}-1.0`,
      'no number': `get-${namespace}-`,
      'more after it': `${known} x`,
      'upper case': known.toUpperCase(),
      'two ids': `${known}, ${known}`,
      'another kind': known.replace('get-', 'post-'),
      'very long': `get-${namespace}-${'1'.repeat(1900)}`,
    };
    for (const [name, id] of Object.entries(wrong)) {
      const answer = await ask(server, get(server, { session, headers: { 'Last-Event-ID': id } }));
      expect([name, answer.status]).toEqual([name, 400]);
      expectRefusal(answer, 400, 'invalid_last_event_id');
    }
    // A refused stream delivers nothing, and nothing is lost.
    await queue(session, 1);
    expect(numbersOf(await stream(session))).toEqual([1]);
    await expectNoLeak(server, session, other);
  });

  test('[S.last-event-id] is not looked at where there is no stream to resume', async () => {
    const session = await openReadySession(server);
    const headers = { 'Last-Event-ID': CANARY };
    expect((await ask(server, post(server, call(1, 'ping'), { session, headers }))).status).toBe(200);
    await expectNoLeak(server, session);
  });
});

describe('capacity', () => {
  test('[S.capacity] 16 events wait, the 17th is refused, and a stream makes room', async () => {
    const session = await openReadySession(server);
    await queue(session, ...Array.from({ length: 15 }, (_, at) => at + 1));
    expect(await server.notify(session, MESSAGE, { number: 16 })).toBe('event_capacity_exceeded');
    expect(await server.notify(session, MESSAGE, { number: 16 })).toBe('event_capacity_exceeded');
    expect(numbersOf(await stream(session))).toEqual(Array.from({ length: 16 }, (_, at) => at));
    await queue(session, ...Array.from({ length: 16 }, (_, at) => at + 20));
    expect(await server.notify(session, MESSAGE, { number: 40 })).toBe('event_capacity_exceeded');
    expect(numbersOf(await stream(session))).toEqual(Array.from({ length: 16 }, (_, at) => at + 20));
    await expectNoLeak(server, session);
  });

  test('[S.capacity] over the wire: no room for list_changed, so initialized is refused and can come again', async () => {
    const session = await openSession(server);
    await queue(session, ...Array.from({ length: 16 }, (_, at) => at + 1));
    const initialized = post(server, notification('notifications/initialized'), { session });
    for (let i = 0; i < 2; i++) {
      expectRefusal(await ask(server, initialized), 503, 'event_capacity_exceeded');
    }
    // The refusal had no effect: the session waits for the notification as before.
    const ping = post(server, call(1, 'ping'), { session });
    expectRefusal(await ask(server, ping), 400, 'invalid_lifecycle');
    await expectNoLeak(server, session);
  });

  test('[S.capacity] one session that is full does not touch another', async () => {
    const [full, other] = [await openReadySession(server), await openReadySession(server)];
    await queue(full, ...Array.from({ length: 15 }, (_, at) => at + 1));
    expect(await server.notify(full, MESSAGE)).toBe('event_capacity_exceeded');
    await queue(other, 1);
    expect(numbersOf(await stream(other))).toEqual([0, 1]);
  });

  test('[S.capacity] [N.settings] MCP_MAX_EVENTS_PER_SESSION', async () => {
    const narrow = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_EVENTS_PER_SESSION: '1' } });
    const session = await openReadySession(narrow);
    expect(await narrow.notify(session, MESSAGE)).toBe('event_capacity_exceeded');
    const wide = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_EVENTS_PER_SESSION: '1000' } });
    const other = await openReadySession(wide);
    for (let i = 0; i < 999; i++) await wide.notify(other, MESSAGE, { i });
    expect(await wide.notify(other, MESSAGE)).toBe('event_capacity_exceeded');
    expect(streamedEvents(await ask(wide, get(wide, { session: other })))).toHaveLength(1000);
  });
});

test('[S.get] clients that go away amid their stream take nothing with them', async () => {
  const few = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_CONCURRENT_REQUESTS: '4' } });
  const session = await openReadySession(few);
  for (let i = 0; i < 20; i++) {
    const connection = await RawConnection.open(few.port);
    connection.send(get(few, { session }));
    if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    connection.destroy();
  }
  const ping = post(few, call(1, 'ping'), { session });
  await eventually(async () => (await ask(few, ping)).status === 200, 'there is room again');
  expect(await few.notify(session, MESSAGE)).toBe('queued');
  const events = streamedEvents(await ask(few, get(few, { session })));
  expect(events.at(-1)?.data).toContain(MESSAGE);
  expect(await few.logs()).not.toContain('"level":"error"');
  await expectNoLeak(few, session);
});

test('[S.get] a stream of a created session is refused, and nothing is queued before initialized', async () => {
  const session = await openSession(server);
  expectRefusal(await ask(server, get(server, { session })), 400, 'invalid_lifecycle');
  expectAccepted(await ask(server, post(server, notification('notifications/initialized'), { session })));
  expect(numbersOf(await stream(session))).toEqual([0]);
  await expectNoLeak(server, session);
});
