/*
 * One "errors survive" check: provokes a refusal and compares what arrives with what the server says it sent. Without
 * a witness that records answers, shape and content type have to do.
 */
import { createHash } from 'node:crypto';
import { headerOf, type Outgoing } from '../client/exchange.js';
import type { Expectation } from '../finding.js';
import { keep, type Observation, type Probe } from '../probe.js';
import type { SentAnswer } from '../witness.js';
import type { Check } from './check.js';
import type { Report } from '../report.js';

/** What is sent, and the id and nonce in it. */
export interface Provocation {
  readonly sent: Outgoing;
  readonly id: string;
  readonly nonce: string;
  /** Cleans up afterwards. */
  readonly done?: () => Promise<void>;
}

/** One refusal that has to survive. */
export interface ErrorCase {
  readonly name: string;
  readonly level?: 'SHOULD';
  readonly section: string;
  readonly title: string;
  readonly meaning: string;
  readonly expected: Expectation;
  /** For a code that the configuration names. */
  readonly code?: (probe: Probe) => number;
  readonly provoke: (probe: Probe, report: Report) => Provocation | Promise<Provocation>;
}

/** Shows that a right request works; the observation's nonce tells whether the witness records answers. */
export type Twin = (probe: Probe, report: Report) => Promise<Observation>;

/** The check for one refusal. */
export function survivingError(given: ErrorCase, proveTwin: Twin): Check {
  return {
    id: `errors.${given.name}`,
    group: 'errors',
    level: given.level ?? 'MUST',
    section: given.section,
    title: given.title,
    meaning: given.meaning,
    async run(probe, report) {
      const code = given.code === undefined ? given.expected.code : [given.code(probe)];
      report.expected = {
        ...given.expected,
        ...(code !== undefined && { code }),
        more: ['as the server sent it'],
      };
      const twin = await proveTwin(probe, report);
      const recorded = (await probe.witness(twin.nonce)).answers;
      const { sent, id, nonce, done } = await given.provoke(probe, report);
      const seen = await probe.sendRaw(given.title, sent, id, nonce);
      keep(report, seen);
      await done?.();
      judgeShape(report, seen, given.expected.status ?? [], code);
      const keepsAnswers = recorded !== undefined && recorded.length > 0;
      if (keepsAnswers) judgeSame(report, seen, (await probe.witness(nonce)).answers?.at(-1));
      else report.notes.push('the witness records no answers: judged by shape');
    },
  };
}

function judgeShape(
  report: Report,
  { answer, message, id }: Observation,
  status: readonly number[],
  code: readonly number[] | undefined,
): void {
  if (!report.demand(answer !== undefined, 'transport-failed') || answer === undefined) return;
  report.demand(status.includes(answer.status), 'wrong-status');
  report.demand(
    /^application\/json\b/i.test(headerOf(answer.headers, 'content-type') ?? ''),
    'wrong-content-type',
  );
  if (code === undefined) return;
  if (!report.demand(message?.error !== undefined, 'no-json-rpc')) return;
  report.demand(code.includes(message?.error?.code ?? 0), 'wrong-code');
  report.demand(message?.id === id, 'wrong-id');
}

function judgeSame(report: Report, { answer }: Observation, sent: SentAnswer | undefined): void {
  if (answer === undefined) return;
  if (sent === undefined) {
    report.problems.add('answered-by-proxy');
    return;
  }
  const sha256 = createHash('sha256').update(answer.bytes).digest('hex');
  const same =
    sent.status === answer.status &&
    sent.contentType === headerOf(answer.headers, 'content-type') &&
    sent.bodySha256 === sha256;
  report.demand(same, 'answer-changed');
}
