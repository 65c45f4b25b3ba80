import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/client/client-error.js';
import { LoopbackHttp, type LoopbackHttpOptions, type RoundTrip } from '../../../src/client/loopback-http.js';
import { startHostile, startRaw } from '../../support/hostile-server.js';

const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const SSE_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';

function withBody(head: string, body: string | Uint8Array): Array<string | Uint8Array> {
  return [`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body];
}

/** Code and facts of the error that the exchange ends with. */
async function failureOf(
  url: string,
  options: LoopbackHttpOptions = {},
): Promise<Pick<ClientError, 'code' | 'facts'>> {
  const http = new LoopbackHttp(url, options);
  const error = await http.exchange({ method: 'GET' }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ClientError)) throw new Error(`not a ClientError: ${JSON.stringify(error)}`);
  return { code: error.code, facts: error.facts };
}

async function failureOfRaw(
  parts: ReadonlyArray<string | Uint8Array>,
  options: LoopbackHttpOptions = {},
): Promise<Pick<ClientError, 'code' | 'facts'>> {
  const { url } = await startRaw(parts);
  return failureOf(url, options);
}

const size = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

function pour(response: ServerResponse): void {
  const timer = setInterval(() => response.write(`: ${'x'.repeat(4096)}\n\n`), 1);
  response.on('close', () => clearInterval(timer));
}

describe('redirects', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])(
    '%i is an error of its own and is not followed',
    async (status) => {
      const target = await startHostile((_request, response) => response.end());
      const server = await startHostile((_request, response) =>
        response.writeHead(status, { Location: target.url }).end(),
      );
      expect(await failureOf(server.url)).toEqual({ code: 'redirect_refused', facts: { status } });
      expect(server.received).toHaveLength(1);
      expect(target.received).toHaveLength(0);
    },
  );
});

describe('size', () => {
  test('64 KiB are read', async () => {
    const { url } = await startRaw(withBody(JSON_HEAD, size(65_536)));
    const answer = await new LoopbackHttp(url).exchange({ method: 'GET' });
    expect(answer.text).toHaveLength(65_536);
  });

  test('one byte more is too much, announced or not', async () => {
    const tooLarge = { code: 'answer_too_large', facts: { status: 200 } };
    expect(await failureOfRaw(withBody(JSON_HEAD, size(65_537)))).toEqual(tooLarge);
    expect(await failureOfRaw([`${JSON_HEAD}\r\n`, size(65_537)])).toEqual(tooLarge);
    const chunked = `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n10001\r\n${size(65_537)}\r\n0\r\n\r\n`;
    expect(await failureOfRaw([chunked])).toEqual(tooLarge);
  });

  test('an endless stream ends at the bound, not at the timeout', async () => {
    const server = await startHostile((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      pour(response);
    });
    expect(await failureOf(server.url, { timeoutMs: 30_000 })).toMatchObject({ code: 'answer_too_large' });
  });

  test('a head that is too large is no HTTP for this client', async () => {
    const head = `HTTP/1.1 200 OK\r\nX-Filler: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await failureOfRaw([head])).toEqual({
      code: 'invalid_http',
      facts: { reason: 'HPE_HEADER_OVERFLOW' },
    });
  });
});

describe('time', () => {
  const timeout = { timeoutMs: 80 };

  test('a server that says nothing', async () => {
    const { url } = await startRaw([], { keepOpen: true });
    expect(await failureOf(url, timeout)).toMatchObject({ code: 'timeout' });
  });

  test('a head that does not end', async () => {
    const { url } = await startRaw(['HTTP/1.1 200 OK\r\n'], { keepOpen: true });
    expect(await failureOf(url, timeout)).toMatchObject({ code: 'timeout' });
  });

  test('a body that does not end, byte by byte', async () => {
    const drip = Array.from({ length: 100 }, () => ':\n\n');
    const { url } = await startRaw([`${SSE_HEAD}\r\n`, ...drip], { keepOpen: true });
    expect(await failureOf(url, timeout)).toMatchObject({ code: 'timeout' });
  });
});

