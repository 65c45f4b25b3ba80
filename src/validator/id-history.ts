/**
 * The ids one sender has used, in bounded memory (basic/index#requests: an id is never used twice in a session).
 * Integers are kept as intervals, since nearly everybody counts; strings one by one up to a bound. Past the bounds
 * nothing more is remembered, and only what is outstanding can still be told as a duplicate.
 */

import { LIMITS } from './limits.js';

/** A JSON-RPC request id. */
export type RequestId = string | number;

export class IdHistory {
  /** Sorted, disjoint and never adjacent. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly strings = new Set<string>();
  private characters = 0;
  private isFull = false;

  /** Whether some id could not be remembered, so that a reuse may go unnoticed. */
  get isIncomplete(): boolean {
    return this.isFull;
  }

  has(id: RequestId): boolean {
    if (typeof id === 'string') return this.strings.has(id);
    const at = this.lastStartingAtOrBefore(id);
    return at >= 0 && id <= (this.ends[at] as number);
  }

  add(id: RequestId): void {
    if (typeof id === 'string') this.addString(id);
    else this.addInteger(id);
  }

  private addString(id: string): void {
    if (this.strings.size >= LIMITS.idStrings || this.characters + id.length > LIMITS.idStringCharacters) {
      this.isFull = true;
      return;
    }
    this.strings.add(detached(id));
    this.characters += id.length;
  }

  private addInteger(id: number): void {
    const at = this.lastStartingAtOrBefore(id);
    if (at >= 0 && id <= (this.ends[at] as number)) return;
    const touchesLeft = at >= 0 && this.ends[at] === id - 1;
    const touchesRight = this.starts[at + 1] === id + 1;
    if (touchesLeft && touchesRight) {
      this.ends[at] = this.ends[at + 1] as number;
      this.starts.splice(at + 1, 1);
      this.ends.splice(at + 1, 1);
    } else if (touchesLeft) {
      this.ends[at] = id;
    } else if (touchesRight) {
      this.starts[at + 1] = id;
    } else if (this.starts.length >= LIMITS.idIntervals) {
      this.isFull = true;
    } else {
      this.starts.splice(at + 1, 0, id);
      this.ends.splice(at + 1, 0, id);
    }
  }

  private lastStartingAtOrBefore(id: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.starts[middle] as number) <= id) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/**
 * A copy that does not keep the text it was cut from alive: engines hold a substring as a view into its parent,
 * which here may be a line of 2 MB.
 */
export function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}

/** {@link detached} for an id or a token. */
export function detachedId(id: RequestId): RequestId {
  return typeof id === 'string' ? detached(id) : id;
}
