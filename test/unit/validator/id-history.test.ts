/** The history of used ids: exact within its bounds, bounded beyond. */

import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { IdHistory } from '../../../src/validator/id-history.js';
import { LIMITS } from '../../../src/validator/limits.js';

// Many runs, on machines that do other things too.
jest.setTimeout(60_000);

describe('IdHistory', () => {
  it('knows what was added, in any order, as a set would', () => {
    const ids = fc.array(fc.oneof(fc.integer({ min: -20, max: 20 }), fc.string({ maxLength: 2 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(ids, (added) => {
        const history = new IdHistory();
        for (const id of added) history.add(id);
        const reference = new Set(added);
        for (let id = -22; id <= 22; id++) expect(history.has(id)).toBe(reference.has(id));
        for (const id of added) expect(history.has(id)).toBe(true);
        expect(history.has('never')).toBe(false);
        expect(history.isIncomplete).toBe(false);
      }),
    );
  });

  it('tells 5 from "5"', () => {
    const history = new IdHistory();
    history.add(5);
    expect([history.has(5), history.has('5')]).toEqual([true, false]);
  });

  it('keeps a million integers that count up as one interval', () => {
    const history = new IdHistory();
    for (let id = 0; id < 1_000_000; id++) history.add(id);
    expect([history.has(0), history.has(999_999), history.has(1_000_000)]).toEqual([true, true, false]);
    expect(history.isIncomplete).toBe(false);
  });

  it('stops remembering scattered integers at its bound, and says so', () => {
    const history = new IdHistory();
    for (let i = 0; i <= LIMITS.idIntervals; i++) history.add(i * 10);
    expect(history.isIncomplete).toBe(true);
    expect([history.has(0), history.has(LIMITS.idIntervals * 10)]).toEqual([true, false]);
  });

  it('stops remembering strings at their bound, and says so', () => {
    const history = new IdHistory();
    for (let i = 0; i <= LIMITS.idStrings; i++) history.add(`id-${i}`);
    expect(history.isIncomplete).toBe(true);
    expect([history.has('id-0'), history.has(`id-${LIMITS.idStrings}`)]).toEqual([true, false]);
  });

  it('stops remembering long strings at their bound of characters', () => {
    const history = new IdHistory();
    for (let i = 0; i < 4000; i++) history.add(`${i}-`.padEnd(1024, 'x'));
    expect(history.isIncomplete).toBe(true);
  });
});
