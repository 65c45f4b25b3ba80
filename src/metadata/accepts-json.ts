import { type AcceptRange, parseAccept } from '../protocol/media-types.js';

/**
 * Whether an answer in JSON is acceptable (RFC 9110 section 12.5.1): without Accept anything is; else the most
 * exact range that matches decides, wildcards included. Unlike the MCP endpoint, any HTTP client may ask here.
 */
export function acceptsJson(accept: readonly string[]): boolean {
  const ranges = parseAccept(accept);
  if (ranges === undefined) return false;
  if (ranges.length === 0) return true;
  const [best] = ranges.filter(matchesJson).toSorted((a, b) => exactness(b) - exactness(a));
  return best !== undefined && best.weight > 0;
}

function matchesJson({ type, subtype }: AcceptRange): boolean {
  return (
    (type === 'application' && (subtype === 'json' || subtype === '*')) || (type === '*' && subtype === '*')
  );
}

function exactness({ type, subtype }: AcceptRange): number {
  return Number(type !== '*') + Number(subtype !== '*');
}
