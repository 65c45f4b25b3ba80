/**
 * Accept and Content-Type by their grammar (RFC 9110 sections 12.5.1 and 8.3.1), never searched for a word:
 * `text/event-stream-x`, a `q=0` or a comma within quotes would fool a search.
 *
 * Which types an endpoint needs, and what it answers otherwise, is left to the caller.
 */

export interface AcceptRange {
  /** Lower-case; `*` in a wildcard. */
  type: string;
  /** Lower-case; `*` in a wildcard. */
  subtype: string;
  /** Without the weight: lower-case name, value unquoted. */
  parameters: readonly (readonly [name: string, value: string])[];
  /** 0..1; 1 where none is given. */
  weight: number;
}

export type EndpointMediaType = 'application/json' | 'text/event-stream';

interface Answer {
  readonly json: boolean;
  readonly eventStream: boolean;
}

// RFC 9110 section 5.6.2
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
// RFC 9110 section 5.6.4: qdtext and quoted-pair
const QUOTED_STRING = /"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"/y;
// RFC 9110 section 5.6.3
const OPTIONAL_SPACE = /[ \t]*/y;
// RFC 9110 section 12.4.2
const WEIGHT = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

// Clients send one of a handful of values with every request. The bounds keep a stranger from filling memory.
const MEMO_ENTRIES = 64;
const MEMO_VALUE_LENGTH = 256;
const memo = new Map<string, Answer>();

/**
 * The ranges of all Accept lines in order, or undefined if any of them breaks the grammar of RFC 9110 section
 * 12.5.1. Empty list elements are skipped (section 5.6.1.2), and the weight may stand anywhere among the
 * parameters (section 12.5.1). No line, or only empty ones, is an empty list.
 */
export function parseAccept(values: readonly string[]): AcceptRange[] | undefined {
  const ranges: AcceptRange[] = [];
  for (const value of values) {
    const cursor = new Cursor(value);
    for (;;) {
      cursor.skipSpace();
      if (!cursor.isAt(',') && !cursor.isAtEnd()) {
        const range = readRange(cursor);
        if (range === undefined) return undefined;
        ranges.push(range);
        cursor.skipSpace();
      }
      if (cursor.isAtEnd()) break;
      if (!cursor.take(',')) return undefined;
    }
  }
  return ranges;
}

/**
 * Whether a client says by name that it takes the type. Wildcards do not count: a client that sends one does not
 * know of event streams. Parameters do not matter, but a range without any decides where there is one, as the
 * more exact match for what is sent. Malformed is no.
 *
 * An endpoint that needs both types asks twice; the answer is remembered.
 */
export function accepts(values: readonly string[], type: EndpointMediaType): boolean {
  // RFC 9110 section 5.3: several lines mean the same as one, joined.
  const value = values.length === 1 ? (values[0] ?? '') : values.join(', ');
  let answer = memo.get(value);
  if (answer === undefined) {
    const ranges = parseAccept([value]) ?? [];
    answer = {
      json: namesType(ranges, 'application', 'json'),
      eventStream: namesType(ranges, 'text', 'event-stream'),
    };
    if (value.length <= MEMO_VALUE_LENGTH) {
      if (memo.size >= MEMO_ENTRIES) memo.clear();
      memo.set(value, answer);
    }
  }
  return type === 'application/json' ? answer.json : answer.eventStream;
}

/**
 * Whether a Content-Type is `application/json`, alone or with the one parameter `charset=utf-8`, in any case and
 * quoted or not (RFC 9110 section 8.3.1). JSON has no charset parameter (RFC 8259 section 11), so any other one
 * is a sign of a mistake.
 */
export function isJsonContentType(value: string): boolean {
  if (value === 'application/json') return true;
  const cursor = new Cursor(value);
  const media = readMedia(cursor);
  if (media === undefined || !cursor.isAtEnd()) return false;
  if (media.type !== 'application' || media.subtype !== 'json') return false;
  const [first, second] = media.parameters;
  if (second !== undefined) return false;
  return first === undefined || (first.name === 'charset' && first.value.toLowerCase() === 'utf-8');
}

function namesType(ranges: readonly AcceptRange[], type: string, subtype: string): boolean {
  const named = ranges.filter((range) => range.type === type && range.subtype === subtype);
  const plain = named.filter((range) => range.parameters.length === 0);
  return (plain.length > 0 ? plain : named).some((range) => range.weight > 0);
}

function readRange(cursor: Cursor): AcceptRange | undefined {
  const media = readMedia(cursor);
  if (media === undefined) return undefined;
  const parameters: [string, string][] = [];
  let weight: number | undefined;
  for (const parameter of media.parameters) {
    if (parameter.name !== 'q') {
      parameters.push([parameter.name, parameter.value]);
    } else {
      if (weight !== undefined || parameter.isQuoted || !WEIGHT.test(parameter.value)) return undefined;
      weight = Number(parameter.value);
    }
  }
  return { type: media.type, subtype: media.subtype, parameters, weight: weight ?? 1 };
}

interface Parameter {
  name: string;
  value: string;
  isQuoted: boolean;
}

/** RFC 9110 section 8.3.1: type "/" subtype parameters, the latter by section 5.6.6. `*` is a token character. */
function readMedia(
  cursor: Cursor,
): { type: string; subtype: string; parameters: readonly Parameter[] } | undefined {
  const type = cursor.match(TOKEN);
  if (type === undefined || !cursor.take('/')) return undefined;
  const subtype = cursor.match(TOKEN);
  if (subtype === undefined) return undefined;

  const parameters: Parameter[] = [];
  for (;;) {
    const end = cursor.at;
    cursor.skipSpace();
    if (!cursor.take(';')) {
      // Space that no parameter follows belongs to whatever comes next.
      cursor.at = end;
      return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
    }
    cursor.skipSpace();
    const name = cursor.match(TOKEN);
    // The parameter itself may be missing: `;;` is legal.
    if (name === undefined) continue;
    if (!cursor.take('=')) return undefined;
    const token = cursor.match(TOKEN);
    const quoted = token === undefined ? cursor.match(QUOTED_STRING) : undefined;
    const value = token ?? quoted?.slice(1, -1).replace(/\\(.)/g, '$1');
    if (value === undefined) return undefined;
    parameters.push({ name: name.toLowerCase(), value, isQuoted: quoted !== undefined });
  }
}

class Cursor {
  at = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  isAt(character: string): boolean {
    return this.text.startsWith(character, this.at);
  }

  take(character: string): boolean {
    if (!this.isAt(character)) return false;
    this.at += character.length;
    return true;
  }

  /** What a sticky expression finds here. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  skipSpace(): void {
    this.match(OPTIONAL_SPACE);
  }
}
