/** Source text of numbers that a double does not tell apart. */

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { exactNumber, readNumberSources } from '../../../src/validator/number-sources.js';

describe('readNumberSources', () => {
  it.each<[string, Record<string, string>]>([
    ['{"a":1,"b":[2,{"c":-3}]}', {}],
    ['{"a":1.0}', { '/a': '1.0' }],
    ['{"a":[1,1e2]}', { '/a/1': '1e2' }],
    ['{"a":1.5}', {}],
    ['{"a":-0}', { '/a': '-0' }],
    ['{"a":9007199254740993}', { '/a': '9007199254740993' }],
    ['{"a/b":{"~":12345678901234567}}', { '/a~1b/~0': '12345678901234567' }],
    ['{"\\u0061\\"":1.0}', { '/a"': '1.0' }],
    ['[ "1.0" , 2.0 , true , null , false , {} , [] , 3.0 ]', { '/1': '2.0', '/7': '3.0' }],
    ['1.0', { '': '1.0' }],
    ['{"text":"costs 9007199254740993 or 1.0, or \\\\\\" 2.0","n": 4.0}', { '/n': '4.0' }],
  ])('%s', (text, sources) => {
    expect(Object.fromEntries(readNumberSources(text) ?? [])).toEqual(sources);
  });

  it('walks any JSON text to its end', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify({ value, mark: 'MARK' }).replace('"MARK"', '1.0');
        expect(readNumberSources(text)?.get('/mark')).toBe('1.0');
      }),
    );
  });
});

describe('exactNumber', () => {
  it('is a bigint only where a double would lie', () => {
    expect(exactNumber(5, undefined)).toBe(5);
    expect(exactNumber(1, '1.0')).toBe(1);
    expect(exactNumber(Number('9007199254740993'), '9007199254740993')).toBe(9_007_199_254_740_993n);
    expect(exactNumber(1e21, '1e21')).toBe(1e21);
  });
});
