/*
 * What the stream measurements have in common: reading a stream that is not kept, and its evidence.
 */
import { EventStreamReader, type StreamListener } from '../client/event-stream.js';
import { headerOf, type AnswerHead, type Outgoing } from '../client/exchange.js';
import type { ModernRequest } from '../client/json-rpc.js';
import type { Evidence } from '../finding.js';
import { MODERN_REVISION } from '../revision.js';
import type { Observation, Probe } from '../probe.js';

/** Sends a request and hands its events on as they come. */
export async function follow(
  probe: Probe,
  what: string,
  request: ModernRequest,
  listener: StreamListener,
  more: Pick<Outgoing, 'until'> = {},
): Promise<Observation> {
  const reader = new EventStreamReader(listener);
  return probe.send(what, request, {
    ...more,
    onChunk: (chunk, atMs) => {
      reader.feed(chunk, atMs);
      return reader.broken ? 'close' : undefined;
    },
  });
}

/** Evidence of a stream: its head and one sentence, since its body is not kept. */
export function streamEvidence(seen: Observation, body: string, runs: number | null = null): Evidence {
  const head: AnswerHead | undefined = seen.answer;
  return {
    what: seen.what,
    declared: { header: MODERN_REVISION, body: MODERN_REVISION },
    status: head?.status ?? null,
    code: null,
    contentType: head === undefined ? null : (headerOf(head.headers, 'content-type') ?? null),
    body,
    failure: seen.failure ?? null,
    runs,
  };
}
