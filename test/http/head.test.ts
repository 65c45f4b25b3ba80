/** Gate 2: every bound of the head passes at its number and fails one past it; what is repeated or illegal. */
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import {
  ask,
  call,
  openReadySession,
  post,
  PROTOCOL_VERSION,
  type RequestOverrides,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const ping = (overrides: RequestOverrides = {}): string => {
  const { headers, ...others } = overrides;
  return post(server, call(1, 'ping'), { session, headers: { ...headers }, ...others });
};

/** Lines of the head after the start line. */
function fieldLines(text: string): string[] {
  return text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1);
}

const path = (bytes: number): string => `/${'a'.repeat(bytes - 1)}`;
const value = (bytes: number): string => `Bearer ${'x'.repeat(bytes - 7)}`;
const pad = (count: number): string[] => Array.from({ length: count }, (_, n) => `X-Pad-${n}: x`);
/** As the contract counts: name + value + 4 each. */
const sizeOf = (text: string): number => fieldLines(text).reduce((total, line) => total + line.length + 2, 0);

async function expectServed(text: string): Promise<void> {
  expect((await ask(server, text)).status).toBe(200);
}

describe('bounds', () => {
  test('[G2.path] 2,048 bytes are a path, if an unknown one; 2,049 are too many', async () => {
    await expectRefused(server, ping({ target: path(2048) }), 404, 'not_found');
    await expectRefused(server, ping({ target: path(2049) }), 414, 'uri_too_long');
    await expectRefused(server, ping({ target: path(8000) }), 414, 'uri_too_long');
  });

  test('[G2.path] a token in a long path is in no log line', async () => {
    await expectRefused(server, ping({ target: `/${'a'.repeat(2048)}${CANARY}` }), 414, 'uri_too_long');
  });

  test('[G2.count] 32 fields pass, 33 do not', async () => {
    const missing = 32 - fieldLines(ping()).length;
    await expectServed(ping({ lines: pad(missing) }));
    await expectRefused(server, ping({ lines: pad(missing + 1) }), 431, 'too_many_headers');
    await expectRefused(server, ping({ lines: pad(900) }), 431, 'too_many_headers');
  });

  test.each(['X-Any', 'Authorization', 'MCP-Session-Id'])(
    '[G2.value] one value of %s may have 2,048 bytes, not 2,049',
    async (name) => {
      const refused = name !== 'X-Any';
      const within = await ask(server, ping({ headers: { [name]: value(2048) } }));
      expect(within.status === 200).toBe(!refused);
      expect(within.status).not.toBe(431);
      await expectRefused(server, ping({ headers: { [name]: value(2049) } }), 431, 'header_too_large');
    },
  );

  test('[G2.total] 12 KiB of fields pass, one byte more does not', async () => {
    const padded = (total: number): string => {
      const full = [1, 2, 3, 4, 5].map((n) => `X-${n}: ${'x'.repeat(2000)}`);
      const left = total - sizeOf(ping({ lines: full })) - 'X-6: '.length - 2;
      return ping({ lines: [...full, `X-6: ${'x'.repeat(left)}`] });
    };
    expect(sizeOf(padded(12_288))).toBe(12_288);
    await expectServed(padded(12_288));
    await expectRefused(server, padded(12_289), 431, 'headers_too_large');
  });

  test('[G2.total] path and fields may both be as large as they may be', async () => {
    const lines = [1, 2, 3, 4, 5].map((n) => `X-${n}: ${'x'.repeat(2048)}`);
    await expectRefused(server, ping({ target: `/${'a'.repeat(2047)}`, lines }), 404, 'not_found');
  });

  test('[G2.total] what even the parser has no room for has the same code', async () => {
    const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `X-${n}: ${'x'.repeat(2048)}`);
    await expectRefused(server, ping({ lines }), 431, 'headers_too_large');
    await expectRefused(server, ping({ lines: [`X-1: ${'x'.repeat(100_000)}`] }), 431, 'headers_too_large');
  });

  test('[G2.path] [G2.count] [G2.value] [G2.total] the bounds are settings', async () => {
    const small = await startServer({
      tokens: ALICE_AND_BOB,
      env: {
        MCP_MAX_PATH_BYTES: '64',
        MCP_MAX_HEADER_FIELDS: '8',
        MCP_MAX_HEADER_VALUE_BYTES: '256',
        MCP_MAX_HEADERS_BYTES: '1024',
      },
    });
    const request = (overrides: RequestOverrides): string => post(small, call(1, 'ping'), overrides);
    await expectRefused(small, request({ target: `/${'a'.repeat(64)}` }), 414, 'uri_too_long');
    const four = ['A: 1', 'B: 1', 'C: 1', 'D: 1'];
    await expectRefused(small, request({ lines: four }), 431, 'too_many_headers');
    await expectRefused(small, request({ lines: [`A: ${'x'.repeat(257)}`] }), 431, 'header_too_large');
    const large = ['A', 'B', 'C'].map((name) => `${name}: ${'x'.repeat(256)}`);
    await expectRefused(
      small,
      request({ lines: large, headers: { 'X-D': 'x'.repeat(150) }, token: null }),
      431,
      'headers_too_large',
    );
  });
});

