/*
 * What a check is: a row with a stable id, its level, its section of the specification and a run that writes
 * into a report. The rows are listed in list.ts; the sentences about them are in texts.ts.
 */
import type { BlockGround, Evidence, Expectation, Finding, Measured, ProblemCode } from '../finding.js';
import type { Probe } from '../probe.js';

/** The groups of acceptance checks, in the order they run. */
export type CheckGroup =
  'version' | 'decision' | 'audience' | 'stream' | 'errors' | 'downgrade' | 'bypass' | 'session';

/** One check. */
export interface Check {
  /** `group.name`; never changes meaning once published. */
  readonly id: string;
  readonly group: CheckGroup;
  readonly level: 'MUST' | 'SHOULD';
  /** Page and anchor below the specification of the judged revision, or the RFC. */
  readonly section: string;
  /** What has to hold, one sentence. */
  readonly title: string;
  /** What it means when it does not, one sentence. */
  readonly meaning: string;
  /** The ground that blocks a release by itself, and the problems that show it ('any': each of them). */
  readonly blocks?: { readonly ground: BlockGround; readonly on: readonly ProblemCode[] | 'any' };
  /** Runs after all others, since it judges what they left behind. */
  readonly last?: true;
  readonly run: (probe: Probe, report: Report) => Promise<void>;
}

/** Problems that mean "could not be shown", as opposed to "was shown to be wrong". */
const UNTESTABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'twin-failed',
  'witness-unavailable',
  'not-configured',
  'connection-not-reused',
  'log-unreadable',
  'log-not-written',
]);

/** Ends a check whose precondition cannot be shown; it counts as failed. */
export class NotTestable extends Error {
  constructor(
    readonly problem: ProblemCode,
    readonly note: string,
  ) {
    super(note);
  }
}

/** Collects what one check sees. A report without problems is a pass. */
export class Report {
  readonly problems = new Set<ProblemCode>();
  readonly evidence: Evidence[] = [];
  readonly notes: string[] = [];
  expected: Expectation = {};
  private measured: Measured = {};

  /** Adds a problem if the condition does not hold; returns the condition. */
  demand(condition: boolean, problem: ProblemCode): boolean {
    if (!condition) this.problems.add(problem);
    return condition;
  }

  /** Keeps numbers that change from run to run. */
  measure(more: Measured): void {
    this.measured = { ...this.measured, ...more, values: { ...this.measured.values, ...more.values } };
  }

  /** The finding so far. */
  finish(durationMs: number): Finding {
    const problems = [...this.problems].toSorted();
    const outcome =
      problems.length === 0
        ? 'pass'
        : problems.every((problem) => UNTESTABLE.has(problem))
          ? 'not-testable'
          : 'fail';
    return {
      outcome,
      problems,
      expected: this.expected,
      evidence: this.evidence,
      notes: this.notes,
      measured: { ...this.measured, durationMs },
    };
  }
}
