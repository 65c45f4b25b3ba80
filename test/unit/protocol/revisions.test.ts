import { expect, test } from '@jest/globals';
import { judgeRevisionHeader, SPOKEN_REVISION } from '../../../src/protocol/revisions.js';

test.each([
  [undefined, 'missing'],
  [SPOKEN_REVISION, 'spoken'],
  ['', 'unsupported'],
  ['2025-06-18', 'unsupported'],
  ['2026-07-28', 'unsupported'],
  ['2025-11-25 ', 'unsupported'],
  ['2025-11-2５', 'unsupported'],
  ['DRAFT-2025-11-25', 'unsupported'],
])('%j is %s', (value, verdict) => {
  expect(judgeRevisionHeader(value)).toBe(verdict);
});
