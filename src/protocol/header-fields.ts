/**
 * Reads the head of a request from Node's raw header list in one pass and judges its size and form: gate 2 of the
 * receive order. Raw, because `request.headers` has already dropped or joined what was sent twice.
 *
 * What a value means (which Host, which Origin, a session id's grammar) is left to later gates.
 */

export interface HeadLimits {
  /** Longest request target. */
  maxPathBytes: number;
  maxHeaderFields: number;
  maxHeaderValueBytes: number;
  /** Most of all fields together, each name + value + 4 for `: ` and the line end. */
  maxHeadersBytes: number;
}

/** The head as later gates see it. A header that was not sent is undefined; one sent empty is `''`. */
export interface Head {
  method: string;
  target: string;
  authorization: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  contentType: string | undefined;
  contentLength: string | undefined;
  sessionId: string | undefined;
  lastEventId: string | undefined;
  /** One value, also where identical ones were sent twice. */
  protocolVersion: string | undefined;
  transferEncoding: string | undefined;
  expect: string | undefined;
  /** All lines, in order. */
  accept: readonly string[];
}

export type HeadRefusal =
  | 'uri_too_long'
  | 'too_many_headers'
  | 'header_too_large'
  | 'headers_too_large'
  | 'query_not_allowed'
  | 'duplicate_header'
  | 'invalid_header'
  | 'expectation_failed';

export type HeadResult =
  | { ok: true; head: Head }
  | { ok: false; code: HeadRefusal; /** A stable snake_case word. */ reason?: string };

type SingleValued =
  | 'authorization'
  | 'host'
  | 'origin'
  | 'contentType'
  | 'contentLength'
  | 'sessionId'
  | 'lastEventId'
  | 'protocolVersion';

interface SingleValuedField {
  readonly field: SingleValued;
  /** The word for the log where it was sent twice. */
  readonly reason: string;
  /** ASCII by its own grammar, so that a byte beyond is no legal value. */
  readonly isAscii: boolean;
}

const SINGLE_VALUED: ReadonlyMap<string, SingleValuedField> = new Map<string, SingleValuedField>([
  ['authorization', { field: 'authorization', reason: 'authorization', isAscii: true }],
  ['host', { field: 'host', reason: 'host', isAscii: true }],
  ['origin', { field: 'origin', reason: 'origin', isAscii: true }],
  // RFC 9110 section 8.3.1: a quoted parameter may hold more.
  ['content-type', { field: 'contentType', reason: 'content_type', isAscii: false }],
  ['content-length', { field: 'contentLength', reason: 'content_length', isAscii: true }],
  ['mcp-session-id', { field: 'sessionId', reason: 'mcp_session_id', isAscii: true }],
  ['last-event-id', { field: 'lastEventId', reason: 'last_event_id', isAscii: true }],
  ['mcp-protocol-version', { field: 'protocolVersion', reason: 'mcp_protocol_version', isAscii: true }],
]);

// Most fields are of no interest, and their length alone says so, without a lower-cased copy of the name.
const KNOWN_LENGTHS: ReadonlySet<number> = new Set(
  [...SINGLE_VALUED.keys(), 'accept', 'expect', 'transfer-encoding'].map((name) => name.length),
);

// RFC 9110 section 5.6.2, tchar
const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const IS_TOKEN_CHARACTER: readonly boolean[] = Array.from({ length: 0x80 }, (_, code) =>
  TOKEN_CHARACTERS.includes(String.fromCharCode(code)),
);

const NO_LINES: readonly string[] = [];
const FIELD_OVERHEAD = 4;

/**
 * Judges in the order of gate 2: target length, number of fields, one value, all of them, query, repeats, form
 * and Host, Expect. `rawHeaders` is flat (name, value, name, value …) and bears one byte per character.
 */