describe('what a target may not hold', () => {
  test.each([
    '/mcp?',
    '/mcp?a=b',
    `/mcp?access_token=${ALICE}`,
    '/mcp#',
    '/mcp#x',
    '/?/mcp',
    '/.well-known/oauth-protected-resource/mcp?x',
    '/healthz?x',
    '/mcp?%zz',
    `http://127.0.0.1/mcp?access_token=${ALICE}`,
  ])('[G2.query] %s', async (target) => {
    await expectRefused(server, ping({ target }), 400, 'query_not_allowed');
  });
});

describe('what may be there once', () => {
  const SINGLE: ReadonlyArray<[name: string, value: () => string, other: string]> = [
    ['Authorization', () => `Bearer ${ALICE}`, 'Bearer other'],
    ['Host', () => `127.0.0.1:${server.port}`, 'localhost'],
    ['Origin', () => server.origin, 'https://evil.example'],
    ['Content-Type', () => 'application/json', 'text/plain'],
    ['Content-Length', () => '40', '41'],
    ['MCP-Session-Id', () => session, 'other'],
    ['Last-Event-ID', () => 'x', 'y'],
  ];

  test.each(SINGLE)(
    '[G2.duplicate] %s twice, equal, different, or in another case',
    async (name, valueOf, other) => {
      const one = valueOf();
      await expectRefused(server, ping({ headers: { [name]: [one, one] } }), 400, 'duplicate_header');
      await expectRefused(server, ping({ headers: { [name]: [one, other] } }), 400, 'duplicate_header');
      await expectRefused(server, ping({ headers: { [name]: [other, one] } }), 400, 'duplicate_header');
      await expectRefused(
        server,
        ping({ headers: { [name]: one }, lines: [`${name.toUpperCase()}: ${one}`] }),
        400,
        'duplicate_header',
      );
    },
  );

  test('[G2.duplicate] fields that are lists may be split', async () => {
    await expectServed(
      ping({ headers: { Accept: ['application/json', 'text/event-stream'], 'X-Any': ['1', '2'] } }),
    );
  });

  test.each([
    ['two lines', [PROTOCOL_VERSION, PROTOCOL_VERSION]],
    ['three lines', [PROTOCOL_VERSION, PROTOCOL_VERSION, PROTOCOL_VERSION]],
    ['joined by a comma', `${PROTOCOL_VERSION}, ${PROTOCOL_VERSION}`],
    ['joined by a bare comma', `${PROTOCOL_VERSION},${PROTOCOL_VERSION}`],
    ['joined and on a line', [`${PROTOCOL_VERSION}, ${PROTOCOL_VERSION}`, PROTOCOL_VERSION]],
  ])('[G2.version-twice] identical, %s: one', async (_what, value) => {
    await expectServed(ping({ headers: { 'MCP-Protocol-Version': value } }));
  });

  test.each([
    ['two lines', [PROTOCOL_VERSION, '2025-06-18']],
    ['joined by a comma', `${PROTOCOL_VERSION}, 2025-06-18`],
    ['one of them empty', `${PROTOCOL_VERSION},`],
    ['three, the last one', [PROTOCOL_VERSION, PROTOCOL_VERSION, '2025-06-18']],
    ['three, the middle one', [PROTOCOL_VERSION, '2025-06-18', PROTOCOL_VERSION]],
    ['joined and on a line', [`${PROTOCOL_VERSION}, 2025-06-18`, PROTOCOL_VERSION]],
    ['joined twice, each in itself different', [`${PROTOCOL_VERSION}, a`, `${PROTOCOL_VERSION}, a`]],
  ])('[G2.version-twice] different, %s: refused', async (_what, value) => {
    await expectRefused(
      server,
      ping({ headers: { 'MCP-Protocol-Version': value } }),
      400,
      'duplicate_header' satisfies PublicCode,
    );
  });
});

