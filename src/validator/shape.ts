/**
 * Shapes: checks for values and for objects with named members, as small functions put together. A shape says
 * which members there are and what each must be; what the members mean together is for the family files.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Check, type Finding, finding } from './finding.js';
import { pointerTo, shownName } from './secrecy.js';

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member by a name that comes from outside: `constructor` must not find what every object inherits. */
export function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** What a JSON value is, in words for a text. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a fraction';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Any value passes. */
export const anything: Check = () => undefined;

export const aString: Check = (value, at) =>
  typeof value === 'string' ? undefined : finding('shape.type', at, { expected: 'a string' });

export const aBoolean: Check = (value, at) =>
  typeof value === 'boolean' ? undefined : finding('shape.type', at, { expected: 'a boolean' });

export const anObject: Check = (value, at) =>
  isObject(value) ? undefined : finding('shape.type', at, { expected: 'an object' });

export const aNumber: Check = (value, at) =>
  typeof value === 'number' ? undefined : finding('shape.type', at, { expected: 'a number' });

/** A `_meta` member: open by definition (basic/index#_meta). */
export const meta: Check = (value, at) => (isObject(value) ? undefined : finding('envelope.meta_type', at));

/** A string of 1 to `limit` characters. */
export function name(limit: number): Check {
  return (value, at) =>
    typeof value === 'string' && value.length > 0 && value.length <= limit
      ? undefined
      : finding('shape.type', at, { expected: `a non-empty string of at most ${limit} characters` });
}

/** A finite number within bounds. */
export function numberWithin(low: number, high: number): Check {
  return (value, at) =>
    typeof value === 'number' && value >= low && value <= high
      ? undefined
      : finding('shape.type', at, { expected: `a number from ${low} to ${high}` });
}

export function oneOf(...allowed: readonly string[]): Check {
  const set = new Set(allowed);
  return (value, at) =>
    typeof value === 'string' && set.has(value)
      ? undefined
      : finding('shape.type', at, { expected: `one of ${allowed.join(', ')}` });
}

/** An array of at most `limit` items that each pass. */
export function listOf(item: Check, limit: number): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return finding('shape.type', at, { expected: 'an array' });
    if (value.length > limit) return finding('shape.too_many', at, { limit });
    return firstFinding(value, item, at);
  };
}

/** The first finding among the items of an array. */
export function firstFinding(items: readonly JsonValue[], check: Check, at: string): Finding | undefined {
  let index = 0;
  for (const item of items) {
    const found = check(item, pointerTo(at, index++));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An object with exactly these members; `what` is its name in texts. */
export function shape(
  what: string,
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const members = new Map([...Object.entries(required), ...Object.entries(optional)]);
  const names = Object.keys(required);
  return (value, at) => {
    if (!isObject(value)) return finding('shape.type', at, { expected: `an object (${what})` });
    for (const name of names) {
      if (!Object.hasOwn(value, name)) return finding('shape.missing_member', at, { what, member: name });
    }
    for (const key in value) {
      const check = members.get(key);
      if (check === undefined) {
        return finding('shape.unknown_member', pointerTo(at, key), { what, member: shownName(key) });
      }
      const found = check(value[key], `${at}/${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
