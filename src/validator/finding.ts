/**
 * A finding: which rule was broken where, with the facts its sentence needs. It is data; render-finding.ts makes
 * text of it. Facts never hold a value out of a message except names that passed secrecy.ts.
 */

import type { RuleId } from './catalogue.js';
import { shownPointer } from './secrecy.js';

export type Facts = Readonly<Record<string, string | number | boolean>>;

export interface Finding {
  readonly rule: RuleId;
  /** RFC 6901 pointer into the message (or the line, for rules about the line); empty for the whole. */
  readonly pointer: string;
  readonly facts: Facts;
}

/** A check looks at one value and finds at most one thing; `at` is the pointer of the value. */
export type Check<T = unknown> = (value: T, at: string) => Finding | undefined;

const NO_FACTS: Facts = Object.freeze({});

export function finding(rule: RuleId, pointer: string, facts: Facts = NO_FACTS): Finding {
  return { rule, pointer: shownPointer(pointer), facts };
}
