/**
 * What an answer says, by its content type: one strict JSON value, a strict event stream, or nothing. Any other
 * type is an error, for there is no guessing from the bytes.
 */
import { SseDecoder, SseError, type SseEvent } from '../protocol/sse-decoder.js';
import { decodeUtf8, type JsonValue, parseStrictJson } from '../protocol/strict-json.js';
import { ClientError } from './client-error.js';
import type { AnswerBytes } from './http-exchange.js';

const MAX_DEPTH = 64;
const MAX_EVENTS = 256;

export type AnswerContent =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'json';
      readonly value: JsonValue;
      /** See parseStrictJson. */
      readonly rootNumbers: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'events'; readonly events: readonly SseEvent[] };

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it came. */
  readonly text: string;
  readonly content: AnswerContent;
}

/** @throws ClientError */
export function readAnswer({ status, headers, body }: AnswerBytes): HttpAnswer {
  // RFC 9110 section 8.4: nothing but identity was asked for.
  if (headers.has('content-encoding')) throw new ClientError('unexpected_encoding', { status });
  const text = decodeUtf8(body);
  if (text === undefined) throw new ClientError('invalid_utf8', { status });
  return { status, headers, text, content: contentOf(status, headers.get('content-type'), text, body) };
}

/** The types are compared whole: the server under this client promises exactly these. */
function contentOf(status: number, type: string | undefined, text: string, body: Uint8Array): AnswerContent {
  if (type === 'text/event-stream') return { kind: 'events', events: eventsOf(status, body) };
  if (body.length === 0) return { kind: 'none' };
  if (type !== 'application/json') throw new ClientError('unexpected_content_type', { status });
  const parsed = parseStrictJson(text, { maxDepth: MAX_DEPTH });
  if (!parsed.ok) throw new ClientError('invalid_json', { status, reason: parsed.reason });
  return { kind: 'json', value: parsed.value, rootNumbers: parsed.rootNumbers };
}

function eventsOf(status: number, body: Uint8Array): readonly SseEvent[] {
  const decoder = new SseDecoder({ maxEventBytes: Math.max(body.length, 1), maxEvents: MAX_EVENTS });
  try {
    const events = decoder.push(body);
    decoder.end();
    return events;
  } catch (error) {
    throw new ClientError('invalid_sse', {
      status,
      reason: error instanceof SseError ? error.code : undefined,
    });
  }
}
