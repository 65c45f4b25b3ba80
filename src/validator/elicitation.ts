/**
 * Elicitation (client/elicitation): form mode with its restricted schema and no secrets, URL mode with an https
 * URL and an elicitationId, and the three answers. `format` and `pattern` of a form field are accepted and not
 * executed.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Check, type Finding, finding } from './finding.js';
import { detached } from './id-history.js';
import { LIMITS } from './limits.js';
import { NO_NUMBER_SOURCES } from './number-sources.js';
import { type CompiledSchema, compileToolSchema } from './schema-dialect.js';
import { judgeValue } from './schema-value.js';
import { namesSecret, pointerTo, shownName } from './secrecy.js';
import type { PendingElicitation, PendingRequest, SessionState } from './session-state.js';
import { anObject, anything, aString, isObject, meta, shape } from './shape.js';
import { hostOf, isAbsoluteUri, schemeOf } from './uri.js';

const FORM_MEMBERS: ReadonlySet<string> = new Set([
  '$schema',
  'type',
  'properties',
  'required',
  'additionalProperties',
]);
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);
/** Members of a field that this profile passes over; `enumNames` is legacy (schema#LegacyTitledEnumSchema). */
const PASSED_OVER: ReadonlySet<string> = new Set(['format', 'pattern', 'default', 'enumNames']);

const elicitationId: Check = (value, at) =>
  typeof value === 'string' && value !== '' && value.length <= LIMITS.idLength
    ? undefined
    : finding('elicitation.id', at, { limit: LIMITS.idLength });

const url: Check = (value, at) => {
  const isGood =
    typeof value === 'string' &&
    value.length <= LIMITS.uriLength &&
    isAbsoluteUri(value) &&
    schemeOf(value) === 'https' &&
    hostOf(value) !== '';
  return isGood ? undefined : finding('elicitation.url', at, { limit: LIMITS.uriLength });
};

const formParams = shape(
  'params',
  { message: aString, requestedSchema: anObject },
  { mode: anything, task: anything, _meta: meta },
);
const urlParams = shape(
  'params',
  { mode: anything, message: aString, url, elicitationId },
  { task: anything, _meta: meta },
);

/** The mode of a request: absent means form (client/elicitation#elicitation-requests). */
export function elicitationMode(params: JsonObject): 'form' | 'url' | undefined {
  const mode = Object.hasOwn(params, 'mode') ? params.mode : 'form';
  return mode === 'form' || mode === 'url' ? mode : undefined;
}

/** schema#ElicitRequestParams. */
export const elicitationParams: Check = (value, at) => {
  const params = value as JsonObject;
  const mode = elicitationMode(params);
  if (mode === undefined) return finding('elicitation.mode', `${at}/mode`);
  if (mode === 'url') return urlParams(value, at);
  return formParams(value, at) ?? checkForm(params.requestedSchema as JsonObject, `${at}/requestedSchema`);
};

function checkForm(form: JsonObject, at: string): Finding | undefined {
  for (const member in form) {
    if (!FORM_MEMBERS.has(member))
      return refuse(pointerTo(at, member), `it has unknown keys: ${shownName(member)}`);
  }
  if (form.type !== 'object') return refuse(`${at}/type`, 'its type is not object');
  if (!isObject(form.properties)) return refuse(`${at}/properties`, 'it has no properties object');
  for (const field of Object.keys(form.properties)) {
    if (namesSecret(field)) return finding('elicitation.secret_field', pointerTo(`${at}/properties`, field));
  }
  for (const [field, value] of Object.entries(form.properties)) {
    const problem = fieldProblem(value);
    if (problem !== undefined) return refuse(pointerTo(`${at}/properties`, field), problem);
  }
  if (JSON.stringify(form).length > LIMITS.requestedSchemaCharacters) {
    return refuse(at, `it exceeds ${LIMITS.requestedSchemaCharacters} characters`);
  }
  const compiled = compileToolSchema(inDialect(form), at, NO_NUMBER_SOURCES);
  return compiled.ok ? undefined : refuse(compiled.found.pointer, `a keyword breaks ${compiled.found.rule}`);
}

/** schema#PrimitiveSchemaDefinition. */
function fieldProblem(field: JsonValue): string | undefined {
  if (!isObject(field)) return 'a property is no object';
  switch (field.type) {
    case 'string':
      if (field.format !== undefined && !FORMATS.has(field.format)) return 'a format is not supported';
      return field.oneOf === undefined || isTitledEnum(field.oneOf)
        ? undefined
        : 'oneOf holds no const and title';
    case 'number':
    case 'integer':
    case 'boolean':
      return undefined;
    case 'array': {
      const { items } = field;
      if (!isObject(items)) return 'a multi-select has no items';
      const choices = items.anyOf === undefined ? items.enum : items.anyOf;
      if (items.anyOf !== undefined && !isTitledEnum(items.anyOf)) return 'anyOf holds no const and title';
      return Array.isArray(choices) ? undefined : 'the items of a multi-select are no enum';
    }
    default:
      return 'a property is not primitive';
  }
}

