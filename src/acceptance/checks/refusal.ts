/*
 * The two halves of every negative check: the positive twin that shows the tool does run when asked rightly, and
 * the refusal itself with the witness's word that nothing ran. The rules about codes stand in the checks.
 */
import type { ModernRequest } from '../client/json-rpc.js';
import type { Expectation } from '../finding.js';
import { keep, type Observation, type Probe } from '../probe.js';
import { NotTestable, type Report } from '../report.js';

/** Sends the right request and shows that it executes once; otherwise the check is not testable. */
export async function proveTwin(probe: Probe, report: Report, request?: ModernRequest): Promise<Observation> {
  const right = request ?? probe.call(probe.tool('counting'));
  const seen = await probe.send('the same call, sent rightly', right);
  const { runs } = await probe.witness(right.nonce);
  keep(report, seen, runs);
  if (seen.answer?.status !== 200 || runs !== 1) {
    throw new NotTestable(
      'twin-failed',
      'the rightly sent call did not execute, so a refusal would prove nothing',
    );
  }
  return seen;
}

/** What a refusal check sends and wants. */
export interface RefusalCase {
  readonly what: string;
  readonly request: ModernRequest;
  readonly expected: Expectation;
  /** Defaults to the counting tool, rightly called. */
  readonly twin?: ModernRequest;
}

/** Proves the twin, sends the bent request, judges status, code, id and execution. */
export async function expectRefusal(probe: Probe, report: Report, given: RefusalCase): Promise<Observation> {
  report.expected = { ...given.expected, runs: 0 };
  await proveTwin(probe, report, given.twin);
  return expectRefused(probe, report, given);
}

/** The second half alone, for checks that send several bent requests after one twin. */
export async function expectRefused(probe: Probe, report: Report, given: RefusalCase): Promise<Observation> {
  const seen = await probe.send(given.what, given.request);
  judgeRefusal(probe, report, seen, given.expected);
  await expectNothingRan(probe, report, seen);
  return seen;
}

/** The witness saw no execution, and is asked once more at the end of the run. */
export async function expectNothingRan(probe: Probe, report: Report, seen: Observation): Promise<void> {
  const { runs } = await probe.witness(seen.nonce);
  keep(report, seen, runs);
  report.demand(runs === 0, 'tool-ran');
  probe.mustStayQuiet(seen.nonce);
}

function judgeRefusal(probe: Probe, report: Report, seen: Observation, expected: Expectation): void {
  const { answer, message } = seen;
  if (answer === undefined) {
    report.problems.add('transport-failed');
    return;
  }
  const rightStatus = report.demand(expected.status?.includes(answer.status) ?? true, 'wrong-status');
  if (expected.code === undefined) return;
  const anonymous = message?.error === undefined || message.id === null || message.id === undefined;
  if (probe.config.gateway.answersItself && anonymous && rightStatus) {
    // transports/streamable-http#server-validation, note: an intermediary need not answer in JSON-RPC.
    report.notes.push(
      'refused by the gateway itself, which need not give a JSON-RPC error or know the request id',
    );
    return;
  }
  if (!report.demand(message?.error !== undefined, 'no-json-rpc')) return;
  report.demand(expected.code.includes(message?.error?.code ?? 0), 'wrong-code');
  report.demand(message?.id === seen.id, 'wrong-id');
}
