/** JSON-RPC requests past gate 10: always answered with a JSON-RPC message that bears the id, whatever happens. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { jsonRpcOf, jsonRpcOfEvent } from '../support/answers.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, openReadySession, post } from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});

const send = (message: object | string) => ask(server, post(server, message, { session }));

const LIMITS = [2 ** 53 - 1, -(2 ** 53) + 1];
const INTERNAL = { code: -32603, message: 'Internal error' };
const TOO_LARGE = { ...INTERNAL, data: { code: 'response_too_large' } };

describe('ids', () => {
  test('[M.ping] [A.json-rpc] 32 pings at once on one session, each answered with its own id', async () => {
    const ids = [
      ...LIMITS,
      '',
      '0',
      '-1',
      '租户/甲?#',
      '🦊',
      'e\u0301',
      '"\\\n\u0000\u2028',
      '__proto__',
      'a'.repeat(4096),
      ...Array.from({ length: 11 }, (_, at) => at - 5),
      ...Array.from({ length: 10 }, (_, at) => `ping-${at}`),
    ];
    expect(new Set(ids).size).toBe(32);
    const answers = await Promise.all(ids.map((id) => send(call(id, 'ping'))));
    expect(answers.map(jsonRpcOf)).toEqual(ids.map((id) => ({ jsonrpc: '2.0', id, result: {} })));
  });

  test('[A.json-rpc] an id comes back as it was written, also next to what ends a line', async () => {
    const answer = await send(`{"jsonrpc":"2.0","id":"\\u2028\\r\\ndata: x","method":"resources/list"}`);
    expect(jsonRpcOfEvent(answer).id).toBe('\u2028\r\ndata: x');
  });

  test('[A.json-rpc] equal ids at the same time are each answered', async () => {
    const answers = await Promise.all([1, 1, 1].map((id) => send(call(id, 'test/echo', { at: id }))));
    expect(answers.map((answer) => jsonRpcOf(answer).id)).toEqual([1, 1, 1]);
  });

  test('[A.json-rpc] slow requests do not hold up fast ones, and are answered as they end', async () => {
    const slow = Array.from({ length: 8 }, (_, at) => send(call(`slow-${at}`, 'test/hold')));
    expect(jsonRpcOf(await send(call('fast', 'ping')))).toMatchObject({ id: 'fast' });
    let released = 0;
    while (released < 8) {
      released += await server.release();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const answers = await Promise.all(slow);
    expect(answers.map((answer) => jsonRpcOf(answer).id)).toEqual(slow.map((_, at) => `slow-${at}`));
  });
});

describe('ping and resources/list', () => {
  test.each([undefined, {}, { _meta: {} }, { _meta: { progressToken: CANARY } }])(
    '[M.ping] ping with params %j answers JSON',
    async (params) => {
      expect(jsonRpcOf(await send(call(1, 'ping', params)))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    },
  );

  test.each([undefined, {}, { _meta: { progressToken: 1 } }])(
    '[M.resources] resources/list with params %j answers one event',
    async (params) => {
      expect(jsonRpcOfEvent(await send(call('list', 'resources/list', params)))).toEqual({
        jsonrpc: '2.0',
        id: 'list',
        result: {
          resources: [
            { uri: `kb://tenant/${CANARY}-tenant/handbook`, name: 'handbook', mimeType: 'text/markdown' },
          ],
        },
      });
    },
  );

  test('[M.resources] every POST stream has an event id of its own, of another kind than those of GET', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) {
      const { body } = await send(call(i, 'resources/list'));
      ids.push(/^id: (.*)$/m.exec(body)?.[1]);
    }
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^post-/);
  });

  const WRONG: object[] = [{ cursor: CANARY }, { x: 1 }, { _meta: {}, x: null }, { constructor: 1 }];
  test.each(WRONG)('[M.params] params %j are -32602', async (params) => {
    const error = { code: -32602, message: 'Invalid params' };
    const answer = { jsonrpc: '2.0', id: 4, error };
    expect(jsonRpcOf(await send(call(4, 'ping', params)))).toEqual(answer);
    expect(jsonRpcOfEvent(await send(call(4, 'resources/list', params)))).toEqual(answer);
    await expectNoLeak(server, session);
  });

  test('[M.params] a member named __proto__ is a member', async () => {
    const answer = await send('{"jsonrpc":"2.0","id":5,"method":"ping","params":{"__proto__":{}}}');
    expect(jsonRpcOf(answer)).toMatchObject({ id: 5, error: { code: -32602 } });
  });
});

describe('methods that are not there', () => {
  test.each([
    'nowhere',
    'Ping',
    'ping ',
    'tools/list',
    'resources/read',
    'logging/setLevel',
    'notifications/initialized',
    'notifications/cancelled',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'server/discover',
    'subscriptions/listen',
    CANARY.repeat(100),
  ])('[A.json-rpc] %s is -32601', async (method) => {
    expect(jsonRpcOf(await send(call('m', method, { deep: [CANARY] })))).toEqual({
      jsonrpc: '2.0',
      id: 'm',
      error: { code: -32601, message: 'Method not found' },
    });
    await expectNoLeak(server, session);
  });
});

/** The secrets of the request, to be told by an exception. */
const text = () => `${ALICE} ${session} ${CANARY}-tenant ${CANARY}-subject-of-${ALICE}`;

