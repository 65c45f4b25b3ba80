/** The README's tables of checks, made from the list itself, and read back from the README. */
import { CHECKS } from '../../src/acceptance/checks/list.js';
import type { JudgedRevision } from '../../src/acceptance/revision.js';

/** The cells of the rows that belong into the README. */
export function wantedRows(revision: JudgedRevision): string[][] {
  return CHECKS[revision].map(({ id, level, title, section, blocks }) => [
    `\`${id}\``,
    level,
    blocks === undefined ? '' : '●',
    title,
    section,
  ]);
}

/** The cells of the rows between the marks of a revision; the two rows of the head are left out. */
export function writtenRows(text: string, revision: JudgedRevision): string[][] {
  const [, after = ''] = text.split(`<!-- checks ${revision} -->`);
  const [between = ''] = after.split(`<!-- end of checks ${revision} -->`);
  const lines = between.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
