/**
 * The JSON-RPC envelope: is a value exactly one request, notification or response? (basic/index#messages.)
 * The server has its own, stricter-on-the-wire reading; this one names the rule that was broken.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import type { RequestId } from './id-history.js';
import { LIMITS } from './limits.js';
import type { NumberSources } from './number-sources.js';
import { pointerTo, shownName } from './secrecy.js';
import { isObject, kindOf } from './shape.js';

export type Envelope =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: JsonObject | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject | undefined }
  | { readonly kind: 'result'; readonly id: RequestId; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: RequestId; readonly error: JsonObject };

export type EnvelopeResult =
  { readonly ok: true; readonly envelope: Envelope } | { readonly ok: false; readonly found: Finding };

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

export function readEnvelope(message: JsonValue, numbers: NumberSources): EnvelopeResult {
  if (!isObject(message)) return refuse(finding('envelope.not_object', '', { actual: kindOf(message) }));
  for (const member in message) {
    if (!MEMBERS.has(member)) {
      const facts = { member: shownName(member) };
      return refuse(finding('envelope.unknown_member', pointerTo('', member), facts));
    }
  }
  if (message.jsonrpc !== '2.0') return refuse(finding('envelope.jsonrpc_version', '/jsonrpc'));
  const hasMethod = Object.hasOwn(message, 'method');
  const hasResult = Object.hasOwn(message, 'result');
  const hasError = Object.hasOwn(message, 'error');
  if ((hasMethod || Object.hasOwn(message, 'params')) && (hasResult || hasError)) {
    return refuse(finding('envelope.mixed', ''));
  }
  if (hasMethod) return readCall(message, numbers);
  if (hasResult && hasError) return refuse(finding('envelope.result_and_error', ''));
  if (!hasResult && !hasError) return refuse(finding('envelope.kind', ''));
  return readResponse(message, numbers);
}

function readCall(message: JsonObject, numbers: NumberSources): EnvelopeResult {
  const { method, params } = message;
  if (typeof method !== 'string' || method === '' || method.length > LIMITS.methodLength) {
    return refuse(finding('envelope.method_type', '/method', { limit: LIMITS.methodLength }));
  }
  if (params !== undefined && !isObject(params)) {
    return refuse(finding('envelope.params_type', '/params', { actual: kindOf(params) }));
  }
  const isNotification = method.startsWith('notifications/');
  if (!Object.hasOwn(message, 'id')) {
    if (isNotification) return { ok: true, envelope: { kind: 'notification', method, params } };
    return refuse(finding('envelope.request_without_id', '', { method: shownName(method) }));
  }
  if (isNotification) return refuse(finding('envelope.notification_with_id', '/id'));
  const id = message.id as JsonValue;
  const found = checkId(id, numbers);
  if (found !== undefined) return refuse(found);
  return { ok: true, envelope: { kind: 'request', id: id as RequestId, method, params } };
}

function readResponse(message: JsonObject, numbers: NumberSources): EnvelopeResult {
  if (!Object.hasOwn(message, 'id')) return refuse(finding('envelope.id_missing', ''));
  const id = message.id as JsonValue;
  const found = checkId(id, numbers);
  if (found !== undefined) return refuse(found);
  if (Object.hasOwn(message, 'error')) {
    const error = message.error as JsonValue;
    if (!isError(error)) return refuse(finding('envelope.error_shape', '/error'));
    return { ok: true, envelope: { kind: 'error', id: id as RequestId, error } };
  }
  const result = message.result as JsonValue;
  if (!isObject(result)) {
    return refuse(finding('envelope.result_type', '/result', { actual: kindOf(result) }));
  }
  const { _meta: metadata } = result;
  if (metadata !== undefined && !isObject(metadata)) {
    return refuse(finding('envelope.meta_type', '/result/_meta'));
  }
  return { ok: true, envelope: { kind: 'result', id: id as RequestId, result } };
}

/** basic/index#requests: a string or an integer. `1.0` and `-0` would be echoed changed, so they are no ids. */
function checkId(id: JsonValue, numbers: NumberSources): Finding | undefined {
  if (typeof id === 'string') {
    if (id.length <= LIMITS.idLength) return undefined;
    return finding('envelope.id_length', '/id', { limit: LIMITS.idLength });
  }
  if (typeof id !== 'number' || !Number.isInteger(id)) {
    return finding('envelope.id_type', '/id', { actual: kindOf(id) });
  }
  const source = numbers.at('/id');
  if (Object.is(id, -0) || (source !== undefined && !/^-?[0-9]+$/.test(source))) {
    return finding('envelope.id_type', '/id', { actual: 'a fraction' });
  }
  return Number.isSafeInteger(id) ? undefined : finding('envelope.id_precision', '/id');
}

function isError(error: JsonValue): error is JsonObject {
  if (!isObject(error)) return false;
  if (!Number.isInteger(error.code) || typeof error.message !== 'string') return false;
  return Object.keys(error).every((member) => member === 'code' || member === 'message' || member === 'data');
}

function refuse(found: Finding): EnvelopeResult {
  return { ok: false, found };
}
