import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { accepts, isJsonContentType, parseAccept } from '../../../src/protocol/media-types.js';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

describe('parseAccept', () => {
  test.each([
    ['', []],
    [' \t', []],
    [', ,,', []],
    ['a/b', [{ type: 'a', subtype: 'b', parameters: [], weight: 1 }]],
    ['A/B;Q=0.5', [{ type: 'a', subtype: 'b', parameters: [], weight: 0.5 }]],
    ['*/*;q=0', [{ type: '*', subtype: '*', parameters: [], weight: 0 }]],
    [', a/b \t; x=y', [{ type: 'a', subtype: 'b', parameters: [['x', 'y']], weight: 1 }]],
    [
      'text/*;q=1.000,a/b;q=0.125;x=1',
      [
        { type: 'text', subtype: '*', parameters: [], weight: 1 },
        { type: 'a', subtype: 'b', parameters: [['x', '1']], weight: 0.125 },
      ],
    ],
    [
      String.raw`a/b;X="c, d/e;q=0 \"\\\f",f/g`,
      [
        { type: 'a', subtype: 'b', parameters: [['x', String.raw`c, d/e;q=0 "\f`]], weight: 1 },
        { type: 'f', subtype: 'g', parameters: [], weight: 1 },
      ],
    ],
    ['a/b;;; ;x=""', [{ type: 'a', subtype: 'b', parameters: [['x', '']], weight: 1 }]],
    ['a/b;x="\u00e9\t"', [{ type: 'a', subtype: 'b', parameters: [['x', '\u00e9\t']], weight: 1 }]],
  ])('%j', (value, ranges) => {
    expect(parseAccept([value])).toEqual(ranges);
  });

  test('several lines are one list', () => {
    expect(parseAccept(['a/b,', '', 'c/d'])).toHaveLength(2);
    expect(parseAccept([])).toEqual([]);
  });

  test.each([
    'a',
    'a/',
    '/b',
    'a /b',
    'a/ b',
    'a/b c/d',
    'a/b;q',
    'a/b;q=',
    'a/b;q =1',
    'a/b;q= 1',
    'a/b;q=2',
    'a/b;q=1.1',
    'a/b;q=1.0000',
    'a/b;q=0.1234',
    'a/b;q=.5',
    'a/b;q=-0',
    'a/b;q=1e0',
    'a/b;q="0.5"',
    'a/b;q=1;q=0',
    'a/b;=x',
    'a/b;x="',
    String.raw`a/b;x="\"`,
    'a/b;x="y"z',
    'a/b;x=y z',
    'a/b/c',
    'a/b@',
    'é/b',
    'a/b;x="\u0100"',
    'a/b;x="\n"',
    'a/b, ;x=y',
  ])('malformed: %j', (value) => {
    expect(parseAccept([value])).toBeUndefined();
    expect(parseAccept(['c/d', value])).toBeUndefined();
  });

  test('never throws, whatever comes', () => {
    const near = fc.string({ unit: fc.constantFrom(...'ab/*;=q01." ,\\\té'.split('')), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.oneof(near, fc.string({ unit: 'binary' })), { maxLength: 3 }), (values) => {
        const ranges = parseAccept(values);
        expect(ranges === undefined || ranges.every(({ weight }) => weight >= 0 && weight <= 1)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('takes time that grows with the length', () => {
    const before = performance.now();
    parseAccept([`a/b;x="${'\\"'.repeat(500_000)}`, `a/b${' '.repeat(500_000)}`, ';'.repeat(500_000)]);
    expect(parseAccept([','.repeat(500_000)])).toEqual([]);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe('accepts', () => {
  test.each([
    [['application/json, text/event-stream'], true, true],
    [['text/event-stream, application/json'], true, true],
    [['application/json,text/event-stream'], true, true],
    [['application/json', 'text/event-stream'], true, true],
    [['application/json'], true, false],
    [['text/event-stream'], false, true],
    [['Application/JSON, TEXT/Event-Stream'], true, true],
    [['application/json;charset=utf-8, text/event-stream;q=0.001'], true, true],
    [['text/html, application/json;q=0.9, */*;q=0.8'], true, false],
    [[], false, false],
    [[''], false, false],
    [['*/*'], false, false],
    [['application/*, text/*'], false, false],
    [['application/json;q=0, text/event-stream;q=0.000'], false, false],
    [['application/json;q=0, application/json;q=0.5'], true, false],
    [['application/json;q=0, application/json;charset=utf-8'], false, false],
    [['application/json;charset=utf-8;q=0, application/json'], true, false],
    [['application/jsonp, text/event-stream-x, xapplication/json'], false, false],
    [['application/json-seq, application/vnd.api+json'], false, false],
    [['text/plain;x="application/json, text/event-stream"'], false, false],
    [['application/json;q=2, text/event-stream'], false, false],
    [['application/json, text/event-stream, broken'], false, false],
    [['application/json', 'broken'], false, false],
    // One list by RFC 9110 section 5.3, so the quotes that one line opens the next may close.
    [['a/b;x="', '", application/json'], true, false],
  ])('%j', (values, json, stream) => {
    for (let again = 0; again < 2; again++) {
      expect(accepts(values, JSON_TYPE)).toBe(json);
      expect(accepts(values, STREAM_TYPE)).toBe(stream);
    }
  });

  test('remembers no wrong answer when many different values come', () => {
    for (let i = 0; i < 1000; i++) {
      expect(accepts([`application/json;x=${i}`], JSON_TYPE)).toBe(true);
      expect(accepts([`text/event-stream;x=${i}`], JSON_TYPE)).toBe(false);
      expect(accepts(['application/json, text/event-stream'], STREAM_TYPE)).toBe(true);
    }
  });

  test('a long value is judged alike', () => {
    expect(accepts([`a/b;x=${'y'.repeat(2000)}, application/json`], JSON_TYPE)).toBe(true);
  });
});

describe('isJsonContentType', () => {
  test.each([
    'application/json',
    'APPLICATION/Json',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8',
    'application/json ;\tcharset=UTF-8',
    'application/json; Charset="utf-8"',
    String.raw`application/json; charset="u\tf-8"`,
    'application/json;',
    'application/json; ; charset=utf-8;',
  ])('yes: %j', (value) => {
    expect(isJsonContentType(value)).toBe(true);
  });

  test.each([
    '',
    'json',
    'application/*',
    'application/jsonp',
    'application/json-rpc',
    'application/vnd.api+json',
    'text/json',
    'text/plain',
    'text/plain; a=application/json',
    'application/json, text/plain',
    'application/json, application/json',
    'application/json; charset=utf-16',
    'application/json; charset=utf8',
    'application/json; charset=latin1',
    'application/json; charset=""',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset =utf-8',
    'application/json; charset= utf-8',
    "application/json; charset='utf-8'",
    'application/json; charset="utf-8',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset=utf-8; boundary=x',
    'application/json; boundary=x',
    'application/json charset=utf-8',
    ' application/json',
    'application/json ',
    'application /json',
    'application/json\0',
    'application/json;q=1',
  ])('no: %j', (value) => {
    expect(isJsonContentType(value)).toBe(false);
  });
});
