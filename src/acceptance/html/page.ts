/*
 * The record as one self-contained HTML page: verdict first, then what failed and what that means, the plot of
 * stream arrivals, and every check. Loads nothing, runs nothing.
 */
import type { AcceptanceRecord, RecordedCheck } from '../record/record.js';
import { GROUND_TEXT, PROBLEM_TEXT } from '../texts.js';
import { expectedWords, observedWords, text } from './markup.js';
import { plots } from './plot.js';
import { STYLE } from './style.js';

/** The page. `signed`: whether the record file bears a signature. */
export function htmlPage(record: AcceptanceRecord, signed: boolean): string {
  const failed = record.checks.filter(({ status }) => status !== 'pass');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(record.verdict.name)}: ${text(record.environment)} ${text(record.release)}</title>
<style>${STYLE}</style>
</head>
<body>
${verdict(record, signed)}
${failed.length === 0 ? '' : `<h2>What failed</h2>\n${failed.map(failure).join('\n')}`}
<h2>Stream arrivals</h2>
${plots(record.checks) || '<p>No stream was measured.</p>'}
${exceptions(record)}
<h2>All checks</h2>
${table(record.checks)}
<h2>What was judged</h2>
${facts(record)}
</body>
</html>
`;
}

function verdict(record: AcceptanceRecord, signed: boolean): string {
  const { name, grounds } = record.verdict;
  const passed = record.checks.filter(({ status }) => status === 'pass').length;
  const reasons = grounds
    .map(
      ({ ground, check }) =>
        `<li>${text(GROUND_TEXT[ground])} ${check === '' ? '' : `<code>${text(check)}</code>`}</li>`,
    )
    .join('');
  const state = `${signed ? 'signed' : 'unsigned'}${record.complete ? '' : ', incomplete'}`;
  return `<header class="verdict ${name}">
<h1>Acceptance of ${text(record.environment)}, release ${text(record.release)}, MCP ${text(record.revision)}</h1>
<strong>${name.replaceAll('_', ' ')}</strong>
${passed} of ${record.checks.length} checks pass · record ${state}
${reasons === '' ? '' : `<ul>${reasons}</ul>`}
</header>`;
}

function failure(check: RecordedCheck): string {
  const problems = check.problems.map((problem) => text(PROBLEM_TEXT[problem])).join(' ');
  const body = check.evidence.at(-1)?.body ?? '';
  return `<article>
<h3>${text(check.id)} <span class="${check.status}">${check.status}</span> <span class="small">${check.level}, ${text(check.section)}</span></h3>
<p>${text(check.title)}</p>
<p><b>Expected:</b> ${text(expectedWords(check.expected))}</p>
<p><b>Came:</b> ${text(observedWords(check))}. ${problems}</p>
<p><b>What it means:</b> ${text(check.meaning)}</p>
${body === '' ? '' : `<pre>${text(body)}</pre>`}
</article>`;
}

function exceptions({ verdict: { exceptions: list } }: AcceptanceRecord): string {
  if (list.length === 0) return '';
  const rows = list.map(
    ({ check, owner, reason, expires, state }) =>
      `<tr><td class="status">${text(state)}</td><td><code>${text(check)}</code></td><td>${text(owner)}</td><td>${text(expires)}</td><td>${text(reason)}</td></tr>`,
  );
  return `<h2>Exceptions</h2>
<table><thead><tr><th>State</th><th>Check</th><th>Owner</th><th>Last day</th><th>Reason</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function table(checks: readonly RecordedCheck[]): string {
  const rows = checks.map((check) => {
    const seen = check.evidence
      .map(({ declared, status, code, what, runs }) => {
        const verdictWords = `${status ?? '–'}${code === null ? '' : ` / ${code}`}${runs === null ? '' : `, ran ${runs}×`}`;
        return `<li>${text(what)} <span class="small">declared ${text(declared.header ?? 'none')} (header), ${text(declared.body ?? 'none')} (body) → ${text(verdictWords)}</span></li>`;
      })
      .join('');
    return `<tr><td class="status ${check.status}">${check.status}</td><td><code>${text(check.id)}</code><br><span class="small">${check.level}</span></td><td>${text(check.title)}<details><summary class="small">evidence</summary><ul class="small">${seen}</ul></details></td></tr>`;
  });
  return `<table><thead><tr><th>Status</th><th>Check</th><th>What has to hold</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function facts(record: AcceptanceRecord): string {
  const entries: readonly (readonly [string, string])[] = [
    ['Target', record.target],
    ['Resource', record.resource],
    ['Authorization server', record.authorizationServer],
    ['Accepted revisions', record.acceptedRevisions.join(', ')],
    ...Object.entries(record.versions).map(([name, value]) => [`Version of ${name}`, value] as const),
    ...Object.entries(record.hashes).map(([name, value]) => [`SHA-256 of ${name}`, value] as const),
    ['Run', record.run.id],
    ['From', record.run.startedAt],
    ['To', record.run.finishedAt],
  ];
  return `<dl>${entries.map(([name, value]) => `<dt>${text(name)}</dt><dd>${text(value)}</dd>`).join('')}</dl>`;
}
