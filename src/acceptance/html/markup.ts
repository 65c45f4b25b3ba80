/*
 * Escaping for the HTML page, and the words for expectations and findings. Everything that comes from outside
 * goes through `text`.
 */
import type { Expectation } from '../finding.js';
import type { RecordedCheck } from '../record/record.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes for text and quoted attributes. */
export function text(value: string | number): string {
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** What was wanted, as words. */
export function expectedWords({ status, code, runs, more }: Expectation): string {
  return [
    ...(status === undefined ? [] : [`HTTP ${status.join(' or ')}`]),
    ...(code === undefined ? [] : [`JSON-RPC ${code.map(signed).join(' or ')}, same id`]),
    ...(runs === undefined ? [] : [runs === 0 ? 'nothing runs' : `runs ${runs}×`]),
    ...(more ?? []),
  ].join(' · ');
}

/** What came, as words: the last evidence. */
export function observedWords(check: RecordedCheck): string {
  const last = check.evidence.at(-1);
  if (last === undefined) return check.notes.join(' · ') || 'nothing was sent';
  return [
    last.what,
    last.failure === null ? `HTTP ${last.status ?? '?'}` : `no answer (${last.failure})`,
    ...(last.code === null ? [] : [`JSON-RPC ${signed(last.code)}`]),
    ...(last.runs === null ? [] : [last.runs === 0 ? 'nothing ran' : `ran ${last.runs}×`]),
    ...check.notes,
  ].join(' · ');
}

function signed(code: number): string {
  return String(code).replace('-', '−');
}
