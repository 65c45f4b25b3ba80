/**
 * What MCP expects of an answer, as functions over one answer: the status, the JSON-RPC response with the id of
 * the request, the notifications of a GET stream. Anything else is a ClientError.
 */
import { type JsonRpcId, type JsonRpcMessage, parseEnvelope } from '../protocol/json-rpc.js';
import type { SseEvent } from '../protocol/sse-decoder.js';
import { type JsonObject, type JsonValue, parseStrictJson } from '../protocol/strict-json.js';
import type { HttpAnswer } from './answer.js';
import { ClientError } from './client-error.js';

const MAX_DEPTH = 64;
const PUBLIC_CODE = /^[a-z][a-z0-9_]{0,63}$/;

export interface StreamEvent {
  readonly id: string | undefined;
  /** Milliseconds to wait before the next GET. */
  readonly retryMs: number | undefined;
  /** Undefined for an event that only moves the cursor. */
  readonly notification: { readonly method: string; readonly params: JsonObject | undefined } | undefined;
}

/**
 * @param secrets what a server must not echo; a refusal that holds one is not well-formed
 * @throws ClientError `refused` where the server says so in its own form
 */
export function expectStatus(answer: HttpAnswer, expected: number, secrets: readonly string[]): void {
  const { status, headers } = answer;
  if (status === expected) return;
  if (status < 400) throw new ClientError('unexpected_status', { status });
  const publicCode = publicCodeOf(answer);
  if (publicCode === undefined || secrets.some((secret) => publicCode.includes(secret))) {
    throw new ClientError('invalid_refusal', { status });
  }
  throw new ClientError('refused', { status, publicCode, challenge: headers.get('www-authenticate') });
}

export function expectNoBody({ status, content }: HttpAnswer): void {
  if (content.kind !== 'none') throw new ClientError('unexpected_content_type', { status });
}

/**
 * The result in the answer to the request `id`. It may come as JSON or as the last event of a stream, after
 * notifications about that request (MCP 2025-11-25 transports, "Sending Messages to the Server").
 */
export function resultOf({ status, content }: HttpAnswer, id: JsonRpcId): JsonObject {
  if (content.kind === 'none') throw new ClientError('unexpected_content_type', { status });
  const messages =
    content.kind === 'json'
      ? [messageOf(content)]
      : content.events.flatMap((event) => (isPriming(event) ? [] : [messageOfEvent(event)]));
  const response = messages.pop();
  if (response === undefined || messages.some(({ kind }) => kind !== 'notification')) {
    throw new ClientError('invalid_message');
  }
  if (response.kind !== 'response' && response.kind !== 'error_response') {
    throw new ClientError('invalid_message', { reason: response.kind });
  }
  if (response.id !== id) throw new ClientError('wrong_id');
  if (response.kind === 'error_response') {
    throw new ClientError('rpc_error', { rpcCode: response.error.code });
  }
  return response.result;
}

/** What a GET stream has brought: notifications only, for this client answers no server request. */
export function streamEventsOf({ status, content }: HttpAnswer): readonly StreamEvent[] {
  if (content.kind !== 'events') throw new ClientError('unexpected_content_type', { status });
  return content.events.map((event) => {
    const message = isPriming(event) ? undefined : messageOfEvent(event);
    if (message !== undefined && message.kind !== 'notification') {
      throw new ClientError('invalid_message', { reason: message.kind });
    }
    return {
      id: event.id,
      retryMs: event.retry,
      notification: message && { method: message.method, params: message.params },
    };
  });
}

/** An event that only says its id or `retry` (MCP 2025-11-25 transports): no data, or empty data. */
function isPriming({ data }: SseEvent): boolean {
  return data === undefined || data === '';
}

function messageOfEvent({ type, data }: SseEvent): JsonRpcMessage {
  if (type !== 'message' || data === undefined)
    throw new ClientError('invalid_message', { reason: 'event_type' });
  const parsed = parseStrictJson(data, { maxDepth: MAX_DEPTH });
  if (!parsed.ok) throw new ClientError('invalid_json', { reason: parsed.reason });
  return messageOf(parsed);
}

function messageOf(parsed: {
  readonly value: JsonValue;
  readonly rootNumbers: ReadonlyMap<string, string>;
}): JsonRpcMessage {
  const envelope = parseEnvelope(parsed);
  if (!envelope.ok) throw new ClientError('invalid_message', { reason: envelope.reason });
  return envelope.message;
}

function publicCodeOf({ content }: HttpAnswer): string | undefined {
  if (content.kind !== 'json' || !isObject(content.value)) return undefined;
  const { error, ...others } = content.value;
  const isCode = typeof error === 'string' && PUBLIC_CODE.test(error) && Object.keys(others).length === 0;
  return isCode ? error : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