function isTitledEnum(value: JsonValue): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => isObject(item) && typeof item.const === 'string' && typeof item.title === 'string')
  );
}

/** The same form in the dialect that this profile executes: titled enums become enums. */
function inDialect(form: JsonObject): JsonObject {
  const properties: [string, JsonValue][] = Object.entries(form.properties as JsonObject).map(
    ([name, value]) => {
      const field = value as JsonObject;
      const items = isObject(field.items) ? { items: plainEnum(field.items, 'anyOf') } : {};
      return [name, { ...plainEnum(field, 'oneOf'), ...items }];
    },
  );
  const { $schema: _dialect, ...rest } = form;
  return { ...rest, properties: Object.fromEntries(properties) };
}

function plainEnum(field: JsonObject, titled: 'oneOf' | 'anyOf'): JsonObject {
  const kept = Object.entries(field).filter(([key]) => key !== titled && !PASSED_OVER.has(key));
  const choices = field[titled];
  if (!Array.isArray(choices)) return Object.fromEntries(kept);
  return {
    ...Object.fromEntries(kept),
    enum: choices.map((choice) => (choice as JsonObject).const as JsonValue),
  };
}

/** An elicitation request against the URL mode elicitations that are open. */
export function judgeElicitation(params: JsonObject, state: SessionState): Finding | undefined {
  if (elicitationMode(params) !== 'url') return undefined;
  return state.elicitations.has(params.elicitationId as string)
    ? finding('elicitation.id_in_use', '/params/elicitationId')
    : undefined;
}

/** What the answer is judged by; remembers a URL mode elicitation so that its completion is known. */
export function beginElicitation(params: JsonObject, state: SessionState): PendingElicitation {
  if (elicitationMode(params) === 'url') {
    rememberElicitation(params.elicitationId as string, state);
    return { mode: 'url', schema: undefined };
  }
  // A copy, so that what is outstanding does not keep the text of the whole message alive.
  const form = JSON.parse(JSON.stringify(params.requestedSchema)) as JsonObject;
  const compiled = compileToolSchema(inDialect(form), '', NO_NUMBER_SOURCES);
  return { mode: 'form', schema: compiled.ok ? compiled.schema : undefined };
}

function rememberElicitation(id: string, state: SessionState): void {
  if (state.elicitations.size >= LIMITS.elicitations) {
    const [oldest] = state.elicitations;
    state.elicitations.delete(oldest as string);
  }
  state.elicitations.add(detached(id));
}

const resultMembers = shape(
  'result',
  {
    action: (value, at) =>
      value === 'accept' || value === 'decline' || value === 'cancel'
        ? undefined
        : finding('elicitation.action', at),
  },
  { content: anObject, _meta: meta },
);

/** The result of elicitation/create. */
export function judgeElicitationResult(
  result: JsonObject,
  pending: PendingRequest,
  state: SessionState,
): Finding | undefined {
  const found = resultMembers(result, '/result');
  if (found !== undefined) return found;
  const { content } = result;
  const isAcceptedForm = result.action === 'accept' && pending.elicitation?.mode === 'form';
  if (content === undefined) {
    return isAcceptedForm ? finding('elicitation.content_missing', '/result') : undefined;
  }
  if (!isAcceptedForm) return finding('elicitation.content_not_allowed', '/result/content');
  const schema: CompiledSchema | undefined = pending.elicitation?.schema;
  if (schema === undefined) return undefined;
  return judgeValue(content, schema, '/result/content', 'the requested form', state.numbers);
}

const completeMembers = shape('params', { elicitationId }, { _meta: meta });

/** Params of notifications/elicitation/complete. */
export function judgeElicitationComplete(params: JsonObject, state: SessionState): Finding | undefined {
  const found = completeMembers(params, '/params');
  if (found !== undefined) return found;
  return state.elicitations.has(params.elicitationId as string)
    ? undefined
    : finding('elicitation.unknown_id', '/params/elicitationId');
}

/** Error -32042 lists elicitations that may be completed later, as URL mode requests do. */
export function judgeRequiredError(error: JsonObject): Finding | undefined {
  const list = isObject(error.data) ? error.data.elicitations : undefined;
  const isGood =
    Array.isArray(list) &&
    list.length > 0 &&
    list.length <= LIMITS.contentItems &&
    list.every((item) => isObject(item) && item.mode === 'url' && urlParams(item, '') === undefined);
  return isGood ? undefined : finding('elicitation.required_error', '/error/data');
}

export function rememberRequired(error: JsonObject, state: SessionState): void {
  for (const item of (error.data as JsonObject).elicitations as JsonObject[]) {
    rememberElicitation(item.elicitationId as string, state);
  }
}

function refuse(at: string, problem: string): Finding {
  return finding('elicitation.schema', at, { problem });
}
