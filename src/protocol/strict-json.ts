/**
 * Strict JSON: RFC 8259 grammar, the I-JSON rules of RFC 7493 (no duplicate keys, no lone surrogates, no
 * noncharacters) and a nesting limit, in one pass over the text. JSON.parse cannot do this: it keeps the last of two
 * equal keys, lets lone surrogates through and turns 1e999 into Infinity.
 *
 * A text nested too deeply is refused before a single value is built, whatever else is wrong with it. What the
 * value means (JSON-RPC, an evidence file) is for others to judge.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export type StrictJsonCode = 'invalid_utf8' | 'json_depth_exceeded' | 'invalid_json';

export type StrictJsonResult =
  | {
      ok: true;
      value: JsonValue;
      /**
       * Source text of each member of the root object whose value is a number, so that a caller can tell `1`
       * from `1.0`. One shared empty map when there is none.
       */
      rootNumbers: ReadonlyMap<string, string>;
    }
  | {
      ok: false;
      code: StrictJsonCode;
      /** Index into the text in UTF-16 units; 0 for `invalid_utf8`, where there is no text yet. */
      offset: number;
      /** A stable snake_case word; never content of the input. */
      reason: string;
    };

export interface StrictJsonLimits {
  /** Deepest nesting of arrays and objects that passes; `[]` alone is 1. More than 1,000 counts as 1,000. */
  maxDepth: number;
}

const NO_NUMBERS: ReadonlyMap<string, string> = new Map();

// The parser recurses once per level, so no setting may let it near the end of the stack.
const HIGHEST_DEPTH = 1000;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;
const BYTE_ORDER_MARK = 0xfeff;

// RFC 8259 section 7, the two-character escapes; \u is apart.
const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [LOWER_F, '\f'],
  [LOWER_N, '\n'],
  [0x72, '\r'],
  [LOWER_T, '\t'],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 as RFC 3629 has it, or gives undefined. A BOM is kept: the parser refuses it (RFC 8259 section 8.1). */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** {@link parseStrictJson} over bytes; bytes that are not UTF-8 are `invalid_utf8` (RFC 7493 section 2.1). */
export function parseStrictJsonBytes(bytes: Uint8Array, limits: StrictJsonLimits): StrictJsonResult {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, code: 'invalid_utf8', offset: 0, reason: 'malformed_utf8' };
  return parseStrictJson(text, limits);
}

/**
 * Parses one strict JSON value; never throws. Depth is judged first, so `json_depth_exceeded` wins over
 * `invalid_json`. Time and memory are linear in the text.
 *
 * Objects in the result are ordinary ones. A key such as `__proto__` is an own member like any other.
 */
export function parseStrictJson(text: string, limits: StrictJsonLimits): StrictJsonResult {
  const maxDepth = limits.maxDepth <= HIGHEST_DEPTH ? limits.maxDepth : HIGHEST_DEPTH;
  if (hasMoreBrackets(text, maxDepth)) {
    const offset = findTooDeep(text, maxDepth);
    if (offset >= 0) return { ok: false, code: 'json_depth_exceeded', offset, reason: 'depth_exceeded' };
  }
  const parser = new Parser(text);
  const value = parser.document();
  if (value === undefined) {
    return { ok: false, code: 'invalid_json', offset: parser.failedAt, reason: parser.reason };
  }
  return { ok: true, value, rootNumbers: parser.rootNumbers ?? NO_NUMBERS };
}

/**
 * Whether the text has more than `count` opening brackets, inside strings or not. Nearly no honest text has, and
 * indexOf finds that out far faster than a walk over the characters.
 */
function hasMoreBrackets(text: string, count: number): boolean {
  if (text.length <= count) return false;
  let left = count;
  for (const bracket of ['{', '[']) {
    let at = text.indexOf(bracket);
    while (at !== -1) {
      if (--left < 0) return true;
      at = text.indexOf(bracket, at + 1);
    }
  }
  return false;
}

/** Where nesting goes past the limit, else -1. As long as the text is JSON, it counts what the parser would. */
function findTooDeep(text: string, maxDepth: number): number {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === QUOTE) inString = false;
      else if (code === BACKSLASH) at++;
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === LEFT_BRACKET || code === LEFT_BRACE) {
      if (++depth > maxDepth) return at;
    } else if ((code === RIGHT_BRACKET || code === RIGHT_BRACE) && depth > 0) {
      depth--;
    }
  }
  return -1;
}

/**
 * Recursive descent over one text. A rule returns undefined once something is wrong, with `reason` and `failedAt`
 * set: no JSON value is undefined, and exceptions would make hostile input the expensive one.
 */
