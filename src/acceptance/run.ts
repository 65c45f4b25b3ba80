/*
 * Runs a list of checks one after the other, each within its own time, all within the overall time, and asks the
 * witness once more at the end about everything that must not have run. Writes nothing.
 */
import { performance } from 'node:perf_hooks';
import { Client, ExchangeFailed, hostOf, HostNotNamed } from './client/exchange.js';
import type { Check } from './checks/check.js';
import { NotTestable, Report } from './report.js';
import type { AcceptConfig } from './config/load-config.js';
import type { Finding } from './finding.js';
import { LogWatch } from './logs.js';
import { Probe, type RunState } from './probe.js';
import { Secrets } from './secrets.js';
import type { Judged } from './verdict.js';
import { askWitness } from './witness.js';

/** What a run gives back. */
export interface RunResult {
  readonly results: readonly Judged[];
  readonly complete: boolean;
}

/** How a run is watched and stopped. */
export interface RunOptions {
  /** Fires on Ctrl-C; the run then ends with what it has. */
  readonly stop?: AbortSignal;
  readonly onFinding?: (check: Check, finding: Finding) => void;
}

const NOT_RUN: Finding = {
  outcome: 'not-run',
  problems: [],
  expected: {},
  evidence: [],
  notes: [],
  measured: {},
};

/** Runs all checks against the configured target. */
export async function runChecks(
  config: AcceptConfig,
  checks: readonly Check[],
  { stop, onFinding }: RunOptions = {},
): Promise<RunResult> {
  const secrets = new Secrets(config.secrets);
  const client = new Client({
    allowedHosts: namedHosts(config),
    secrets,
    ...(config.ca && { ca: config.ca }),
  });
  const state: RunState = {
    secrets,
    logs: new LogWatch(config.logs),
    counter: 0,
    quiet: [],
    shared: new Map(),
  };
  const overall = AbortSignal.timeout(config.limits.overallMs);
  const outer = stop === undefined ? overall : AbortSignal.any([overall, stop]);

  const results: Judged[] = [];
  for (const check of checks) {
    const finding = outer.aborted ? NOT_RUN : await runOne(check, config, client, state, outer);
    results.push({ check, finding });
    onFinding?.(check, finding);
  }
  const late = outer.aborted ? new Set<string>() : await ranLater(config, client, state, outer);
  const swept = results.map((result) => (late.has(result.check.id) ? withLateRun(result) : result));
  for (const [index, { check, finding }] of swept.entries()) {
    if (finding !== results[index]?.finding) onFinding?.(check, finding);
  }
  return {
    results: swept,
    complete: swept.every(({ finding }) => finding.outcome !== 'not-run') && !outer.aborted,
  };
}

async function runOne(
  check: Check,
  config: AcceptConfig,
  client: Client,
  state: RunState,
  outer: AbortSignal,
): Promise<Finding> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(config.limits.checkMs)]);
  const report = new Report();
  const startedAt = performance.now();
  try {
    await check.run(new Probe(config, client, signal, check.id, state), report);
  } catch (error) {
    if (outer.aborted) return NOT_RUN;
    if (error instanceof NotTestable) {
      report.problems.add(error.problem);
      report.notes.push(error.note);
    } else if (signal.aborted) report.problems.add('timed-out');
    else if (error instanceof HostNotNamed) report.problems.add('host-not-named');
    else if (error instanceof ExchangeFailed) report.problems.add('transport-failed');
    else {
      // One crashed check must not cost the record of the others.
      report.problems.add('check-crashed');
      report.notes.push(error instanceof Error ? error.name : 'unknown error');
    }
  }
  return state.secrets.redactDeep(report.finish(Math.round(performance.now() - startedAt)));
}

/** Checks for which the witness saw an execution after all. */
async function ranLater(
  config: AcceptConfig,
  client: Client,
  state: RunState,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const late = new Set<string>();
  for (const { checkId, nonce } of state.quiet) {
    try {
      if ((await askWitness(config, client, nonce, signal)).runs > 0) late.add(checkId);
    } catch {
      late.add(checkId);
    }
  }
  return late;
}

function withLateRun({ check, finding }: Judged): Judged {
  if (finding.problems.includes('tool-ran')) return { check, finding };
  const problems = [...finding.problems, 'tool-ran-later' as const].toSorted();
  return { check, finding: { ...finding, outcome: 'fail', problems } };
}

/** Only these hosts are ever contacted. */
function namedHosts(config: AcceptConfig): ReadonlySet<string> {
  const urls = [
    config.target,
    config.directUpstream,
    config.witness?.kind === 'http' ? config.witness.url : undefined,
  ];
  return new Set(urls.filter((url) => url !== undefined).map(hostOf));
}
