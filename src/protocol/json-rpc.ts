/**
 * The JSON-RPC 2.0 envelope as MCP narrows it: one object of exactly one kind, never a batch. Takes what the
 * strict parser gave and says which kind it is, or why it is none.
 *
 * What a method means, and whether such a message may come now, is for others to judge.
 */
import type { JsonObject, JsonValue } from './strict-json.js';

/** JSON-RPC 2.0 section 4 as MCP narrows it: never null, never a fraction. */
export type JsonRpcId = string | number;

export interface JsonRpcError {
  /** An integer; the reserved ones are in {@link JSON_RPC_ERROR}. */
  code: number;
  message: string;
  data?: JsonValue;
}

export type JsonRpcMessage =
  | { kind: 'request'; id: JsonRpcId; method: string; params: JsonObject | undefined }
  | { kind: 'notification'; method: string; params: JsonObject | undefined }
  | { kind: 'response'; id: JsonRpcId; result: JsonObject }
  /** `id` is null where the sender could not tell and left it out (MCP basic, "Error Responses"). */
  | { kind: 'error_response'; id: JsonRpcId | null; error: JsonRpcError };

export type EnvelopeResult =
  | { ok: true; message: JsonRpcMessage }
  | { ok: false; code: 'invalid_jsonrpc'; /** A stable snake_case word. */ reason: string };

/** JSON-RPC 2.0 section 5.1. */
export const JSON_RPC_ERROR = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

const REFUSED = 'invalid_jsonrpc';

/**
 * Reads one message (JSON-RPC 2.0 sections 4 and 5; MCP basic, "Messages"). `rootNumbers` is the strict parser's:
 * it tells an id written `1` from `1.0` or `1e0`, which an answer would bear changed.
 */
export function parseEnvelope(parsed: {
  value: JsonValue;
  rootNumbers: ReadonlyMap<string, string>;
}): EnvelopeResult {
  const { value, rootNumbers } = parsed;
  if (Array.isArray(value)) return refuse('batch');
  if (!isJsonObject(value)) return refuse('not_an_object');

  // Own members only, each looked at once; undefined is absent, since no JSON value is undefined.
  let version: JsonValue | undefined;
  let id: JsonValue | undefined;
  let method: JsonValue | undefined;
  let params: JsonValue | undefined;
  let result: JsonValue | undefined;
  let error: JsonValue | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    switch (name) {
      case 'jsonrpc':
        version = member;
        break;
      case 'id':
        id = member;
        break;
      case 'method':
        method = member;
        break;
      case 'params':
        params = member;
        break;
      case 'result':
        result = member;
        break;
      case 'error':
        error = member;
        break;
      default:
        return refuse('unknown_member');
    }
  }

  if (version !== '2.0') return refuse('wrong_version');
  if (id !== undefined && !isId(id, rootNumbers)) return refuse('invalid_id');

  if (method !== undefined) {
    if (result !== undefined || error !== undefined) return refuse('mixed_kinds');
    if (typeof method !== 'string' || method === '') return refuse('invalid_method');
    if (params !== undefined && !isJsonObject(params)) return refuse('invalid_params');
    if (id === undefined) return { ok: true, message: { kind: 'notification', method, params } };
    return { ok: true, message: { kind: 'request', id, method, params } };
  }

  if (params !== undefined) return refuse('params_without_method');
  if (result !== undefined && error !== undefined) return refuse('mixed_kinds');
  if (result !== undefined) {
    if (id === undefined) return refuse('missing_id');
    if (!isJsonObject(result)) return refuse('invalid_result');
    return { ok: true, message: { kind: 'response', id, result } };
  }
  if (error === undefined) return refuse('no_kind');
  const read = readError(error);
  if (read === undefined) return refuse('invalid_error');
  return { ok: true, message: { kind: 'error_response', id: id ?? null, error: read } };
}

/** A safe integer has one plain spelling, and it is what String makes of it; `-0` becomes `0` and so differs. */
function isId(id: JsonValue, rootNumbers: ReadonlyMap<string, string>): id is JsonRpcId {
  if (typeof id === 'string') return true;
  return typeof id === 'number' && Number.isSafeInteger(id) && rootNumbers.get('id') === String(id);
}

function readError(error: JsonValue): JsonRpcError | undefined {
  if (!isJsonObject(error)) return undefined;
  const code = own(error, 'code');
  const message = own(error, 'message');
  const data = own(error, 'data');
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined;
  return data === undefined ? { code, message } : { code, message, data };
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(reason: string): EnvelopeResult {
  return { ok: false, code: REFUSED, reason };
}
