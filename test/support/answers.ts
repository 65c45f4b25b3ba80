/**
 * Answers that are no refusals, read by their grammar and held to exact headers: one JSON-RPC message as JSON or
 * as the only event of a stream, the events of a GET stream, and the two empty ones.
 */
import { expect } from '@jest/globals';
import { SseDecoder, type SseEvent } from '../../src/protocol/sse-decoder.js';
import type { RawAnswer } from './raw-http.js';

export interface JsonRpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const SHARED = {
  date: expect.any(String),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'keep-alive',
};
const COMMON = { ...SHARED, 'keep-alive': 'timeout=5' };

/** @param extra headers beyond those of every such answer, exact */
export function expectJson(answer: RawAnswer, extra: Readonly<Record<string, unknown>> = {}): unknown {
  expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toEqual({
    status: 200,
    headers: {
      ...COMMON,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(answer.body)),
      ...extra,
    },
  });
  return JSON.parse(answer.body);
}

/** The JSON-RPC message of an answer in JSON. */
export function jsonRpcOf(answer: RawAnswer): JsonRpcAnswer {
  return expectJson(answer) as JsonRpcAnswer;
}

/** The JSON-RPC message of an answer on a POST stream: the data of its one event. */
export function jsonRpcOfEvent(answer: RawAnswer): JsonRpcAnswer {
  expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toEqual({
    status: 200,
    headers: {
      ...COMMON,
      'content-type': 'text/event-stream',
      'content-length': String(Buffer.byteLength(answer.body)),
    },
  });
  const events = decodeEvents(answer.body);
  expect(events).toEqual([
    { type: 'message', id: expect.stringMatching(/./), retry: undefined, data: expect.any(String) },
  ]);
  return JSON.parse(events[0]?.data ?? '') as JsonRpcAnswer;
}

/** The events of a GET stream that has ended. Nest writes its headers; they only have to say the same. */
export function streamedEvents(answer: RawAnswer): SseEvent[] {
  expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toEqual({
    status: 200,
    headers: {
      ...SHARED,
      'content-type': 'text/event-stream',
      'cache-control': expect.stringMatching(/(?:^|, )no-store(?:,|$)/),
      'transfer-encoding': 'chunked',
      pragma: 'no-cache',
      expires: '0',
      'x-accel-buffering': 'no',
    },
  });
  return decodeEvents(answer.body);
}

export function expectAccepted(answer: RawAnswer): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 202, body: '' });
  expect(Object.fromEntries(answer.headers)).toEqual({ ...COMMON, 'content-length': '0' });
}

export function expectNoContent(answer: RawAnswer): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: '' });
  expect(Object.fromEntries(answer.headers)).toEqual(COMMON);
}

/** The whole answer without what the clock puts into it, for comparisons byte by byte. */
export function withoutDate({ text }: RawAnswer): string {
  return text.replace(/^Date: .*\r\n/m, '');
}

function decodeEvents(body: string): SseEvent[] {
  const decoder = new SseDecoder({ maxEventBytes: 1024 * 1024 });
  const events = decoder.push(Buffer.from(body, 'utf8'));
  decoder.end();
  return events;
}
