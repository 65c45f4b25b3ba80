/** Judges a value against a compiled schema: the first thing that does not fit, with the pointer of the place. */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { exactNumber, type NumberSources } from './number-sources.js';
import { type CompiledSchema, enumKey, hasType, type SchemaType } from './schema-dialect.js';
import { pointerTo, shownName } from './secrecy.js';
import { isObject } from './shape.js';

const TYPE_TEXTS: Readonly<Record<SchemaType, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  null: 'null',
};

/** @param what whose schema it is, for texts: `the tool arguments` and the like */
export function judgeValue(
  value: JsonValue,
  schema: CompiledSchema,
  at: string,
  what: string,
  numbers: NumberSources,
): Finding | undefined {
  if (schema.type !== undefined && !hasType(value, schema.type)) {
    return finding('value.type', at, { expected: TYPE_TEXTS[schema.type], what });
  }
  if (schema.enumKeys !== undefined && !schema.enumKeys.has(enumKey(value, at, numbers))) {
    return finding('value.enum', at, { what });
  }
  if (typeof value === 'string') return judgeString(value, schema, at, what);
  if (typeof value === 'number') return judgeNumber(value, schema, at, what, numbers);
  if (Array.isArray(value)) return judgeArray(value, schema, at, what, numbers);
  return isObject(value) ? judgeObject(value, schema, at, what, numbers) : undefined;
}

function judgeString(value: string, schema: CompiledSchema, at: string, what: string): Finding | undefined {
  if (value.length > LIMITS.stringCharacters) return tooLarge(at, LIMITS.stringCharacters, 'characters');
  if (schema.minLength === undefined && schema.maxLength === undefined) return undefined;
  // JSON Schema counts characters, not UTF-16 units (2020-12 validation, section 6.3.1).
  let length = value.length;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) length--;
  }
  return outside('value.length', 'Length', length, schema.minLength, schema.maxLength, at, what);
}

function judgeNumber(
  value: number,
  schema: CompiledSchema,
  at: string,
  what: string,
  numbers: NumberSources,
): Finding | undefined {
  if (schema.minimum === undefined && schema.maximum === undefined) return undefined;
  const exact = exactNumber(value, numbers.at(at));
  if (schema.minimum !== undefined && exact < schema.minimum) {
    return finding('value.range', at, {
      side: 'below',
      keyword: 'minimum',
      bound: String(schema.minimum),
      what,
    });
  }
  if (schema.maximum !== undefined && exact > schema.maximum) {
    return finding('value.range', at, {
      side: 'above',
      keyword: 'maximum',
      bound: String(schema.maximum),
      what,
    });
  }
  return undefined;
}

function judgeArray(
  value: JsonValue[],
  schema: CompiledSchema,
  at: string,
  what: string,
  numbers: NumberSources,
): Finding | undefined {
  if (value.length > LIMITS.arrayItems) return tooLarge(at, LIMITS.arrayItems, 'items');
  const found = outside('value.items', 'Items', value.length, schema.minItems, schema.maxItems, at, what);
  if (found !== undefined || schema.items === undefined) return found;
  for (let index = 0; index < value.length; index++) {
    const item = value[index] as JsonValue;
    const below = judgeValue(item, schema.items, pointerTo(at, index), what, numbers);
    if (below !== undefined) return below;
  }
  return undefined;
}

function judgeObject(
  value: JsonObject,
  schema: CompiledSchema,
  at: string,
  what: string,
  numbers: NumberSources,
): Finding | undefined {
  for (const name of schema.required) {
    if (!Object.hasOwn(value, name)) return finding('value.required', at, { member: shownName(name), what });
  }
  let count = 0;
  for (const key in value) {
    if (++count > LIMITS.schemaEntries) return tooLarge(at, LIMITS.schemaEntries, 'members');
    const property = schema.properties.get(key) ?? schema.additional;
    if (property === true) continue;
    const pointer = pointerTo(at, key);
    if (property === false) return finding('value.additional', pointer, { member: shownName(key), what });
    const found = judgeValue(value[key] as JsonValue, property, pointer, what, numbers);
    if (found !== undefined) return found;
  }
  return undefined;
}

function outside(
  rule: 'value.length' | 'value.items',
  noun: 'Length' | 'Items',
  size: number,
  low: number | undefined,
  high: number | undefined,
  at: string,
  what: string,
): Finding | undefined {
  if (low !== undefined && size < low) {
    return finding(rule, at, { side: 'below', keyword: `min${noun}`, bound: low, what });
  }
  if (high !== undefined && size > high) {
    return finding(rule, at, { side: 'above', keyword: `max${noun}`, bound: high, what });
  }
  return undefined;
}

function tooLarge(at: string, limit: number, unit: string): Finding {
  return finding('value.too_large', at, { limit, unit });
}
