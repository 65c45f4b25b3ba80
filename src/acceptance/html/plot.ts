/*
 * Stream arrivals as a plot: one row per measurement, one mark per event at the time it came. Inline SVG, no script.
 */
import type { Arrival } from '../finding.js';
import type { RecordedCheck } from '../record/record.js';
import { text } from './markup.js';

const WIDTH = 720;
const LEFT = 12;
const RIGHT = 24;
const ROW = 74;

/** One figure per check that measured arrivals. */
export function plots(checks: readonly RecordedCheck[]): string {
  return checks
    .filter(({ measured }) => (measured.arrivals ?? []).length > 0)
    .map((check) => plot(check, check.measured.arrivals ?? []))
    .join('\n');
}

function plot(check: RecordedCheck, arrivals: readonly Arrival[]): string {
  const end = Math.max(100, ...arrivals.map(({ atMs }) => atMs)) * 1.04;
  const x = (atMs: number): number => Math.round(LEFT + (atMs / end) * (WIDTH - LEFT - RIGHT));
  const marks = arrivals.map((arrival) => mark(arrival, x(arrival.atMs))).join('');
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = x(part * end);
    return `<line class="tick" x1="${at}" x2="${at}" y1="40" y2="46"/><text x="${at}" y="62" class="label">${Math.round(part * end)}</text>`;
  });
  const kinds = [...new Set(arrivals.map(({ kind }) => kind))];
  const legend = kinds.map((kind) => `<span class="key ${kind}">${kind}</span>`).join(' ');
  const times = arrivals.map(({ atMs, kind }) => `${kind} ${Math.round(atMs)}`).join(', ');
  return `<figure>
<figcaption><b>${text(check.id)}</b>: arrivals in ms after the request ${legend}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${ROW}" role="img" aria-label="${text(times)}">
<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="40" y2="40"/>${ticks.join('')}${marks}
</svg>
<p class="small">${text(times)}</p>
</figure>`;
}

function mark({ kind, atMs }: Arrival, at: number): string {
  const title = `<title>${kind} at ${Math.round(atMs)} ms</title>`;
  if (kind === 'result')
    return `<rect class="mark result" x="${at - 5}" y="18" width="10" height="22">${title}</rect>`;
  if (kind === 'comment') return `<circle class="mark comment" cx="${at}" cy="33" r="4">${title}</circle>`;
  return `<circle class="mark ${kind}" cx="${at}" cy="28" r="6">${title}</circle>`;
}
