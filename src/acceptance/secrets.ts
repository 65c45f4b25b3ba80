/*
 * The tokens of a run: finds them in what arrives, and takes them out of what leaves. A part of six
 * characters counts already when redacting, since a prefix lets a reader match a token from another log.
 */

const PART = 6;
const MARK = '<secret>';

/** Holds every secret of a run. Made once, asked often; never printed. */
export class Secrets {
  private readonly values: readonly string[];
  private readonly parts = new Set<string>();

  /** `values`: the secrets themselves; shorter ones than six characters are ignored by configuration rules. */
  constructor(values: readonly string[]) {
    this.values = values.filter((value) => value.length >= PART);
    for (const value of this.values) {
      for (let at = 0; at + PART <= value.length; at += 1) this.parts.add(value.slice(at, at + PART));
    }
  }

  /** The longest secret: a scanner of chunks keeps that many characters of the previous one. */
  get longest(): number {
    return this.values.reduce((most, value) => Math.max(most, value.length * 3), PART);
  }

  /** Whether a whole secret stands in the text, plain or percent-encoded; long ones also by their second half. */
  appearIn(text: string): boolean {
    return this.values.some((value) => {
      const tail = value.length >= 40 ? value.slice(value.length >> 1) : value;
      return text.includes(tail) || text.includes(encodeURIComponent(tail));
    });
  }

  /** The text with every run of characters that is a part of a secret replaced. */
  redact(text: string): string {
    if (this.parts.size === 0 || text.length < PART) return text;
    let out = '';
    let hiddenUntil = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (at + PART <= text.length && this.parts.has(text.slice(at, at + PART))) {
        if (at >= hiddenUntil) out += MARK;
        hiddenUntil = at + PART;
      }
      if (at >= hiddenUntil) out += text.charAt(at);
    }
    return out;
  }

  /** The same for every string inside a JSON value, keys included. */
  redactDeep<T>(value: T): T {
    if (typeof value === 'string') return this.redact(value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.redactDeep(item)) as T;
    if (value !== null && typeof value === 'object') {
      const entries = Object.entries(value).map(([key, item]) => [this.redact(key), this.redactDeep(item)]);
      return Object.fromEntries(entries) as T;
    }
    return value;
  }
}
