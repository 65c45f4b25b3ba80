/**
 * The JSON Schema dialect of this profile: exactly the keywords it executes, compiled once. A keyword it does not
 * execute is refused by name, so that nothing is "declared but never checked". Values are judged in schema-value.ts.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { exactNumber, type NumberSources } from './number-sources.js';
import { pointerTo, shownName } from './secrecy.js';
import { isObject } from './shape.js';

export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
export type Bound = number | bigint;

export interface CompiledSchema {
  readonly type: SchemaType | undefined;
  readonly properties: ReadonlyMap<string, CompiledSchema>;
  readonly required: readonly string[];
  /** true: anything; false: nothing; a schema: judged by it. */
  readonly additional: boolean | CompiledSchema;
  readonly enumKeys: ReadonlySet<string> | undefined;
  readonly items: CompiledSchema | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minimum: Bound | undefined;
  readonly maximum: Bound | undefined;
}

export type CompileResult =
  { readonly ok: true; readonly schema: CompiledSchema } | { readonly ok: false; readonly found: Finding };

const TYPES: ReadonlySet<string> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

/** Keyword → the types it applies to; it is refused on a schema that declares another type. */
const KEYWORDS: ReadonlyMap<string, readonly SchemaType[] | undefined> = new Map<
  string,
  readonly SchemaType[] | undefined
>([
  ['type', undefined],
  ['title', undefined],
  ['description', undefined],
  ['enum', undefined],
  ['properties', ['object']],
  ['required', ['object']],
  ['additionalProperties', ['object']],
  ['items', ['array']],
  ['minItems', ['array']],
  ['maxItems', ['array']],
  ['minLength', ['string']],
  ['maxLength', ['string']],
  ['minimum', ['number', 'integer']],
  ['maximum', ['number', 'integer']],
]);

/**
 * Compiles the schema of a tool.
 * @param at pointer of the schema, for findings and for the source text of big integers
 */
export function compileToolSchema(value: JsonValue, at: string, numbers: NumberSources): CompileResult {
  if (!isObject(value)) return refuse('schema.shape', at, { keyword: 'a schema', expected: 'an object' });
  const result = compile(value, at, 1, numbers);
  if (result.ok && result.schema.type !== 'object') return refuse('schema.root_type', at);
  return result;
}

function compile(schema: JsonValue, at: string, depth: number, numbers: NumberSources): CompileResult {
  // Both are JSON Schema, only not of this dialect.
  if (typeof schema === 'boolean')
    return refuse('schema.unsupported_keyword', at, { keyword: 'a boolean as schema' });
  if (!isObject(schema)) return refuse('schema.shape', at, { keyword: 'a schema', expected: 'an object' });
  if (Array.isArray(schema.type)) {
    return refuse('schema.unsupported_keyword', `${at}/type`, { keyword: 'an array as type' });
  }
  if (depth > LIMITS.schemaDepth) return refuse('schema.depth', at, { limit: LIMITS.schemaDepth });
  const found =
    checkKeywords(schema, at) ?? checkBounds(schema, at, numbers) ?? checkEnum(schema, at, numbers);
  if (found !== undefined) return { ok: false, found };

  const properties = new Map<string, CompiledSchema>();
  for (const name of Object.keys((schema.properties as JsonObject | undefined) ?? {})) {
    const child = (schema.properties as JsonObject)[name] as JsonValue;
    const compiled = compile(child, pointerTo(`${at}/properties`, name), depth + 1, numbers);
    if (!compiled.ok) return compiled;
    properties.set(name, compiled.schema);
  }
  const required = (schema.required as string[] | undefined) ?? [];
  const unknown = required.find((name) => !properties.has(name));
  if (unknown !== undefined) {
    return refuse('schema.required_unknown', `${at}/required`, { member: shownName(unknown) });
  }
  let additional: boolean | CompiledSchema = true;
  const additionalProperties = schema.additionalProperties;
  if (typeof additionalProperties === 'boolean') additional = additionalProperties;
  else if (additionalProperties !== undefined) {
    const compiled = compile(additionalProperties, `${at}/additionalProperties`, depth + 1, numbers);
    if (!compiled.ok) return compiled;
    additional = compiled.schema;
  }
  let items: CompiledSchema | undefined;
  if (schema.items !== undefined) {
    const compiled = compile(schema.items, `${at}/items`, depth + 1, numbers);
    if (!compiled.ok) return compiled;
    items = compiled.schema;
  }
  const enumItems = schema.enum as JsonValue[] | undefined;
  const bound = (keyword: 'minimum' | 'maximum') =>
    schema[keyword] === undefined
      ? undefined
      : exactNumber(schema[keyword] as number, numbers.at(`${at}/${keyword}`));
  return {
    ok: true,
    schema: {
      type: schema.type as SchemaType | undefined,
      properties,
      required,
      additional,
      enumKeys: enumItems && new Set(enumItems.map((item, i) => enumKey(item, `${at}/enum/${i}`, numbers))),
      items,
      minLength: schema.minLength as number | undefined,
      maxLength: schema.maxLength as number | undefined,
      minItems: schema.minItems as number | undefined,
      maxItems: schema.maxItems as number | undefined,
      minimum: bound('minimum'),
      maximum: bound('maximum'),
    },
  };
}