export function readHead(
  method: string,
  target: string,
  rawHeaders: readonly string[],
  limits: HeadLimits,
): HeadResult {
  if (target.length > limits.maxPathBytes) return { ok: false, code: 'uri_too_long' };
  if (rawHeaders.length > limits.maxHeaderFields * 2) return { ok: false, code: 'too_many_headers' };

  const head: Head = {
    method,
    target,
    authorization: undefined,
    host: undefined,
    origin: undefined,
    contentType: undefined,
    contentLength: undefined,
    sessionId: undefined,
    lastEventId: undefined,
    protocolVersion: undefined,
    transferEncoding: undefined,
    expect: undefined,
    accept: NO_LINES,
  };
  let total = 0;
  // The first of its kind; which one wins is decided after the pass, since a later field may break an earlier rule.
  let repeated: string | undefined;
  let illegal: string | undefined;
  const accept: string[] = [];

  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    if (value.length > limits.maxHeaderValueBytes) return { ok: false, code: 'header_too_large' };
    total += name.length + value.length + FIELD_OVERHEAD;
    if (!isToken(name)) illegal ??= 'header_name';
    const bytes = judgeBytes(value);
    if (bytes === 'illegal') illegal ??= 'header_value';

    if (!KNOWN_LENGTHS.has(name.length)) continue;
    const lowerName = name.toLowerCase();
    const single = SINGLE_VALUED.get(lowerName);
    if (single !== undefined) {
      if (bytes === 'latin1' && single.isAscii) illegal ??= 'header_value';
      const before = head[single.field];
      if (single.field === 'protocolVersion') {
        const one = asOneValue(value);
        if (one === undefined || (before !== undefined && before !== one)) repeated ??= single.reason;
        head.protocolVersion = one;
      } else {
        if (before !== undefined) repeated ??= single.reason;
        head[single.field] = value;
      }
    } else if (lowerName === 'accept') {
      accept.push(value);
    } else if (lowerName === 'transfer-encoding') {
      head.transferEncoding = join(head.transferEncoding, value);
    } else if (lowerName === 'expect') {
      head.expect = join(head.expect, value);
    }
  }

  if (total > limits.maxHeadersBytes) return { ok: false, code: 'headers_too_large' };
  if (target.includes('?')) return { ok: false, code: 'query_not_allowed', reason: 'query' };
  if (target.includes('#')) return { ok: false, code: 'query_not_allowed', reason: 'fragment' };
  if (repeated !== undefined) return { ok: false, code: 'duplicate_header', reason: repeated };
  if (illegal !== undefined) return { ok: false, code: 'invalid_header', reason: illegal };
  if (head.host === undefined) return { ok: false, code: 'invalid_header', reason: 'host_missing' };
  if (head.host === '') return { ok: false, code: 'invalid_header', reason: 'host_empty' };
  // RFC 9110 section 10.1.1: the only expectation there is, in any case.
  if (head.expect !== undefined && head.expect.toLowerCase() !== '100-continue') {
    return { ok: false, code: 'expectation_failed' };
  }
  if (accept.length > 0) head.accept = accept;
  return { ok: true, head };
}

/** RFC 9110 section 5.1 */
function isToken(name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (IS_TOKEN_CHARACTER[name.charCodeAt(i)] !== true) return false;
  }
  return name.length > 0;
}

/** RFC 9110 section 5.5: HTAB, SP, VCHAR and obs-text; the last is told apart, since few fields may have it. */
function judgeBytes(value: string): 'ascii' | 'latin1' | 'illegal' {
  let isAscii = true;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x20 && code <= 0x7e) continue;
    if (code >= 0x80 && code <= 0xff) isAscii = false;
    else if (code !== 0x09) return 'illegal';
  }
  return isAscii ? 'ascii' : 'latin1';
}

/**
 * A widely used client sends its protocol version twice, and a proxy may join the two lines. Identical values are
 * one; undefined where they differ.
 */
function asOneValue(value: string): string | undefined {
  if (!value.includes(',')) return value;
  const [first = '', ...others] = value.split(',').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''));
  return others.every((other) => other === first) ? first : undefined;
}

/** RFC 9110 section 5.3 */
function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
