/** A vector of one rule: a conversation that passes and one whose last step breaks the rule. */

import type { Script, ScriptStep } from './validator-world.js';

/** Lines of a transcript instead of a script, for rules about the text itself. */
export interface Lines {
  readonly lines: readonly string[];
}

export interface Vector {
  readonly pass: Script | Lines;
  readonly fail: Script | Lines;
}

/** A vector whose two conversations differ only in their steps. */
export function steps(
  pass: readonly ScriptStep[],
  fail: readonly ScriptStep[],
  rest: Omit<Script, 'steps'> = {},
): Vector {
  return { pass: { ...rest, steps: pass }, fail: { ...rest, steps: fail } };
}

export function lines(pass: readonly string[], fail: readonly string[]): Vector {
  return { pass: { lines: pass }, fail: { lines: fail } };
}