/** Every keyword is known, has a value of its type, and applies to the declared type. */
function checkKeywords(schema: JsonObject, at: string): Finding | undefined {
  if (schema.type !== undefined && !(typeof schema.type === 'string' && TYPES.has(schema.type))) {
    const facts = { keyword: 'type', expected: 'one of the seven JSON Schema type names' };
    return finding('schema.shape', `${at}/type`, facts);
  }
  for (const keyword in schema) {
    const pointer = pointerTo(at, keyword);
    if (!KEYWORDS.has(keyword)) {
      return finding('schema.unsupported_keyword', pointer, { keyword: shownName(keyword) });
    }
    const problem = keywordProblem(keyword, schema[keyword] as JsonValue);
    if (problem === 'too_many') {
      return finding('schema.too_many', pointer, { keyword, limit: LIMITS.schemaEntries });
    }
    if (problem !== undefined) return finding('schema.shape', pointer, { keyword, expected: problem });
    const types = KEYWORDS.get(keyword);
    if (types !== undefined && schema.type !== undefined && !types.includes(schema.type as SchemaType)) {
      return finding('schema.bounds', pointer, { keyword });
    }
  }
  return undefined;
}

function keywordProblem(keyword: string, value: JsonValue): string | undefined {
  switch (keyword) {
    case 'title':
    case 'description':
      return typeof value === 'string' ? undefined : 'a string';
    case 'properties':
      if (!isObject(value)) return 'an object';
      return Object.keys(value).length > LIMITS.schemaEntries ? 'too_many' : undefined;
    case 'required':
      if (!isListOfNames(value)) return 'an array of distinct strings';
      return value.length > LIMITS.schemaEntries ? 'too_many' : undefined;
    case 'enum':
      if (!Array.isArray(value) || value.length === 0) return 'a non-empty array';
      return value.length > LIMITS.schemaEntries ? 'too_many' : undefined;
    case 'additionalProperties':
      return typeof value === 'boolean' || isObject(value) ? undefined : 'a boolean or a schema';
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
      return Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a non-negative integer';
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' ? undefined : 'a number';
    default:
      return undefined;
  }
}

function isListOfNames(value: JsonValue): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string') &&
    new Set(value).size === value.length
  );
}

function checkBounds(schema: JsonObject, at: string, numbers: NumberSources): Finding | undefined {
  for (const [low, high] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    if (schema[low] === undefined || schema[high] === undefined) continue;
    const lowest = exactNumber(schema[low] as number, numbers.at(`${at}/${low}`));
    const highest = exactNumber(schema[high] as number, numbers.at(`${at}/${high}`));
    if (lowest > highest) return finding('schema.bounds', `${at}/${high}`, { keyword: high });
  }
  return undefined;
}

function checkEnum(schema: JsonObject, at: string, numbers: NumberSources): Finding | undefined {
  const items = schema.enum as JsonValue[] | undefined;
  if (items === undefined) return undefined;
  const type = schema.type as SchemaType | undefined;
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const pointer = `${at}/enum/${index}`;
    const key = enumKey(item, pointer, numbers);
    if ((type !== undefined && !hasType(item, type)) || seen.has(key)) {
      return finding('schema.enum_type', pointer, { expected: type ?? 'any' });
    }
    seen.add(key);
  }
  return undefined;
}

/** Whether a value has a JSON Schema type; 1.0 is an integer (JSON Schema 2020-12, section 6.1.1). */
export function hasType(value: JsonValue, type: SchemaType): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** One text for equal JSON values: key order does not matter, big integers are exact. */
export function enumKey(value: JsonValue, at: string, numbers: NumberSources): string {
  if (typeof value === 'number') return String(exactNumber(value, numbers.at(at)));
  if (Array.isArray(value)) {
    return `[${value.map((item, i) => enumKey(item, pointerTo(at, i), numbers)).join()}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  const parts = members.map(
    (key) => `${JSON.stringify(key)}:${enumKey(value[key] as JsonValue, pointerTo(at, key), numbers)}`,
  );
  return `{${parts.join()}}`;
}

function refuse(rule: Finding['rule'], at: string, facts: Finding['facts'] = {}): CompileResult {
  return { ok: false, found: finding(rule, at, facts) };
}