describe('framing', () => {
  test.each([
    [
      'a body shorter than announced',
      [`${JSON_HEAD}Content-Length: 20\r\n\r\n`, '{"a":1}'],
      'truncated_answer',
    ],
    [
      'a chunk that is cut',
      [`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '20\r\n{"a"'],
      'truncated_answer',
    ],
    ['no last chunk', [`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '2\r\n{}\r\n'], 'truncated_answer'],
    ['a head that is cut', ['HTTP/1.1 200 OK\r\nContent-'], 'connection_failed'],
    ['nothing at all', [], 'connection_failed'],
    ['no HTTP', ['SSH-2.0-OpenSSH\r\n'], 'invalid_http'],
    ['two lengths', [`${JSON_HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`], 'invalid_http'],
    [
      'length and chunks',
      [`${JSON_HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`],
      'invalid_http',
    ],
    ['two content types', [`${JSON_HEAD}Content-Type: text/event-stream\r\n\r\n`], 'duplicate_header'],
    ['two sessions', [`${JSON_HEAD}MCP-Session-Id: a\r\nMCP-Session-Id: a\r\n\r\n`], 'duplicate_header'],
    [
      'switch to another protocol',
      ['HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
      'unexpected_status',
    ],
  ])('%s', async (_name, parts, code) => {
    expect(await failureOfRaw(parts)).toMatchObject({ code });
  });

  test('nobody listens', async () => {
    const { url } = await startRaw([]);
    const closed = url.replace(/:\d+\//, ':1/');
    expect(await failureOf(closed)).toEqual({
      code: 'connection_failed',
      facts: { status: undefined, reason: 'ECONNREFUSED' },
    });
  });

  test('an early refusal is read although the body was not', async () => {
    const { url } = await startRaw(withBody('HTTP/1.1 413 x\r\nContent-Type: application/json\r\n', '{}'));
    const http = new LoopbackHttp(url);
    const answer = await http.exchange({ method: 'POST', body: 'x'.repeat(200_000) });
    expect(answer.status).toBe(413);
  });
});

describe('content', () => {
  test.each([
    ['another type', 'Content-Type: text/html\r\n', '{}', 'unexpected_content_type'],
    ['no type', '', '{}', 'unexpected_content_type'],
    ['a type that only begins so', 'Content-Type: application/jsonp\r\n', '{}', 'unexpected_content_type'],
    ['a parameter', 'Content-Type: application/json; charset=utf-8\r\n', '{}', 'unexpected_content_type'],
    [
      'an encoding',
      'Content-Type: application/json\r\nContent-Encoding: gzip\r\n',
      '{}',
      'unexpected_encoding',
    ],
    ['no JSON', 'Content-Type: application/json\r\n', '{', 'invalid_json'],
    ['a BOM', 'Content-Type: application/json\r\n', '\u{feff}{}', 'invalid_json'],
    ['duplicate keys', 'Content-Type: application/json\r\n', '{"a":1,"\\u0061":2}', 'invalid_json'],
    ['two values', 'Content-Type: application/json\r\n', '{}{}', 'invalid_json'],
    ['NaN', 'Content-Type: application/json\r\n', '{"a":NaN}', 'invalid_json'],
    ['nesting', 'Content-Type: application/json\r\n', '['.repeat(65) + ']'.repeat(65), 'invalid_json'],
    ['no UTF-8', 'Content-Type: application/json\r\n', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'invalid_utf8'],
    ['an SSE field nobody knows', 'Content-Type: text/event-stream\r\n', 'date: x\n\n', 'invalid_sse'],
    ['an SSE event that is cut', 'Content-Type: text/event-stream\r\n', 'data: {}\n', 'invalid_sse'],
    ['an SSE retry that is no number', 'Content-Type: text/event-stream\r\n', 'retry: 1s\n\n', 'invalid_sse'],
    [
      'SSE not in UTF-8',
      'Content-Type: text/event-stream\r\n',
      Buffer.from([0x3a, 0xff, 0x0a]),
      'invalid_utf8',
    ],
    ['SSE with too many events', 'Content-Type: text/event-stream\r\n', 'id\n\n'.repeat(257), 'invalid_sse'],
  ])('%s', async (_name, headers, body, code) => {
    expect(await failureOfRaw(withBody(`HTTP/1.1 200 OK\r\n${headers}`, body))).toMatchObject({ code });
  });

  test('events are the same however the stream is cut', async () => {
    const stream = '\u{feff}: hi\r\n\nid: 1\r\nretry: 15000\rdata: {"租户":"甲"}\n\nevent: x\ndata\n\n';
    const whole = Buffer.from(stream);
    const events = [
      { type: 'message', id: '1', retry: 15_000, data: '{"租户":"甲"}' },
      { type: 'x', id: undefined, retry: undefined, data: '' },
    ];
    for (const size of [1, 2, 7, whole.length]) {
      const parts = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.subarray(i * size, (i + 1) * size),
      );
      const { url } = await startRaw([`${SSE_HEAD}\r\n`, ...parts]);
      const answer = await new LoopbackHttp(url).exchange({ method: 'GET' });
      expect(answer.content).toEqual({ kind: 'events', events });
    }
  });

  test('nothing, where there is no body', async () => {
    const { url } = await startRaw(['HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n']);
    const answer = await new LoopbackHttp(url).exchange({ method: 'POST', body: '{}' });
    expect(answer).toMatchObject({ status: 202, text: '', content: { kind: 'none' } });
  });
});

describe('requests', () => {
  test('are sent as given, with a length, on a connection of their own', async () => {
    const server = await startHostile((_request, response) => response.end());
    await new LoopbackHttp(server.url).exchange({ method: 'POST', headers: { Origin: 'null' }, body: '"ä"' });
    expect(server.received).toEqual([
      {
        method: 'POST',
        path: '/mcp',
        headers: {
          host: new URL(server.url).host,
          connection: 'close',
          origin: 'null',
          'content-length': '4',
        },
        body: '"ä"',
      },
    ]);
  });

  test.each([
    ['a line end in a header', { method: 'GET', headers: { 'X-A': 'canary\r\nX-B: 1' } }],
    ['a character beyond a byte', { method: 'GET', headers: { 'X-A': 'canary租' } }],
    ['a method that is no token', { method: 'canary canary' }],
  ])('%s is no request, and is not quoted', async (_name, request) => {
    const server = await startHostile((_request, response) => response.end());
    const sent = new LoopbackHttp(server.url).exchange(request);
    await expect(sent).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(sent).rejects.not.toThrow('canary');
    expect(server.received).toHaveLength(0);
  });

  test('are counted when they are answered whole, and all of them are shown', async () => {
    let count = 0;
    const server = await startHostile((_request, response) => {
      count += 1;
      if (count === 2) response.destroy();
      else response.writeHead(count === 3 ? 404 : 204).end();
    });
    const shown: RoundTrip[] = [];
    const http = new LoopbackHttp(server.url, { onRoundTrip: (roundTrip) => shown.push(roundTrip) });
    await http.exchange({ method: 'GET' });
    await http.exchange({ method: 'GET' }).catch(() => undefined);
    await http.exchange({ method: 'GET' });
    expect(http.roundTrips).toBe(2);
    expect(shown.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(shown[1]?.outcome).toBeInstanceOf(ClientError);
  });
});
