/*
 * Reads a Server-Sent Events body piece by piece with eventsource-parser and notes when each event and comment
 * arrived. Keeps counters and small facts, never the data of a long stream; a line without an end is given up.
 */
import { createParser } from 'eventsource-parser';

/** One event: its JSON data if it has any, and when it came. */
export interface StreamEvent {
  readonly data: string;
  readonly atMs: number;
}

/** What a reader tells while it reads. */
export interface StreamListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onComment?: (comment: string, atMs: number) => void;
}

/** Longest unfinished event that is kept, in characters. */
const MAX_PENDING = 1024 * 1024;

/** Feeds chunks to the parser. `broken` is set when an event grew past the limit; nothing is read after that. */
export class EventStreamReader {
  broken = false;
  private readonly decoder = new TextDecoder('utf-8');
  private readonly parser;
  private now = 0;

  constructor(listener: StreamListener) {
    this.parser = createParser({
      maxBufferSize: MAX_PENDING,
      onEvent: (event) => listener.onEvent({ data: event.data, atMs: this.now }),
      onComment: (comment) => listener.onComment?.(comment, this.now),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.broken = true;
      },
    });
  }

  /** One chunk with its arrival time. */
  feed(chunk: Uint8Array, atMs: number): void {
    if (this.broken) return;
    this.now = atMs;
    this.parser.feed(this.decoder.decode(chunk, { stream: true }));
  }
}

/** The data of all events of a complete body, for short answers that chose a stream. */
export function eventsOf(body: string): string[] {
  const found: string[] = [];
  const reader = new EventStreamReader({ onEvent: (event) => found.push(event.data) });
  reader.feed(new TextEncoder().encode(`${body}\n\n`), 0);
  return found;
}
