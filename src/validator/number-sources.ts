/**
 * The source text of numbers that a double does not tell apart: integers of more than 15 digits, integers written
 * as `1.0` or `1e2`, and `-0`. An id must be a plain integer, and a bound such as `maximum` must hold exactly, so
 * both ask here. The text must have passed the strict parser; it is only walked when it can hold such a number.
 */

import { pointerTo } from './secrecy.js';

const MAY_MATTER = /(?:^|[:,[\s])(?:-?[0-9]{16}|-?[0-9]+(?:\.[0-9]|[eE][-+0-9])|-0)/;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

export interface NumberSources {
  /** The source text of the number at a pointer, when it is one of the special ones. */
  at(pointer: string): string | undefined;
}

/** No special numbers. */
export const NO_NUMBER_SOURCES: NumberSources = { at: () => undefined };

/** The special numbers of a text, by pointer from its root. */
export function readNumberSources(text: string): ReadonlyMap<string, string> | undefined {
  if (!MAY_MATTER.test(text)) return undefined;
  const found = new Map<string, string>();
  new Walk(text, found).value('');
  return found.size === 0 ? undefined : found;
}

/** The special numbers below one pointer of the text. */
export function numberSourcesBelow(
  found: ReadonlyMap<string, string> | undefined,
  prefix: string,
): NumberSources {
  if (found === undefined) return NO_NUMBER_SOURCES;
  return { at: (pointer) => found.get(prefix + pointer) };
}

/**
 * The exact value of a number: a bigint when a double would change it. JavaScript compares bigint and number
 * exactly, so the two may meet in one comparison.
 */
export function exactNumber(value: number, source: string | undefined): number | bigint {
  return source !== undefined && /^-?[0-9]+$/.test(source) && !Number.isSafeInteger(value)
    ? BigInt(source)
    : value;
}

function matters(source: string): boolean {
  if (/^-?[0-9]+$/.test(source)) return source.length > 15 || source === '-0';
  return Number.isInteger(Number(source));
}

class Walk {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly found: Map<string, string>,
  ) {}

  value(pointer: string): void {
    this.space();
    const first = this.text[this.at];
    if (first === '{') this.object(pointer);
    else if (first === '[') this.array(pointer);
    else if (first === '"') this.string();
    else if (first === 't' || first === 'n') this.at += 4;
    else if (first === 'f') this.at += 5;
    else this.number(pointer);
  }

  private object(pointer: string): void {
    this.at++;
    this.space();
    while (this.text[this.at] !== '}') {
      const key = this.string();
      this.space();
      this.at++;
      this.value(pointerTo(pointer, key));
      this.space();
      if (this.text[this.at] === ',') this.at++;
      this.space();
    }
    this.at++;
  }

  private array(pointer: string): void {
    this.at++;
    this.space();
    for (let index = 0; this.text[this.at] !== ']'; index++) {
      this.value(pointerTo(pointer, index));
      this.space();
      if (this.text[this.at] === ',') this.at++;
      this.space();
    }
    this.at++;
  }

  private string(): string {
    const start = this.at++;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at++;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private number(pointer: string): void {
    NUMBER.lastIndex = this.at;
    const source = NUMBER.exec(this.text)?.[0] ?? '';
    // A text that is not JSON would never move on; the strict parser has ruled it out.
    this.at += Math.max(source.length, 1);
    if (matters(source)) this.found.set(pointer, source);
  }

  private space(): void {
    while (/[ \t\n\r]/.test(this.text[this.at] ?? '')) this.at++;
  }
}
