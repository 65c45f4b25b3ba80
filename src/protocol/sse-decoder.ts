/**
 * Reads server-sent events from bytes in any chunking (HTML Living Standard section 9.2.6), bounded and stricter
 * than a browser: what a browser would skip in silence is an error here, since it is a fault of the server.
 *
 * Lines are cut on bytes, not on characters: CR and LF never occur inside a UTF-8 sequence, so a character split
 * over two chunks needs no care. What an event means, reconnecting and the last event id are left to the caller.
 */

export interface SseEvent {
  /** `message` where the block names none. */
  type: string;
  /** The id of this block only, not the last one seen; undefined where it has none. */
  id: string | undefined;
  /** Milliseconds. */
  retry: number | undefined;
  /** Undefined where the block has no data line: a browser drops such a block, this decoder delivers it. */
  data: string | undefined;
}

export type SseErrorCode =
  | 'event_too_large'
  | 'too_many_events'
  | 'invalid_utf8'
  | 'unknown_field'
  | 'invalid_retry'
  | 'invalid_id'
  | 'truncated_event'
  | 'already_ended';

/** Why a stream cannot be read on. The message is the code: never content of the stream. */
export class SseError extends Error {
  override readonly name = 'SseError';
  readonly code: SseErrorCode;

  constructor(code: SseErrorCode) {
    super(code);
    this.code = code;
  }
}

export interface SseDecoderLimits {
  /** Most bytes of the field lines of one event, line ends not counted; also the longest comment line. */
  maxEventBytes: number;
  /** Most events of the whole stream; no limit where it is left out. */
  maxEvents?: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const BYTE_ORDER_MARK = '\u{feff}';
const BYTE_ORDER_MARK_BYTES = 3;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A decoder for one stream. Events that were complete before the bytes that are at fault are always delivered,
 * however the stream was cut into chunks: where one push meets both, it returns the events, and the error comes
 * with the next push or with `end()`. After an error each later call throws the same one.
 */
export class SseDecoder {
  private readonly maxEventBytes: number;
  private readonly maxEvents: number;
  private failure: SseError | undefined = undefined;
  private hasEnded = false;
  private isFirstLine = true;
  /** Whether the last byte was a CR, so that an LF now belongs to it. */
  private afterCarriageReturn = false;

  /** A line whose end has not come yet: the first `lineLength` bytes of `line`. */
  private line = new Uint8Array(256);
  private lineLength = 0;

  private eventCount = 0;
  private eventBytes = 0;
  private hasFields = false;
  private type = '';
  private id: string | undefined = undefined;
  private retry: number | undefined = undefined;
  private data: string[] = [];

  constructor(limits: SseDecoderLimits) {
    this.maxEventBytes = limits.maxEventBytes;
    this.maxEvents = limits.maxEvents ?? Number.POSITIVE_INFINITY;
  }

  /** Takes the next bytes and gives the events they complete. Keeps no reference to `bytes`. @throws SseError */
  push(bytes: Uint8Array): SseEvent[] {
    if (this.failure !== undefined) throw this.failure;
    if (this.hasEnded) throw new SseError('already_ended');
    const events: SseEvent[] = [];
    try {
      this.read(bytes, events);
    } catch (error) {
      if (!(error instanceof SseError)) throw error;
      this.failure = error;
      this.line = new Uint8Array(0);
      this.data = [];
      if (events.length === 0) throw error;
    }
    return events;
  }

  /**
   * The stream is over. A block without its blank line was cut off (a browser would drop it in silence); a
   * comment without its line end is nothing. @throws SseError
   */
  end(): void {
    if (this.failure !== undefined) throw this.failure;
    if (this.hasEnded) return;
    this.hasEnded = true;
    const start = this.isFirstLine && startsWithMark(this.line, this.lineLength) ? BYTE_ORDER_MARK_BYTES : 0;
    const hasPartOfField = this.lineLength > start && this.line[start] !== COLON;
    if (this.hasFields || hasPartOfField) {
      this.failure = new SseError('truncated_event');
      throw this.failure;
    }
  }

  private read(bytes: Uint8Array, events: SseEvent[]): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LINE_FEED && this.afterCarriageReturn) {
        this.afterCarriageReturn = false;
        start = at + 1;
        continue;
      }
      this.afterCarriageReturn = byte === CARRIAGE_RETURN;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
      this.takeLine(bytes.subarray(start, at), events);
      start = at + 1;
    }
    if (start < bytes.length) this.keep(bytes.subarray(start));
  }

  private takeLine(tail: Uint8Array, events: SseEvent[]): void {
    let bytes = tail;
    if (this.lineLength > 0) {
      this.keep(tail);
      bytes = this.line.subarray(0, this.lineLength);
      this.lineLength = 0;
    } else {
      this.checkSize(tail.length);
    }
    let line = decode(bytes);
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (line.startsWith(BYTE_ORDER_MARK)) line = line.slice(1);
    }
    if (line === '') {
      if (this.hasFields) this.dispatch(events);
    } else if (!line.startsWith(':')) {
      this.eventBytes += bytes.length;
      this.field(line);
    }
  }

  /** Section 9.2.6, "process the field". A line without a colon is a name with an empty value. */
  private field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    switch (name) {
      case 'data':
        this.data.push(value);
        break;
      case 'event':
        this.type = value;
        break;
      case 'id':
        if (value.includes('\0')) throw new SseError('invalid_id');
        this.id = value;
        break;
      case 'retry':
        if (!/^[0-9]+$/.test(value) || !Number.isSafeInteger(Number(value)))
          throw new SseError('invalid_retry');
        this.retry = Number(value);
        break;
      default:
        throw new SseError('unknown_field');
    }
    this.hasFields = true;
  }

  private dispatch(events: SseEvent[]): void {
    if (++this.eventCount > this.maxEvents) throw new SseError('too_many_events');
    events.push({
      type: this.type === '' ? 'message' : this.type,
      id: this.id,
      retry: this.retry,
      data: this.data.length === 0 ? undefined : this.data.join('\n'),
    });
    this.eventBytes = 0;
    this.hasFields = false;
    this.type = '';
    this.id = undefined;
    this.retry = undefined;
    this.data = [];
  }

  /** Keeps bytes of an unfinished line. The buffer doubles, so that a stream of single bytes costs no more. */
  private keep(bytes: Uint8Array): void {
    const length = this.lineLength + bytes.length;
    this.checkSize(length);
    if (length > this.line.length) {
      const grown = new Uint8Array(Math.max(length, Math.min(this.line.length * 2, this.maxEventBytes)));
      grown.set(this.line.subarray(0, this.lineLength));
      this.line = grown;
    }
    this.line.set(bytes, this.lineLength);
    this.lineLength = length;
  }

  /** A comment line is not kept, so it only has to fit for itself: a server may send them for ever. */
  private checkSize(lineLength: number): void {
    if (this.eventBytes + lineLength > this.maxEventBytes) throw new SseError('event_too_large');
  }
}

function startsWithMark(bytes: Uint8Array, length: number): boolean {
  return length >= BYTE_ORDER_MARK_BYTES && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SseError('invalid_utf8');
  }
}
