import { describe, expect, test } from '@jest/globals';
import type { Check } from '../../src/acceptance/checks/check.js';
import type { Finding, ProblemCode } from '../../src/acceptance/finding.js';
import { exitCodeOf, judge, type Judged } from '../../src/acceptance/verdict.js';

const TODAY = '2026-11-29';

function judged(outcome: Finding['outcome'], problem?: ProblemCode, more: Partial<Check> = {}): Judged {
  const check: Check = {
    id: 'g.check',
    group: 'version',
    level: 'MUST',
    section: '',
    title: '',
    meaning: '',
    run: async () => undefined,
    ...more,
  };
  const problems = problem === undefined ? [] : [problem];
  return { check, finding: { outcome, problems, expected: {}, evidence: [], notes: [], measured: {} } };
}

const until = (expires: string) => [{ check: 'g.check', owner: 'o', reason: 'r', expires }];
const ABSOLUTE = { blocks: { ground: 'ran-after-mismatch', on: ['tool-ran'] } } as const;

describe('the verdict', () => {
  test.each([
    ['all pass', [judged('pass')], [], 'PASS', []],
    ['a failed MUST', [judged('fail', 'wrong-status')], [], 'BLOCK', ['must-failed']],
    [
      'a MUST that was not testable',
      [judged('not-testable', 'not-configured')],
      [],
      'BLOCK',
      ['must-failed'],
    ],
    [
      'a failed SHOULD',
      [judged('fail', 'hint-missing', { level: 'SHOULD' })],
      [],
      'PASS_WITH_EXCEPTIONS',
      [],
    ],
    [
      'a failed MUST with an exception',
      [judged('fail', 'wrong-status')],
      until('2026-11-29'),
      'PASS_WITH_EXCEPTIONS',
      [],
    ],
    [
      'an expired exception',
      [judged('fail', 'wrong-status')],
      until('2026-11-28'),
      'BLOCK',
      ['exception-expired', 'must-failed'],
    ],
    ['a stale exception', [judged('pass')], until('2027-01-01'), 'BLOCK', ['exception-stale']],
    [
      'a tool that ran, whatever exceptions say',
      [judged('fail', 'tool-ran', ABSOLUTE)],
      until('2027-01-01'),
      'BLOCK',
      ['ran-after-mismatch'],
    ],
    [
      'another problem of the same check, excepted',
      [judged('fail', 'wrong-id', ABSOLUTE)],
      until('2027-01-01'),
      'PASS_WITH_EXCEPTIONS',
      [],
    ],
  ] as const)('%s', (_name, results, exceptions, name, grounds) => {
    const verdict = judge(results, exceptions, TODAY, true);
    expect(verdict.name).toBe(name);
    expect(verdict.grounds.map(({ ground }) => ground)).toEqual(grounds);
  });

  test('an incomplete run blocks', () => {
    const verdict = judge([judged('pass'), judged('not-run')], [], TODAY, false);
    expect([verdict.name, verdict.grounds]).toEqual(['BLOCK', [{ ground: 'incomplete', check: '' }]]);
  });

  test.each([
    ['PASS', false, 0],
    ['PASS', true, 0],
    ['PASS_WITH_EXCEPTIONS', false, 0],
    ['PASS_WITH_EXCEPTIONS', true, 3],
    ['BLOCK', false, 1],
    ['BLOCK', true, 1],
  ] as const)('%s, strict %s, exits with %i', (name, strict, code) => {
    expect(exitCodeOf(name, strict)).toBe(code);
  });
});
