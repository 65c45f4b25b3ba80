import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  decodeUtf8,
  type JsonValue,
  parseStrictJson,
  parseStrictJsonBytes,
} from '../../../src/protocol/strict-json.js';
import { ACCEPTED, NOT_UTF8, REFUSED, TOO_DEEP } from '../../cases/json/strict-json-vectors.js';

const LIMITS = { maxDepth: 64 };
const utf8 = new TextEncoder();

function valueOf(text: string): JsonValue {
  const result = parseStrictJson(text, LIMITS);
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
  return result.value;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

/** The text that JSON.parse and the strict parser must agree on: everything, with order and -0. */
function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (Object.is(member, -0) ? '-0' : member));
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function rootNumbersOf(text: string): [string, string][] {
  const result = parseStrictJson(text, LIMITS);
  return result.ok ? [...result.rootNumbers] : [];
}

function isNoncharacter(code: number): boolean {
  return (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('strict JSON', () => {
  test.each(ACCEPTED)('%s', (_, text) => {
    const value = valueOf(text);
    expect(shapeOf(value)).toBe(shapeOf(JSON.parse(text)));
    expect(parseStrictJsonBytes(utf8.encode(text), LIMITS)).toMatchObject({ ok: true });
  });

  test.each(REFUSED)('%s', (_, text, reason) => {
    expect(parseStrictJson(text, LIMITS)).toMatchObject({ ok: false, code: 'invalid_json', reason });
  });

  test.each(TOO_DEEP)('%s', (_, text) => {
    expect(parseStrictJson(text, LIMITS)).toMatchObject({
      ok: false,
      code: 'json_depth_exceeded',
      reason: 'depth_exceeded',
    });
  });

  test.each(NOT_UTF8)('%s', (_, hex) => {
    const bytes = bytesOf(hex);
    expect(decodeUtf8(bytes)).toBeUndefined();
    expect(parseStrictJsonBytes(bytes, LIMITS)).toEqual({
      ok: false,
      code: 'invalid_utf8',
      offset: 0,
      reason: 'malformed_utf8',
    });
  });

  test('a BOM is decoded, not stripped, so that the parser refuses it', () => {
    expect(decodeUtf8(bytesOf('ef bb bf 7b 7d'))).toBe('\ufeff{}');
    expect(parseStrictJsonBytes(bytesOf('ef bb bf 7b 7d'), LIMITS)).toMatchObject({
      reason: 'byte_order_mark',
    });
  });

  test('bytes may be a part of a larger buffer', () => {
    const whole = utf8.encode('xx{"a":1}yy');
    expect(parseStrictJsonBytes(whole.subarray(2, 9), LIMITS)).toMatchObject({ ok: true, value: { a: 1 } });
  });
});

describe('where it went wrong', () => {
  test.each([
    ['the second of two equal keys', '{"a":1, "a":2}', 8],
    ['what follows the value', '{} x', 3],
    ['the end', '{"a":', 5],
    ['the escape', String.raw`["ab\x"]`, 4],
    ['the number that overflows', '[1, 1e999]', 4],
    ['the raw half of a pair', '"a\ud800"', 2],
  ])('%s', (_, text, offset) => {
    expect(parseStrictJson(text, LIMITS)).toMatchObject({ ok: false, offset });
  });

  test('the bracket that is one too many', () => {
    expect(parseStrictJson('[[[[]]]]', { maxDepth: 3 })).toMatchObject({
      code: 'json_depth_exceeded',
      offset: 3,
    });
  });
});

describe('the nesting limit', () => {
  test.each([
    [0, '1', true],
    [0, '[]', false],
    [1, '[]', true],
    [1, '{"a":1}', true],
    [1, '[[]]', false],
    [2, '[{}]', true],
    [2, '[[],[],[]]', true],
    [3, '[[],[[]],[]]', true],
  ])('%d levels: %s', (maxDepth, text, ok) => {
    expect(parseStrictJson(text, { maxDepth }).ok).toBe(ok);
  });

  test.each([Number.POSITIVE_INFINITY, 1e9, Number.NaN])('a limit of %d ends at 1,000', (maxDepth) => {
    expect(parseStrictJson(nested(1000), { maxDepth }).ok).toBe(true);
    expect(parseStrictJson(nested(1001), { maxDepth })).toMatchObject({ code: 'json_depth_exceeded' });
  });
});

describe('rootNumbers', () => {
  test.each([
    [
      '{"id":1.0,"a":"1","b":-0,"c":1e2}',
      [
        ['id', '1.0'],
        ['b', '-0'],
        ['c', '1e2'],
      ],
    ],
    ['{ "id" : 10 , "a":[1]}', [['id', '10']]],
    [String.raw`{"\u0069d":7}`, [['id', '7']]],
    ['{"a":{"id":1}}', []],
    ['[1]', []],
    ['1', []],
  ])('%s', (text, expected) => {
    expect(rootNumbersOf(text)).toEqual(expected);
  });

  test('is one shared map where there is no number', () => {
    const first = parseStrictJson('{}', LIMITS);
    const second = parseStrictJson('[1]', LIMITS);
    if (!first.ok || !second.ok) throw new Error('refused');
    expect(first.rootNumbers).toBe(second.rootNumbers);
  });
});

describe('__proto__', () => {
  test('is an own member and touches no prototype', () => {
    const value = valueOf('{"__proto__":{"admin":true},"a":1}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(value.admin).toBeUndefined();
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":1}');
  });

  test('null and scalars stay members too', () => {
    expect(JSON.stringify(valueOf('[{"__proto__":null},{"__proto__":1}]'))).toBe(
      '[{"__proto__":null},{"__proto__":1}]',
    );
  });
});

describe('properties', () => {
  // Any text that I-JSON allows: no surrogates (fast-check makes none here) and no noncharacters.
  const text = fc
    .string({ unit: 'binary' })
    .filter((s) => !Array.from(s).some((c) => isNoncharacter(c.codePointAt(0) ?? 0)));
  const { value: iJson } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(null, true, false),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      text,
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'toString', '0')), tie('value'), {
        maxKeys: 6,
      }),
    ),
  }));

  test('what JSON.stringify writes of an I-JSON value comes back, indented or not', () => {
    fc.assert(
      fc.property(iJson, fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const written = JSON.stringify(value, undefined, indent);
        expect(shapeOf(valueOf(written))).toBe(shapeOf(JSON.parse(written)));
      }),
      { numRuns: 500 },
    );
  });

  // Characters that make JSON likely, so that the property is not about noise alone.
  const nearJson = fc.string({
    unit: fc.constantFrom(
      ...'{}[]",:\\u0123456789aedDcCfF.+-truefalsn \n\t'.split(''),
      '"a"',
      '{"a":',
      '\ud800',
      '\udc00',
    ),
    maxLength: 40,
  });
  const anyText = fc.oneof(nearJson, fc.string({ unit: 'binary' }), fc.json());

  test('any text is read as JSON.parse reads it or refused, and nothing is thrown', () => {
    fc.assert(
      fc.property(anyText, (input) => {
        const result = parseStrictJson(input, LIMITS);
        const seen = result.ok
          ? shapeOf(result.value) === shapeOf(JSON.parse(input))
          : /^[a-z0-9_]+$/.test(result.reason) && result.offset >= 0 && result.offset <= input.length;
        expect(seen).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test('what is refused though JSON.parse takes it is a strict rule, never the grammar', () => {
    const strictRules = new Set([
      'duplicate_key',
      'lone_surrogate',
      'noncharacter',
      'number_overflow',
      'depth_exceeded',
    ]);
    fc.assert(
      fc.property(anyText, (input) => {
        const result = parseStrictJson(input, LIMITS);
        if (result.ok || strictRules.has(result.reason)) return;
        expect(() => JSON.parse(input) as unknown).toThrow(SyntaxError);
      }),
      { numRuns: 5000 },
    );
  });

  test('any bytes are read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const result = parseStrictJsonBytes(bytes, LIMITS);
        expect(typeof result.ok).toBe('boolean');
      }),
    );
  });

  test('depth is judged as a count of the built value would judge it', () => {
    fc.assert(
      fc.property(iJson, fc.integer({ min: 0, max: 6 }), (value, maxDepth) => {
        const result = parseStrictJson(JSON.stringify(value), { maxDepth });
        expect(result.ok).toBe(depthOf(value) <= maxDepth);
      }),
      { numRuns: 500 },
    );
  });
});

describe('time grows with the length, not its square', () => {
  const MEGABYTE = 1_000_000;
  test.each([
    ['escapes', `"${'\\n'.repeat(MEGABYTE)}"`, true],
    ['members', `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`, true],
    ['siblings', `[${'[],'.repeat(600_000)}[]]`, true],
    ['digits', '1'.repeat(2 * MEGABYTE), false],
    ['backslashes that never end', `"${'\\\\'.repeat(MEGABYTE)}`, false],
    ['spaces', ' '.repeat(2 * MEGABYTE), false],
    ['brackets out of order', '][[]'.repeat(500_000), false],
  ])('%s', (_, input, ok) => {
    const before = performance.now();
    expect(parseStrictJson(input, LIMITS).ok).toBe(ok);
    // A quadratic step over 2 MB takes minutes; the bound only has to tell the two apart on a busy machine.
    expect(performance.now() - before).toBeLessThan(5000);
  });
});
