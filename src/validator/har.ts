/**
 * Reads a HAR export (HTTP Archive 1.2) of Streamable HTTP traffic and gives the MCP messages in it, in the order in
 * which they can have been sent: a POST body when its request starts, an answer when its response ends. A HAR
 * file has no times for the events of a stream, so an event that the client has already answered comes earlier.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { SseDecoder, SseError } from '../protocol/sse-decoder.js';
import type { Peer } from './capabilities.js';
import { LIMITS } from './limits.js';
import { isObject } from './shape.js';
import { isTooLarge, parseText } from './strict-text.js';

/** One message, or one thing about an entry that cannot be judged. */
export interface HarEvent {
  /** Index into log.entries. */
  readonly entry: number;
  readonly sender: Peer;
  /** The JSON text of the message. */
  readonly text: string;
  /** Which conversation it belongs to; never shown, since it may hold a session id. */
  readonly conversation: string;
}

export interface HarContents {
  readonly events: readonly HarEvent[];
  /** Entries that are no MCP traffic, were refused by HTTP status, or whose body was not recorded. */
  readonly skipped: number;
}

export type HarResult =
  { readonly ok: true; readonly contents: HarContents } | { readonly ok: false; readonly problem: string };

interface Exchange {
  readonly entry: number;
  readonly start: number;
  readonly end: number;
  readonly sent: string | undefined;
  /** Messages of the response that are not given out yet, oldest first. */
  readonly received: string[];
  readonly conversation: string;
}

/** @param value the parsed HAR file */
export function readHar(value: JsonValue): HarResult {
  const log = isObject(value) ? value.log : undefined;
  const entries = isObject(log) ? log.entries : undefined;
  if (!Array.isArray(entries)) return { ok: false, problem: 'it has no log.entries' };
  const exchanges: Exchange[] = [];
  for (const [index, entry] of entries.entries()) {
    const exchange = isObject(entry) ? exchangeOf(entry, index) : undefined;
    if (exchange !== undefined) exchanges.push(exchange);
  }
  const skipped = entries.length - exchanges.length;
  return { ok: true, contents: { events: inOrder(exchanges), skipped } };
}

function exchangeOf(entry: JsonObject, index: number): Exchange | undefined {
  const { request, response, startedDateTime, time } = entry;
  if (!isObject(request) || !isObject(response)) return undefined;
  const isPost = request.method === 'POST';
  if (!isPost && request.method !== 'GET') return undefined;
  const posted = isObject(request.postData) ? request.postData.text : undefined;
  const sent = isPost && typeof posted === 'string' && mayBeMessage(posted) ? posted : undefined;
  const received = receivedMessages(response);
  if (isPost && sent === undefined) return undefined;
  if (!isPost && received.length === 0) return undefined;
  // Refused before MCP: the server has not taken the message, so it is no part of the conversation.
  if (typeof response.status === 'number' && response.status >= 400 && received.length === 0)
    return undefined;
  const start = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
  const duration = typeof time === 'number' && time >= 0 ? time : 0;
  const from = Number.isNaN(start) ? index : start;
  return {
    entry: index,
    start: from,
    end: from + duration,
    sent,
    received,
    conversation: conversationOf(request, response),
  };
}

function mayBeMessage(text: string): boolean {
  return text.includes('"jsonrpc"');
}

/** basic/transports#session-management: the header names the session; without one, the URL has to do. */
function conversationOf(request: JsonObject, response: JsonObject): string {
  const session = header(request, 'mcp-session-id') ?? header(response, 'mcp-session-id');
  return session === undefined
    ? `url ${typeof request.url === 'string' ? request.url : ''}`
    : `session ${session}`;
}

function header(holder: JsonObject, name: string): string | undefined {
  if (!Array.isArray(holder.headers)) return undefined;
  for (const field of holder.headers) {
    if (!isObject(field) || typeof field.name !== 'string' || typeof field.value !== 'string') continue;
    if (field.name.toLowerCase() === name) return field.value;
  }
  return undefined;
}

function receivedMessages(response: JsonObject): string[] {
  const { content } = response;
  if (!isObject(content) || typeof content.text !== 'string') return [];
  const text = content.encoding === 'base64' ? decodeBase64(content.text) : content.text;
  if (text === undefined) return [];
  const mimeType = typeof content.mimeType === 'string' ? content.mimeType : '';
  const type = mimeType === '' ? (header(response, 'content-type') ?? '') : mimeType;
  if (type.toLowerCase().startsWith('text/event-stream')) return eventData(text);
  return mayBeMessage(text) ? [text] : [];
}

/** The data of all events; a stream that was cut off gives what came whole. */
function eventData(text: string): string[] {
  const decoder = new SseDecoder({ maxEventBytes: LIMITS.textBytes });
  const messages: string[] = [];
  try {
    for (const event of decoder.push(new TextEncoder().encode(text))) {
      if (event.data !== undefined && event.data !== '') messages.push(event.data);
    }
  } catch (error) {
    if (!(error instanceof SseError)) throw error;
  }
  return messages;
}

function decodeBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}

type Moment = { readonly at: number; readonly isEnd: boolean; readonly exchange: Exchange };

function inOrder(exchanges: readonly Exchange[]): HarEvent[] {
  const moments: Moment[] = exchanges.flatMap((exchange) => [
    { at: exchange.start, isEnd: false, exchange },
    { at: exchange.end, isEnd: true, exchange },
  ]);
  // At one instant a response ends before the next request starts, except its own.
  moments.sort(
    (a, b) => a.at - b.at || a.exchange.entry - b.exchange.entry || Number(a.isEnd) - Number(b.isEnd),
  );
  const events: HarEvent[] = [];
  const open = new Set<Exchange>();
  const take = (exchange: Exchange, count: number): void => {
    for (const text of exchange.received.splice(0, count)) {
      events.push({ entry: exchange.entry, sender: 'server', text, conversation: exchange.conversation });
    }
  };
  for (const { isEnd, exchange } of moments) {
    if (isEnd) {
      take(exchange, exchange.received.length);
      open.delete(exchange);
      continue;
    }
    open.add(exchange);
    if (exchange.sent === undefined) continue;
    const answered = responseId(exchange.sent);
    if (answered !== undefined) pullForward(answered, exchange.conversation, open, take);
    const { entry, sent: text, conversation } = exchange;
    events.push({ entry, sender: 'client', text, conversation });
  }
  return events;
}

/** A client answers what it has seen: the stream that holds the request has brought it by now. */
function pullForward(
  id: JsonValue,
  conversation: string,
  open: ReadonlySet<Exchange>,
  take: (exchange: Exchange, count: number) => void,
): void {
  for (const exchange of open) {
    if (exchange.conversation !== conversation) continue;
    const at = exchange.received.findIndex((text) => {
      const message = readObject(text);
      return message !== undefined && message.method !== undefined && message.id === id;
    });
    if (at < 0) continue;
    take(exchange, at + 1);
    return;
  }
}

function responseId(text: string): JsonValue | undefined {
  const message = readObject(text);
  return message === undefined || message.method !== undefined ? undefined : message.id;
}

function readObject(text: string): JsonObject | undefined {
  if (isTooLarge(text)) return undefined;
  const parsed = parseText(text);
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}
