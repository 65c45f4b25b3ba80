/*
 * What one check writes while it runs, and how that becomes a finding.
 */
import type { Evidence, Expectation, Finding, Measured, ProblemCode } from './finding.js';

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