class Parser {
  reason = '';
  failedAt = 0;
  rootNumbers: Map<string, string> | undefined = undefined;
  private at = 0;

  constructor(private readonly text: string) {}

  document(): JsonValue | undefined {
    const first = this.skipSpace();
    if (first === BYTE_ORDER_MARK) return this.fail('byte_order_mark');
    const value = this.value(first, true);
    if (value === undefined) return undefined;
    this.skipSpace();
    if (this.at < this.text.length) return this.fail('trailing_content');
    return value;
  }

  /** RFC 8259 section 3. `first` is the character at the position, space skipped. */
  private value(first: number, isRoot: boolean): JsonValue | undefined {
    switch (first) {
      case QUOTE:
        return this.string();
      case LEFT_BRACE:
        return this.object(isRoot);
      case LEFT_BRACKET:
        return this.array();
      case LOWER_T:
        return this.literal('true', true);
      case LOWER_F:
        return this.literal('false', false);
      case LOWER_N:
        return this.literal('null', null);
      default:
        if (first === MINUS || (first >= ZERO && first <= NINE)) return this.number();
        return this.unexpected();
    }
  }

  private object(isRoot: boolean): JsonObject | undefined {
    const object: JsonObject = {};
    this.at++;
    let next = this.skipSpace();
    if (next === RIGHT_BRACE) {
      this.at++;
      return object;
    }
    for (;;) {
      if (next !== QUOTE) return this.unexpected();
      const keyAt = this.at;
      const key = this.string();
      if (key === undefined) return undefined;
      // Something is found under a new key only if every object inherits it: `toString`, `__proto__`.
      const isTaken = object[key] !== undefined;
      if (isTaken && Object.hasOwn(object, key)) return this.fail('duplicate_key', keyAt);

      if (this.skipSpace() !== COLON) return this.unexpected();
      this.at++;
      const first = this.skipSpace();
      const valueAt = this.at;
      const value = this.value(first, false);
      if (value === undefined) return undefined;
      if (isTaken) {
        // Assigning would run the __proto__ setter.
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      } else {
        object[key] = value;
      }
      if (isRoot && typeof value === 'number') {
        this.rootNumbers ??= new Map();
        this.rootNumbers.set(key, this.text.slice(valueAt, this.at));
      }

      next = this.skipSpace();
      if (next === RIGHT_BRACE) {
        this.at++;
        return object;
      }
      if (next !== COMMA) return this.unexpected();
      this.at++;
      next = this.skipSpace();
    }
  }

  private array(): JsonValue[] | undefined {
    const array: JsonValue[] = [];
    this.at++;
    let next = this.skipSpace();
    if (next === RIGHT_BRACKET) {
      this.at++;
      return array;
    }
    for (;;) {
      const value = this.value(next, false);
      if (value === undefined) return undefined;
      array.push(value);
      next = this.skipSpace();
      if (next === RIGHT_BRACKET) {
        this.at++;
        return array;
      }
      if (next !== COMMA) return this.unexpected();
      this.at++;
      next = this.skipSpace();
    }
  }

  /** RFC 8259 section 7. Nearly every string has no escape and is one slice of the text. */
  private string(): string | undefined {
    const text = this.text;
    const start = this.at + 1;
    const end = this.plainRunEnd(start);
    if (text.charCodeAt(end) === QUOTE) {
      this.at = end + 1;
      return text.slice(start, end);
    }
    return this.stringWithEscapes(start, end);
  }

