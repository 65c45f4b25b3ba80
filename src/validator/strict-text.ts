/** The validator's limits on strict JSON texts, and words for what is wrong with one. */

import { parseStrictJson, parseStrictJsonBytes, type StrictJsonResult } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { utf8Size } from './base64.js';

const JSON_LIMITS = { maxDepth: LIMITS.nesting };

export function parseText(text: string): StrictJsonResult {
  return parseStrictJson(text, JSON_LIMITS);
}

export function parseBytes(bytes: Uint8Array): StrictJsonResult {
  return parseStrictJsonBytes(bytes, JSON_LIMITS);
}

/** Whether a text is over the limit in UTF-8; counts only when the length leaves it open. */
export function isTooLarge(text: string): boolean {
  if (text.length > LIMITS.textBytes) return true;
  return text.length * 3 > LIMITS.textBytes && utf8Size(text) > LIMITS.textBytes;
}

/** The finding for a text that is not strict JSON. */
export function jsonFinding(failed: Extract<StrictJsonResult, { ok: false }>): Finding {
  switch (failed.code) {
    case 'invalid_utf8':
      return finding('json.invalid_utf8', '');
    case 'json_depth_exceeded':
      return finding('json.too_deep', '', { limit: LIMITS.nesting });
    default:
      return finding('json.invalid', '', { offset: failed.offset, problem: problemWords(failed.reason) });
  }
}

export function tooLargeFinding(): Finding {
  return finding('json.too_large', '', { limit: LIMITS.textBytes });
}

/** The sentence for a whole file that is not strict JSON, with line and column. */
export function jsonProblem(failed: Extract<StrictJsonResult, { ok: false }>, bytes: Uint8Array): string {
  if (failed.code === 'invalid_utf8') return 'it is not valid UTF-8';
  const before = new TextDecoder().decode(bytes).slice(0, failed.offset).split('\n');
  const place = `at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  if (failed.code === 'json_depth_exceeded') return `JSON nesting exceeds ${LIMITS.nesting} levels ${place}`;
  return `invalid JSON ${place}: ${problemWords(failed.reason)}`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['duplicate_key', 'duplicate JSON key'],
  ['number_overflow', 'a non-finite number: it overflows'],
]);

function problemWords(reason: string): string {
  return WORDS.get(reason) ?? reason.replaceAll('_', ' ');
}
