import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  ChallengeError,
  formatBearerChallenge,
  quoteParam,
  readBearer,
} from '../../../src/protocol/bearer.js';

describe('readBearer', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['Bearer a', 'a'],
    ['Bearer AZaz09-._~+/', 'AZaz09-._~+/'],
    ['Bearer abc=', 'abc='],
    ['Bearer abc====', 'abc===='],
    ['Bearer Bearer', 'Bearer'],
    ['Bearer eyJ.eyJ.sig', 'eyJ.eyJ.sig'],
  ])('token: %j', (value, token) => {
    expect(readBearer(value)).toEqual({ kind: 'token', token });
  });

  test.each([
    undefined,
    '',
    'Basic abc',
    'Basic Bearer abc',
    'DPoP abc',
    'Bearerabc',
    'Bearer1 abc',
    'XBearer abc',
    ' Bearer abc',
    '"Bearer" abc',
    '=abc',
    'abc',
  ])('none: %j', (value) => {
    expect(readBearer(value)).toEqual({ kind: 'none' });
  });

  test.each([
    'Bearer',
    'bearer ',
    'Bearer  ',
    'Bearer\tabc',
    'Bearer \tabc',
    'Bearer abc ',
    'Bearer abc def',
    'Bearer abc,def',
    'Bearer abc, Basic def',
    'Bearer token=abc',
    'Bearer "abc"',
    'Bearer =',
    'Bearer =abc',
    'Bearer a=b',
    'Bearer a=b=',
    'Bearer, abc',
    'Bearer=abc',
    'Bearer ab%20',
    'Bearer é',
    'Bearer abc\n',
    'Bearer abc\0',
  ])('malformed: %j', (value) => {
    expect(readBearer(value)).toEqual({ kind: 'malformed' });
  });

  test('takes time that grows with the length', () => {
    const before = performance.now();
    readBearer(`Bearer ${'='.repeat(500_000)}`);
    readBearer(`Bearer ${'a'.repeat(500_000)},`);
    readBearer(`Bearer${' '.repeat(500_000)}`);
    readBearer(`Bearer a${'='.repeat(500_000)}!`);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});

describe('quoteParam', () => {
  test.each([
    ['', '""'],
    ['mcp:use', '"mcp:use"'],
    ['a "b" \\c', String.raw`"a \"b\" \\c"`],
    ['a\tb', '"a\tb"'],
    ['$& $1', '"$& $1"'],
  ])('%j', (value, quoted) => {
    expect(quoteParam(value)).toBe(quoted);
  });

  test.each(['\n', 'a\r\nSet-Cookie: b', '\0', '\u007f', 'é', '租', '\ud800'])('throws on %j', (value) => {
    expect(() => quoteParam(value)).toThrow(ChallengeError);
  });

  test('what can be quoted comes back by the quoted-string grammar', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (value) => {
        const quoted = quoteParam(value);
        expect(quoted).toMatch(/^"(?:[^"\\]|\\.)*"$/);
        expect(quoted.slice(1, -1).replace(/\\(.)/g, '$1')).toBe(value);
      }),
    );
  });
});

describe('formatBearerChallenge', () => {
  test('scheme, then quoted parameters in the order given', () => {
    expect(formatBearerChallenge([])).toBe('Bearer');
    expect(
      formatBearerChallenge([
        ['error', 'invalid_token'],
        ['resource_metadata', 'http://a/.well-known/x'],
        ['scope', 'mcp:use "x"'],
      ]),
    ).toBe(
      String.raw`Bearer error="invalid_token", resource_metadata="http://a/.well-known/x", scope="mcp:use \"x\""`,
    );
  });

  test.each([
    ['', 'a'],
    ['a b', 'a'],
    ['a"', 'a'],
    ['a', '\n'],
  ])('throws on %j=%j', (name, value) => {
    expect(() => formatBearerChallenge([[name, value]])).toThrow(ChallengeError);
  });
});
