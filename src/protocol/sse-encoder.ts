/**
 * Writes server-sent events as text (HTML Living Standard section 9.2.5). A field that could break out of its
 * line is refused, never repaired: nothing from outside may start a line of its own.
 *
 * Turning the text into UTF-8 and sending it is left to the caller.
 */

export interface SseFields {
  /** Event type; a reader takes none as `message`. */
  event?: string | undefined;
  /** Event id; the empty string resets the reader's last event id. */
  id?: string | undefined;
  /** Reconnection time in milliseconds, a non-negative integer. */
  retry?: number | undefined;
  /** Any text; each of its lines becomes a data line. Without it there is no data line. */
  data?: string | undefined;
}

/** A field that cannot be written. The message names the field, never its content. */
export class SseFieldError extends Error {
  override readonly name = 'SseFieldError';
  readonly field: 'event' | 'id' | 'retry';

  constructor(field: 'event' | 'id' | 'retry') {
    super(`not a writable SSE ${field}`);
    this.field = field;
  }
}

// CRLF first, so that it is one line end (section 9.2.5, end-of-line).
const LINE_END = /\r\n|\r|\n/;

/**
 * One event with its closing blank line.
 *
 * @throws SseFieldError when `event` or `id` holds CR, LF or NUL, or `retry` is no non-negative integer.
 */
export function encodeSseEvent(fields: SseFields): string {
  const { event, id, retry, data } = fields;
  let out = '';
  if (event !== undefined) {
    if (breaksLine(event)) throw new SseFieldError('event');
    out += `event: ${event}\n`;
  }
  if (id !== undefined) {
    if (breaksLine(id)) throw new SseFieldError('id');
    out += `id: ${id}\n`;
  }
  if (retry !== undefined) {
    // Beyond safe integers String may write an exponent, which is not digits only.
    if (!Number.isSafeInteger(retry) || retry < 0) throw new SseFieldError('retry');
    out += `retry: ${retry}\n`;
  }
  if (data !== undefined) out += prefixLines('data: ', data);
  return `${out}\n`;
}

function prefixLines(prefix: string, text: string): string {
  // JSON.stringify never writes a line end, so nearly all data is one line.
  if (!text.includes('\n') && !text.includes('\r')) return `${prefix}${text}\n`;
  let out = '';
  for (const line of text.split(LINE_END)) out += `${prefix}${line}\n`;
  return out;
}

function breaksLine(value: string): boolean {
  return value.includes('\n') || value.includes('\r') || value.includes('\0');
}
