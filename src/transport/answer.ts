/**
 * The answers of the MCP endpoint as bytes: one JSON message, one event on a stream, accepted, no content.
 * Raw writes with a known length; no framework touches them. Refusals are the exception filter's.
 */
import type { ServerResponse } from 'node:http';
import { dropFrameworkHeaders } from '../errors/framework-headers.js';
import { JSON_RPC_ERROR, type JsonRpcId } from '../protocol/json-rpc.js';
import { encodeSseEvent, type SseFields } from '../protocol/sse-encoder.js';
import type { JsonObject, JsonValue } from '../protocol/strict-json.js';

const COMMON = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const;

const STREAM_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Type',
  'text/event-stream',
  'Connection',
  'keep-alive',
  'Cache-Control',
  'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  'Pragma',
  'no-cache',
  'Expires',
  '0',
  'X-Accel-Buffering',
  'no',
] as const;

export interface JsonRpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** Throws when the result is no object as JSON: a method may give anything at run time. */
export function resultText(id: JsonRpcId, result: JsonObject): string {
  const written = JSON.stringify(result) as string | undefined;
  if (written?.startsWith('{') !== true)
    throw new TypeError('a method answered with something else than an object');
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${written}}`;
}

export function errorText(id: JsonRpcId, error: JsonRpcFailure): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"error":${JSON.stringify(error)}}`;
}

function idText(id: JsonRpcId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

/** The message, or, when it is over the bound, the error that says so: never a truncated message. */
export function boundedText(id: JsonRpcId, text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  return errorText(id, {
    code: JSON_RPC_ERROR.internalError,
    message: 'Internal error',
    data: { code: 'response_too_large' },
  });
}

/** @param sessionId only for the answer of `initialize` */
export function sendJson(response: ServerResponse, text: string, sessionId?: string): void {
  sendText(response, 'application/json', text, sessionId === undefined ? [] : ['MCP-Session-Id', sessionId]);
}

/** One event whose data is the message, then the end of the stream. */
export function sendEvent(response: ServerResponse, id: string, text: string): void {
  sendText(response, 'text/event-stream', encodeSseEvent({ id, data: text }), []);
}

/** A whole GET stream, in the words in which Nest's `@Sse` writes one. */
export function sendEvents(response: ServerResponse, events: readonly SseFields[]): void {
  if (response.destroyed) return;
  const text = events.map(encodeSseEvent).join('');
  // Sent already when an interceptor took its time, and Nest has begun the stream meanwhile.
  if (!response.headersSent) {
    dropFrameworkHeaders(response);
    response.writeHead(200, [...STREAM_HEADERS]);
    response.write('\n');
  }
  response.end(text);
}

export function sendEmpty(response: ServerResponse, status: 202 | 204): void {
  const length = status === 202 ? ['Content-Length', '0'] : [];
  if (begin(response, status, [...length, ...COMMON])) response.end();
}

function sendText(response: ServerResponse, type: string, text: string, more: readonly string[]): void {
  const length = Buffer.byteLength(text);
  const headers = ['Content-Type', type, 'Content-Length', String(length), ...COMMON, ...more];
  // As many bytes as characters: all of it is ASCII, which Node copies far faster under the name of Latin-1.
  if (begin(response, 200, headers)) response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/** False when nobody is there any more. */
function begin(response: ServerResponse, status: number, headers: string[]): boolean {
  if (response.destroyed) return false;
  dropFrameworkHeaders(response);
  response.writeHead(status, headers);
  return true;
}