  private stringWithEscapes(start: number, firstStop: number): string | undefined {
    const text = this.text;
    let out = text.slice(start, firstStop);
    let at = firstStop;
    for (;;) {
      if (at >= text.length) return this.fail('unterminated_string', at);
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) return this.fail(refusalOf(code, text.charCodeAt(at + 1)), at);

      const escape = text.charCodeAt(at + 1);
      if (escape === LOWER_U) {
        const unit = hex4(text, at + 2);
        if (unit < 0) return this.fail('invalid_escape', at);
        // The other half must be an escape too (RFC 8259 section 7): a raw half is no character.
        const low = isSurrogate(unit) && text.startsWith('\\u', at + 6) ? hex4(text, at + 8) : -1;
        const units = unitsOf(unit, low);
        if (units === 0) return this.fail(refusalOf(unit, low), at);
        out += units === 1 ? String.fromCharCode(unit) : String.fromCharCode(unit, low);
        at += 6 * units;
      } else {
        const plain = SHORT_ESCAPES.get(escape);
        if (plain === undefined) return this.fail('invalid_escape', at);
        out += plain;
        at += 2;
      }

      const end = this.plainRunEnd(at);
      if (end > at) out += text.slice(at, end);
      at = end;
    }
    this.at = at + 1;
    return out;
  }

  /** Index of the first character from `at` on that ends a run of plain ones: quote, backslash, or one refused. */
  private plainRunEnd(at: number): number {
    const text = this.text;
    const length = text.length;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH || code < SPACE) return at;
      if (code >= 0xd800) {
        const units = unitsOf(code, text.charCodeAt(at + 1));
        if (units === 0) return at;
        at += units - 1;
      }
    }
    return at;
  }

  /** RFC 8259 section 6, and no number that a double can only hold as Infinity (RFC 7493 section 2.2). */
  private number(): number | undefined {
    const text = this.text;
    const start = this.at;
    const isNegative = text.charCodeAt(start) === MINUS;
    const firstDigit = isNegative ? start + 1 : start;
    let at = firstDigit;
    let integer = 0;
    let code = text.charCodeAt(at);
    while (code >= ZERO && code <= NINE) {
      integer = integer * 10 + (code - ZERO);
      code = text.charCodeAt(++at);
    }
    const digits = at - firstDigit;
    if (digits === 0) return this.fail('invalid_number', at);
    if (digits > 1 && text.charCodeAt(firstDigit) === ZERO) return this.fail('invalid_number', firstDigit);
    if (code !== DOT && code !== LOWER_E && code !== UPPER_E && digits <= 15) {
      this.at = at;
      return isNegative ? -integer : integer;
    }

    if (code === DOT) {
      const end = digitsEnd(text, at + 1);
      if (end === at + 1) return this.fail('invalid_number', end);
      at = end;
      code = text.charCodeAt(at);
    }
    if (code === LOWER_E || code === UPPER_E) {
      const sign = text.charCodeAt(at + 1);
      const exponent = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      const end = digitsEnd(text, exponent);
      if (end === exponent) return this.fail('invalid_number', end);
      at = end;
    }
    const value = Number(text.slice(start, at));
    if (!Number.isFinite(value)) return this.fail('number_overflow', start);
    this.at = at;
    return value;
  }

  private literal<T extends boolean | null>(word: string, value: T): T | undefined {
    if (!this.text.startsWith(word, this.at)) return this.fail('invalid_literal');
    this.at += word.length;
    return value;
  }

  /** Skips RFC 8259 section 2 white space (nothing else counts); gives the character there, NaN at the end. */
  private skipSpace(): number {
    const text = this.text;
    const length = text.length;
    let at = this.at;
    while (at < length) {
      const code = text.charCodeAt(at);
      if (
        code > SPACE ||
        (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB)
      ) {
        this.at = at;
        return code;
      }
      at++;
    }
    this.at = at;
    return Number.NaN;
  }

  private unexpected(): undefined {
    return this.fail(this.at < this.text.length ? 'unexpected_character' : 'unexpected_end');
  }

  private fail(reason: string, at: number = this.at): undefined {
    this.reason = reason;
    this.failedAt = at;
    return undefined;
  }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/**
 * How many UTF-16 units the character takes that begins with `unit`, given the one after it (or NaN, or -1). 0 for
 * what I-JSON forbids: half a surrogate pair, and the 66 noncharacters (RFC 7493 section 2.1).
 */
function unitsOf(unit: number, next: number): 0 | 1 | 2 {
  if (!isSurrogate(unit)) {
    const isNoncharacter = unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef);
    return isNoncharacter ? 0 : 1;
  }
  if (!isPair(unit, next)) return 0;
  // The last two code points of each plane.
  return (unit & 0x3f) === 0x3f && (next & 0x3fe) === 0x3fe ? 0 : 2;
}

/** The word for a character that may not stand in a string. */
function refusalOf(unit: number, next: number): string {
  if (unit < SPACE) return 'control_character';
  return isSurrogate(unit) && !isPair(unit, next) ? 'lone_surrogate' : 'noncharacter';
}

function isPair(unit: number, next: number): boolean {
  return unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
}

/** Value of the four hex digits at `at`, or -1. */
function hex4(text: string, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const code = text.charCodeAt(i);
    let digit = -1;
    if (code >= ZERO && code <= NINE) digit = code - ZERO;
    else if (code >= 0x41 && code <= 0x46) digit = code - 0x37;
    else if (code >= 0x61 && code <= 0x66) digit = code - 0x57;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function digitsEnd(text: string, at: number): number {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return at;
    at++;
  }
  return at;
}
