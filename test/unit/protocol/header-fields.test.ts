import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type Head, type HeadLimits, readHead } from '../../../src/protocol/header-fields.js';

const LIMITS: HeadLimits = {
  maxPathBytes: 64,
  maxHeaderFields: 8,
  maxHeaderValueBytes: 100,
  maxHeadersBytes: 400,
};
const HOST = ['Host', 'localhost:3000'];

function read(rawHeaders: readonly string[], target = '/mcp'): ReturnType<typeof readHead> {
  return readHead('POST', target, rawHeaders, LIMITS);
}

function headOf(rawHeaders: readonly string[]): Head {
  const result = read(rawHeaders);
  if (!result.ok) throw new Error(`refused: ${result.code} ${result.reason ?? ''}`);
  return result.head;
}

describe('what is read', () => {
  test('everything a later gate needs, names in any case', () => {
    const rawHeaders = Object.entries({
      HOST: 'a:1',
      authorization: 'Bearer x',
      Origin: 'http://a',
      'Content-Type': 'application/json',
      'content-length': '2',
      'MCP-SESSION-ID': 's',
      'Last-Event-Id': 'e',
      'mcp-protocol-version': 'v',
    }).flat();
    expect(headOf(rawHeaders)).toEqual({
      method: 'POST',
      target: '/mcp',
      host: 'a:1',
      authorization: 'Bearer x',
      origin: 'http://a',
      contentType: 'application/json',
      contentLength: '2',
      sessionId: 's',
      lastEventId: 'e',
      protocolVersion: 'v',
      transferEncoding: undefined,
      expect: undefined,
      accept: [],
    });
  });

  test('absent is undefined and empty is empty', () => {
    const head = headOf([
      ...HOST,
      'Origin',
      '',
      'Transfer-Encoding',
      '',
      'Accept',
      '',
      'MCP-Protocol-Version',
      '',
    ]);
    expect(head).toMatchObject({ origin: '', transferEncoding: '', accept: [''], protocolVersion: '' });
    expect(head.authorization).toBeUndefined();
  });

  test('all lines of Accept and of Transfer-Encoding', () => {
    const accept = ['accept', 'a/b', ...HOST, 'Accept', 'c/d'];
    const head = headOf([...accept, 'Transfer-Encoding', 'gzip', 'transfer-encoding', 'chunked']);
    expect(head.accept).toEqual(['a/b', 'c/d']);
    expect(head.transferEncoding).toBe('gzip, chunked');
  });

  test('names that only look alike are of no interest', () => {
    const head = headOf([
      ...HOST,
      'Hosts',
      'a',
      'X-Host',
      'b',
      'Hose',
      'c',
      'Authorisation!',
      'd',
      '__proto__',
      'e',
    ]);
    expect(head).toMatchObject({ host: 'localhost:3000', authorization: undefined });
  });

  test('values as Node gives them, no further trimmed', () => {
    expect(headOf([...HOST, 'Origin', 'a \t']).origin).toBe('a \t');
    expect(headOf(['Host', 'a, b']).host).toBe('a, b');
  });

  test.each(['100-continue', '100-Continue'])('Expect: %s', (value) => {
    expect(headOf([...HOST, 'Expect', value]).expect).toBe(value);
  });
});

describe('sizes', () => {
  test.each([
    ['path at the limit', '/'.padEnd(64, 'a'), HOST, undefined],
    ['path over it', '/'.padEnd(65, 'a'), HOST, 'uri_too_long'],
    ['fields at the limit', '/mcp', [...HOST, ...fields(7)], undefined],
    ['fields over it', '/mcp', [...HOST, ...fields(8)], 'too_many_headers'],
    ['value at the limit', '/mcp', [...HOST, 'X', 'a'.repeat(100)], undefined],
    ['value over it', '/mcp', [...HOST, 'X', 'a'.repeat(101)], 'header_too_large'],
    // 22 for Host, 3 times 105, 63 left: name + value + 4.
    ['all at the limit', '/mcp', [...HOST, ...manyOf('X', 100, 3), 'Yz', 'a'.repeat(57)], undefined],
    ['all over it', '/mcp', [...HOST, ...manyOf('X', 100, 3), 'Yz', 'a'.repeat(58)], 'headers_too_large'],
  ])('%s', (_, target, rawHeaders, code) => {
    const result = read(rawHeaders, target);
    expect(result.ok ? undefined : result.code).toBe(code);
  });
});

