import { describe, expect, test } from '@jest/globals';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { bearerChallengeOf } from '../../src/acceptance/client/challenge.js';
import { EventStreamReader, type StreamEvent } from '../../src/acceptance/client/event-stream.js';
import { Client, HostNotNamed } from '../../src/acceptance/client/exchange.js';
import { Secrets } from '../../src/acceptance/secrets.js';

const NEVER = new AbortController().signal;

async function withServer<T>(listener: http.RequestListener, use: (url: URL) => Promise<T>): Promise<T> {
  const server = http.createServer(listener);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  try {
    return await use(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function clientFor(url: URL, secrets: readonly string[] = []): Client {
  return new Client({ allowedHosts: new Set([url.host]), secrets: new Secrets(secrets) });
}

describe('the client', () => {
  test('sends nothing to a host that is not named', async () => {
    let asked = 0;
    await withServer(
      (_request, response) => void ((asked += 1), response.end()),
      async (url) => {
        const elsewhere = new Client({ allowedHosts: new Set(['127.0.0.1:1']), secrets: new Secrets([]) });
        await expect(elsewhere.send({ url, method: 'GET', headers: [] }, NEVER)).rejects.toThrow(
          HostNotNamed,
        );
      },
    );
    expect(asked).toBe(0);
  });

  test('does not follow redirects', async () => {
    await withServer(
      (_request, response) => void response.writeHead(302, { Location: 'http://elsewhere.example/' }).end(),
      async (url) => {
        expect((await clientFor(url).send({ url, method: 'GET', headers: [] }, NEVER)).status).toBe(302);
      },
    );
  });

  test('sends repeated headers as they are, and adds none but Host, Content-Length and Connection', async () => {
    await withServer(
      (request, response) => void response.end(JSON.stringify(request.rawHeaders)),
      async (url) => {
        const headers = [
          ['Mcp-Name', 'a'],
          ['Mcp-Name', 'b'],
        ] as const;
        const { body } = await clientFor(url).send({ url, method: 'POST', headers, body: 'x' }, NEVER);
        const wanted = [
          'Host',
          url.host,
          'Mcp-Name',
          'a',
          'Mcp-Name',
          'b',
          'Content-Length',
          '1',
          'Connection',
          'close',
        ];
        expect(JSON.parse(body)).toEqual(wanted);
      },
    );
  });

  test.each([
    [
      'in the body, over two chunks',
      (response: http.ServerResponse) => {
        response.write('{"a":"sesame-o');
        setTimeout(() => response.end('pen-now"}'), 20);
      },
    ],
    [
      'in a header',
      (response: http.ServerResponse) => void response.setHeader('X-Debug', 'Bearer sesame-open-now').end(),
    ],
    [
      'percent-encoded',
      (response: http.ServerResponse) => void response.end('?t=sesame-open-now%3D'.replace('%3D', '')),
    ],
  ])('notices a token %s', async (_name, answer) => {
    await withServer(
      (_request, response) => answer(response),
      async (url) => {
        const client = clientFor(url, ['sesame-open-now']);
        await client.send({ url, method: 'GET', headers: [] }, NEVER);
        expect(client.sawSecret).toBe(true);
      },
    );
  });
});

describe('the stream reader', () => {
  test('gives up on a line without an end instead of keeping it', () => {
    const reader = new EventStreamReader({ onEvent: () => undefined });
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 2000; at += 1) reader.feed(Buffer.alloc(65_536, 'x'), at);
    expect(reader.broken).toBe(true);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('keeps comments and data apart and reads characters that are split', () => {
    const events: StreamEvent[] = [];
    const comments: string[] = [];
    const reader = new EventStreamReader({
      onEvent: (event) => events.push(event),
      onComment: (text) => comments.push(text),
    });
    const bytes = Buffer.from(':quiet\n\ndata: {"a":"é"}\n\n');
    reader.feed(bytes.subarray(0, 21), 1);
    reader.feed(bytes.subarray(21), 2);
    expect([events, comments]).toEqual([[{ data: '{"a":"é"}', atMs: 2 }], ['quiet']]);
  });
});

describe('a Bearer challenge', () => {
  test.each([
    [
      'Bearer scope="a b", resource_metadata="https://x/y"',
      { scope: 'a b', resource_metadata: 'https://x/y' },
    ],
    ['bearer error=invalid_token', { error: 'invalid_token' }],
    ['Bearer realm="a\\"b, scope=\\"x\\"", error="e"', { realm: 'a"b, scope="x"', error: 'e' }],
    ['Bearer', {}],
  ])('%s', (value, parameters) => {
    expect(Object.fromEntries(bearerChallengeOf([['WWW-Authenticate', value]]) ?? [])).toEqual(parameters);
  });

  test('of another scheme is none', () => {
    expect(bearerChallengeOf([['WWW-Authenticate', 'Basic realm="Bearer"']])).toBeUndefined();
  });
});

describe('secrets', () => {
  test('are replaced, and so is every part of six characters', () => {
    const secrets = new Secrets(['abcdefghijkl']);
    expect(secrets.redact('x abcdefghijkl y cdefgh z abcde')).toBe('x <secret> y <secret> z abcde');
    expect(secrets.redactDeep({ k: ['--fghijkl--'] })).toEqual({ k: ['--<secret>--'] });
  });
});