describe('methods that fail', () => {
  test.each([
    ['throwing', 'test/throwing', jsonRpcOf],
    ['rejecting, on a stream', 'test/rejecting', jsonRpcOfEvent],
  ] as const)(
    '[A.json-rpc] [A.internal] %s: -32603 without a word of the exception',
    async (_name, method, read) => {
      const answer = await send(call(LIMITS[0] ?? 0, method, { text: text() }));
      expect(read(answer)).toEqual({ jsonrpc: '2.0', id: LIMITS[0], error: INTERNAL });
      expect(answer.text).not.toMatch(/cannot|because|canary|Error:|\.js|\.ts/);
      await expectNoLeak(server, session);
    },
  );

  test.each([
    'undefined',
    'null prototype',
    'throwing toString',
    'throwing message',
    'no constructor',
    'endless causes',
    'unserializable data',
  ])('[A.json-rpc] thrown: %s', async (kind) => {
    expect(jsonRpcOf(await send(call('h', 'test/hostile', { kind })))).toEqual({
      jsonrpc: '2.0',
      id: 'h',
      error: INTERNAL,
    });
    await expectNoLeak(server, session);
  });

  test.each(['bigint', 'list', 'text', 'toJSON without a result', 'function'])(
    '[A.json-rpc] answered with what is no JSON object: %s',
    async (kind) => {
      const answer = await send(call('u', 'test/unserializable', { kind }));
      expect(jsonRpcOf(answer)).toEqual({ jsonrpc: '2.0', id: 'u', error: INTERNAL });
      await expectNoLeak(server, session);
    },
  );

  test('[A.json-rpc] what a method says on purpose is shown', async () => {
    expect(jsonRpcOf(await send(call(3, 'test/failing')))).toEqual({
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32002, message: 'Resource not found', data: { uri: 'kb://nowhere' } },
    });
  });

  test('[A.json-rpc] after any failure the session goes on', async () => {
    for (const method of ['test/throwing', 'test/rejecting', 'test/hostile']) {
      await send(call(1, method, { text: 'x' }));
    }
    expect(jsonRpcOf(await send(call(2, 'ping'))).id).toBe(2);
  });
});

describe('answers that are too large', () => {
  const LIMIT = 64 * 1024;
  const overhead = '{"jsonrpc":"2.0","id":1,"result":{"text":""}}'.length;

  test('[A.response-too-large] 65,536 bytes are sent, one more is not', async () => {
    const fits = await send(call(1, 'test/big', { bytes: LIMIT - overhead }));
    expect(Buffer.byteLength(fits.body)).toBe(LIMIT);
    expect(jsonRpcOf(fits).result).toEqual({ text: 'x'.repeat(LIMIT - overhead) });
    expect(jsonRpcOf(await send(call(1, 'test/big', { bytes: LIMIT - overhead + 1 })))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: TOO_LARGE,
    });
  });

  test('[A.response-too-large] bytes count, not characters', async () => {
    // 16 KiB of body cannot ask for 64 KiB of answer by echo, so the bound is lowered.
    const narrow = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_RESPONSE_BYTES: '1024' } });
    const opened = await openReadySession(narrow);
    const echo = (chars: string) =>
      ask(narrow, post(narrow, call('é', 'test/echo', { chars }), { session: opened }));
    const frame = Buffer.byteLength('{"jsonrpc":"2.0","id":"é","result":{"params":{"chars":""}}}');
    const room = 1024 - frame;
    const fitting = '租'.repeat(Math.floor(room / 3)) + 'x'.repeat(room % 3);
    expect(jsonRpcOf(await echo(fitting)).result).toEqual({ params: { chars: fitting } });
    expect(jsonRpcOf(await echo(`${fitting}x`))).toEqual({ jsonrpc: '2.0', id: 'é', error: TOO_LARGE });
  });

  test('[A.response-too-large] an error that a method made too large is replaced alike', async () => {
    expect(jsonRpcOf(await send(call(2, 'test/failing', { bytes: LIMIT })))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: TOO_LARGE,
    });
  });
});