function fields(count: number): string[] {
  return Array.from({ length: count }, (_, i) => ['X', String(i)]).flat();
}

function manyOf(name: string, length: number, count: number): string[] {
  return Array.from({ length: count }, () => [name, 'a'.repeat(length)]).flat();
}

describe('query and fragment', () => {
  test.each([
    ['/mcp?a=b', 'query'],
    ['/mcp?', 'query'],
    ['/?', 'query'],
    ['http://a/mcp?x', 'query'],
    ['/mcp#a', 'fragment'],
    ['/mcp#', 'fragment'],
  ])('%s', (target, reason) => {
    expect(read(HOST, target)).toEqual({ ok: false, code: 'query_not_allowed', reason });
  });

  test.each(['/', '/mcp/', '/%3f', '/%zz', 'http://a/mcp', '*', ''])('%j is for a later gate', (target) => {
    expect(read(HOST, target).ok).toBe(true);
  });
});

describe('repeats', () => {
  test.each([
    ['Authorization', 'authorization'],
    ['Host', 'host'],
    ['Origin', 'origin'],
    ['Content-Type', 'content_type'],
    ['Content-Length', 'content_length'],
    ['MCP-Session-Id', 'mcp_session_id'],
    ['Last-Event-ID', 'last_event_id'],
  ])('%s twice, even if equal or empty', (name, reason) => {
    for (const [first, second] of [
      ['a', 'a'],
      ['a', 'b'],
      ['', ''],
      ['', 'a'],
    ] as const) {
      const rawHeaders = [
        ...(name === 'Host' ? [] : HOST),
        name,
        first,
        'X',
        'y',
        name.toLowerCase(),
        second,
      ];
      expect(read(rawHeaders)).toEqual({ ok: false, code: 'duplicate_header', reason });
    }
  });

  test.each([
    [['2025-11-25', '2025-11-25']],
    [['2025-11-25, 2025-11-25']],
    [['2025-11-25,2025-11-25']],
    [['2025-11-25 \t,  2025-11-25']],
    [['2025-11-25', '2025-11-25, 2025-11-25', '2025-11-25']],
  ])('identical protocol versions are one: %j', (values) => {
    const rawHeaders = [...HOST, ...values.flatMap((value) => ['MCP-Protocol-Version', value])];
    expect(headOf(rawHeaders).protocolVersion).toBe('2025-11-25');
  });

  test.each([
    [['2025-11-25', '2025-06-18']],
    [['2025-06-18', '2025-11-25', '2025-06-18']],
    [['2025-11-25, 2025-06-18']],
    [['2025-11-25', '2025-11-25, 2025-06-18']],
    [['2025-11-25, 2025-06-18', '2025-11-25']],
    [['2025-11-25,']],
    [['', '2025-11-25']],
    [['2025-11-25', '']],
    [['a', 'A']],
  ])('protocol versions that differ: %j', (values) => {
    const rawHeaders = [...HOST, ...values.flatMap((value) => ['MCP-Protocol-Version', value])];
    expect(read(rawHeaders)).toEqual({ ok: false, code: 'duplicate_header', reason: 'mcp_protocol_version' });
  });
});

