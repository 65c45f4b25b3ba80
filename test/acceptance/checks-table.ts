/** The README's tables of checks, made from the list itself. */
import { CHECKS } from '../../src/acceptance/checks/list.js';
import { MODERN_REVISION, STATEFUL_REVISION, type JudgedRevision } from '../../src/acceptance/revision.js';

/** One table, without the marks around it. */
export function checksTable(revision: JudgedRevision): string {
  const rows = CHECKS[revision].map(({ id, level, title, section, blocks }) => {
    const always = blocks === undefined ? '' : '●';
    return `| \`${id}\` | ${level} | ${always} | ${title.replaceAll('|', '\\|')} | ${section} |`;
  });
  return ['| check | level | ● | what has to hold | section |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Puts both tables between their marks. */
export function replaceTables(text: string): string {
  const revisions: readonly JudgedRevision[] = [MODERN_REVISION, STATEFUL_REVISION];
  return revisions.reduce((done, revision) => {
    const [begin, end] = [`<!-- checks ${revision} -->`, `<!-- end of checks ${revision} -->`];
    const from = done.indexOf(begin);
    const to = done.indexOf(end);
    if (from === -1 || to === -1) return done;
    return `${done.slice(0, from + begin.length)}\n\n${checksTable(revision)}\n\n${done.slice(to)}`;
  }, text);
}
