/*
 * JSON in one form only (RFC 8785): members sorted by UTF-16 code units, no spaces, ECMAScript numbers. What it
 * cannot write without loss it refuses.
 */

/** With the u flag a pair is one character, so that this finds lone ones only. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Throws on undefined, non-finite numbers, lone surrogates and anything that is not JSON. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that JSON does not have');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new TypeError('a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`not JSON: ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    // Default order of sort is by UTF-16 code units, as the RFC wants.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${canonicalJson(key)}:${canonicalJson(item)}`);
  return `{${members.join(',')}}`;
}