describe('form', () => {
  test.each([
    ['no Host', [], 'host_missing'],
    ['no Host but others', ['Accept', '*/*'], 'host_missing'],
    ['empty Host', ['Host', ''], 'host_empty'],
    ['NUL in a value', [...HOST, 'X', 'a\0'], 'header_value'],
    ['CR in a value', [...HOST, 'X', 'a\rb'], 'header_value'],
    ['LF in a value', [...HOST, 'X', 'a\nb'], 'header_value'],
    ['DEL in a value', [...HOST, 'X', '\u007f'], 'header_value'],
    ['a value that is not one byte per character', [...HOST, 'X', '\u0100'], 'header_value'],
    ['an empty name', [...HOST, '', 'a'], 'header_name'],
    ['a name with space', [...HOST, 'X ', 'a'], 'header_name'],
    ['a name with colon', [...HOST, 'X:', 'a'], 'header_name'],
    ['a name beyond ASCII', [...HOST, 'X\u00e9', 'a'], 'header_name'],
    ['a name that lower-cases into one of ours', [...HOST, 'X-\u212aost', 'a'], 'header_name'],
    ['a value without its partner', [...HOST, 'Origin'], undefined],
  ])('%s', (_, rawHeaders, reason) => {
    const result = read(rawHeaders);
    expect(result.ok ? undefined : [result.code, result.reason]).toEqual(
      reason === undefined ? undefined : ['invalid_header', reason],
    );
  });

  test.each([
    'Authorization',
    'Host',
    'Origin',
    'Content-Length',
    'MCP-Session-Id',
    'Last-Event-ID',
    'MCP-Protocol-Version',
  ])('%s is ASCII by its grammar', (name) => {
    expect(read([...(name === 'Host' ? [] : HOST), name, 'a\u00e9'])).toEqual({
      ok: false,
      code: 'invalid_header',
      reason: 'header_value',
    });
  });

  test.each(['User-Agent', 'Content-Type', 'Accept', 'X'])(
    '%s may hold tabs and bytes beyond ASCII',
    (name) => {
      expect(read([...HOST, name, 'a\t\u0080\u00ff~ !']).ok).toBe(true);
    },
  );

  test.each(['200-ok', '', '100-continue, 100-continue', '100-continue;a', ' 100-continue'])(
    'Expect: %j',
    (value) => {
      expect(read([...HOST, 'Expect', value])).toEqual({ ok: false, code: 'expectation_failed' });
    },
  );

  test('Expect twice', () => {
    expect(read([...HOST, 'Expect', '100-continue', 'expect', '100-continue'])).toMatchObject({
      code: 'expectation_failed',
    });
  });
});

describe('order', () => {
  // Each row breaks its own rule and all that come after it.
  const expectation = ['Expect', 'x'];
  const form = [...expectation, 'Origin', '\u0001'];
  const repeat = [...form, 'Origin', 'b'];
  const total = [...repeat, ...manyOf('X', 100, 4)];
  const value = [...repeat, ...manyOf('X', 101, 4)];
  const count = [...value, 'Y', 'z'.repeat(200), 'Y', ''];
  test.each([
    ['uri_too_long', '/?'.padEnd(65, '#'), count],
    ['too_many_headers', '/?#', count],
    ['header_too_large', '/?#', value],
    ['headers_too_large', '/?#', total],
    ['query_not_allowed', '/?#', repeat],
    ['duplicate_header', '/', repeat],
    ['invalid_header', '/', form],
    ['invalid_header', '/', expectation],
    ['expectation_failed', '/', [...HOST, ...expectation]],
  ])('%s wins over all later ones', (code, target, rawHeaders) => {
    expect(read(rawHeaders, target)).toMatchObject({ ok: false, code });
  });
});

test('never throws, and a reason is never content', () => {
  const name = fc.oneof(
    fc.constantFrom('Host', 'host', 'Origin', 'MCP-Protocol-Version', 'Expect'),
    fc.string(),
  );
  const rawHeaders = fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 9 });
  fc.assert(
    fc.property(fc.string(), rawHeaders, (target, pairs) => {
      const result = read(pairs.flat(), target);
      expect(result.ok || /^[a-z_]+$/.test(result.reason ?? 'none')).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
