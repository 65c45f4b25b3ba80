import { expect, test } from '@jest/globals';
import { judgeRevisionHeader, SPOKEN_REVISION } from '../../../src/protocol/revisions.js';

test.each([
  [undefined, 'missing'],
  [SPOKEN_REVISION, 'spoken'],
  ['', 'unsupported'],
  ['2025-06-18', 'earlier'],
  ['2025-03-26', 'earlier'],
  ['2024-11-05', 'earlier'],
  ['2024-10-07', 'unsupported'],
  ['2026-07-28', 'unsupported'],
  ['2025-11-25 ', 'unsupported'],
  ['2025-11-2５', 'unsupported'],
  ['DRAFT-2025-11-25', 'unsupported'],
])('%j is %s', (value, verdict) => {
  expect(judgeRevisionHeader(value)).toBe(verdict);
});
