/*
 * All findings and exceptions → verdict, with every ground named. Pure. The six grounds of the contract block
 * whatever exceptions say; any other failed MUST needs a valid one; a failed SHOULD never blocks.
 */
import type { Check } from './checks/check.js';
import type { BlockGround, Finding } from './finding.js';

/** The sum of a run. */
export type VerdictName = 'PASS' | 'PASS_WITH_EXCEPTIONS' | 'BLOCK';

/** How one exception of the configuration fared. */
export interface ExceptionState {
  readonly check: string;
  readonly owner: string;
  readonly reason: string;
  readonly expires: string;
  /** `refused`: it names a check whose ground no exception lifts. */
  readonly state: 'used' | 'expired' | 'stale' | 'refused' | 'unjudged';
}

/** Verdict with its reasons. */
export interface Verdict {
  readonly name: VerdictName;
  readonly grounds: readonly { readonly ground: BlockGround; readonly check: string }[];
  readonly exceptions: readonly ExceptionState[];
}

/** One check with its finding. */
export interface Judged {
  readonly check: Check;
  readonly finding: Finding;
}

type Known = Omit<ExceptionState, 'state'>;

/** `today`: YYYY-MM-DD in UTC. `complete`: every check was run. */
export function judge(
  results: readonly Judged[],
  known: readonly Known[],
  today: string,
  complete: boolean,
): Verdict {
  const grounds: { ground: BlockGround; check: string }[] = [];
  let forgiven = false;
  const exceptions = known.map((exception) => ({ ...exception, state: stateOf(exception, results, today) }));
  for (const { check, state } of exceptions) {
    if (state === 'expired') grounds.push({ ground: 'exception-expired', check });
    if (state === 'stale') grounds.push({ ground: 'exception-stale', check });
  }
  for (const { check, finding } of results) {
    if (finding.outcome === 'pass' || finding.outcome === 'not-run') continue;
    const absolute = absoluteGround(check, finding);
    const covered = exceptions.some(({ check: id, state }) => id === check.id && state === 'used');
    if (absolute !== undefined) grounds.push({ ground: absolute, check: check.id });
    else if (covered || check.level === 'SHOULD') forgiven = true;
    else grounds.push({ ground: 'must-failed', check: check.id });
  }
  if (!complete) grounds.push({ ground: 'incomplete', check: '' });
  const name = grounds.length > 0 ? 'BLOCK' : forgiven ? 'PASS_WITH_EXCEPTIONS' : 'PASS';
  return { name, grounds, exceptions };
}

/** The ground by which a finding blocks whatever exceptions say; undefined if there is none. */
export function absoluteGround(check: Check, { outcome, problems }: Finding): BlockGround | undefined {
  if (check.blocks === undefined || outcome !== 'fail') return undefined;
  const { ground, on } = check.blocks;
  return on === 'any' || problems.some((problem) => on.includes(problem)) ? ground : undefined;
}

function stateOf(exception: Known, results: readonly Judged[], today: string): ExceptionState['state'] {
  const result = results.find(({ check }) => check.id === exception.check);
  if (result === undefined || result.finding.outcome === 'not-run') return 'unjudged';
  if (result.finding.outcome === 'pass') return 'stale';
  if (exception.expires < today) return 'expired';
  return absoluteGround(result.check, result.finding) === undefined ? 'used' : 'refused';
}

/** 0 PASS, 1 BLOCK; PASS_WITH_EXCEPTIONS is 0, or 3 if strict. */
export function exitCodeOf(name: VerdictName, strict: boolean): 0 | 1 | 3 {
  if (name === 'BLOCK') return 1;
  return name === 'PASS_WITH_EXCEPTIONS' && strict ? 3 : 0;
}