describe('what is no legal head', () => {
  test('[G2.invalid] no Host, an empty one', async () => {
    await expectRefused(server, ping({ headers: { Host: undefined } }), 400, 'invalid_header');
    await expectRefused(
      server,
      ping({ headers: { Host: undefined }, version: 'HTTP/1.0' }),
      400,
      'invalid_header',
    );
    await expectRefused(server, ping({ headers: { Host: '' } }), 400, 'invalid_header');
    await expectRefused(server, ping({ headers: { Host: ' \t ' } }), 400, 'invalid_header');
  });

  test.each([
    ['a space in a name', 'X Any: x'],
    ['a space before the colon', 'X-Any : x'],
    ['a tab before the colon', 'X-Any\t: x'],
    ['no name', ': x'],
    ['no colon', 'X-Any'],
    ['NUL in a name', 'X\0Any: x'],
    ['NUL in a value', 'X-Any: a\0b'],
    ['a control character in a name', 'X\x01Any: x'],
    ['a control character in a value', 'X-Any: a\x01b'],
    ['DEL in a value', 'X-Any: a\x7fb'],
    ['escape in a value', 'X-Any: \x1b[2J'],
    ['a byte beyond ASCII in a name', 'X-Caf\xe9: x'],
    ['a separator in a name', 'X(Any): x'],
    ['a quote in a name', '"X": x'],
    ['a bare CR in a value', 'X-Any: a\rb'],
    ['a bare LF as line end', 'X-Any: a\nX-Other: b'],
    ['a folded value', 'X-Any: a\r\n b'],
    ['a folded value with a tab', 'X-Any: a\r\n\tb'],
    ['a fold before any value', 'X-Any:\r\n b'],
  ])('[G2.invalid] %s', async (_what, line) => {
    await expectRefused(server, ping({ lines: [line] }), 400, 'invalid_header');
  });

  test.each(['Authorization', 'Host', 'Origin', 'MCP-Session-Id', 'Last-Event-ID', 'MCP-Protocol-Version'])(
    '[G2.invalid] a byte beyond ASCII in %s',
    async (name) => {
      await expectRefused(server, ping({ headers: { [name]: `caf\xe9` } }), 400, 'invalid_header');
    },
  );

  test('[G2.invalid] a byte beyond ASCII in a header of no meaning here is legal', async () => {
    await expectServed(ping({ headers: { 'X-Any': 'caf\xe9 \t \xff' } }));
  });

  test.each(['HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/3.0', 'http/1.1', 'HTTP/1', 'HTTP/11.1', 'HTTQ/1.1'])(
    '[G2.invalid] %s',
    async (version) => {
      await expectRefused(server, ping({ version }), 400, 'invalid_header');
    },
  );

  test('[G2.invalid] a start line without a version', async () => {
    await expectRefused(server, ping().replace(' HTTP/1.1', ''), 400, 'invalid_header');
  });

  test('HTTP/1.0 with a Host is served, and its connection closed', async () => {
    const answer = await ask(server, ping({ version: 'HTTP/1.0' }));
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });
});
