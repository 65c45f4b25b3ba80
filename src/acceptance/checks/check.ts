/*
 * What a check is: a row with a stable id, its level, its section of the specification and a run that writes
 * into a report. The rows are listed in list.ts; the sentences about them are in texts.ts.
 */
import type { BlockGround, ProblemCode } from '../finding.js';
import type { Probe } from '../probe.js';
import type { Report } from '../report.js';

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
