/*
 * Group 4, a stream stays a stream. Everything is judged by order and spread of arrivals, never by tight times; a
 * measurement that a busy machine may have spoiled is taken again, which a buffering proxy fails every time.
 */
import { headerOf } from '../client/exchange.js';
import type { Check } from './check.js';
import { progressMeasurement, type ProgressMeasurement } from './progress-measurement.js';
import { cancelMeasurement } from './cancel-measurement.js';
import { listenMeasurement } from './listen-measurement.js';
import { memoryMeasurement } from './memory-measurement.js';
import type { Probe } from '../probe.js';

const RECEIVING = 'basic/transports/streamable-http#receiving-messages';
const BROKEN = { ground: 'stream-broken', on: 'any' } as const;
const ATTEMPTS = 3;
/** The part of the nominal spread that has to be left after every hop and a busy machine. */
const SPREAD = 0.3;

function isLive(seen: ProgressMeasurement, intervalMs: number, events: number): boolean {
  return problemsOf(seen, intervalMs, events).length === 0;
}

function problemsOf(
  seen: ProgressMeasurement,
  intervalMs: number,
  events: number,
): ('too-few-events' | 'no-result' | 'one-burst' | 'first-event-late')[] {
  const times = seen.arrivals.filter(({ kind }) => kind === 'progress').map(({ atMs }) => atMs);
  const result = seen.arrivals.find(({ kind }) => kind === 'result')?.atMs;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const wanted = intervalMs * (events - 1) * SPREAD;
  return [
    ...(times.length < events ? ['too-few-events' as const] : []),
    ...(result === undefined ? ['no-result' as const] : []),
    ...(last - first < wanted ? ['one-burst' as const] : []),
    ...(result !== undefined && result - first < wanted ? ['first-event-late' as const] : []),
  ];
}

function measuredProgress(probe: Probe): Promise<ProgressMeasurement> {
  return probe.shared('progress', async () => {
    const { intervalMs, events } = probe.tool('progress');
    let seen = await progressMeasurement(probe);
    for (let attempt = 1; attempt < ATTEMPTS && !isLive(seen, intervalMs, events); attempt += 1) {
      seen = await progressMeasurement(probe);
    }
    return seen;
  });
}

/** The checks of group 4. */
export const STREAM_CHECKS: readonly Check[] = [
  {
    id: 'stream.progress',
    group: 'stream',
    level: 'MUST',
    section: RECEIVING,
    title: 'Progress arrives while the tool works: before its result, spread over time, not in one burst.',
    meaning: 'Something on the way holds events back; callers see nothing until all is over.',
    blocks: BROKEN,
    async run(probe, report) {
      const { intervalMs, events } = probe.tool('progress');
      report.expected = {
        status: [200],
        more: [`${events} progress events, about ${intervalMs} ms apart, then the result`],
      };
      const seen = await measuredProgress(probe);
      report.evidence.push(seen.evidence);
      report.measure({ arrivals: seen.arrivals });
      for (const problem of problemsOf(seen, intervalMs, events)) report.problems.add(problem);
    },
  },
  {
    id: 'stream.buffering-hint',
    group: 'stream',
    level: 'SHOULD',
    section: RECEIVING,
    title: 'A stream says X-Accel-Buffering: no, also behind the proxy.',
    meaning: 'The next proxy on the way does not learn that it must not buffer.',
    async run(probe, report) {
      report.expected = { more: ['X-Accel-Buffering: no'] };
      const seen = await measuredProgress(probe);
      report.evidence.push(seen.evidence);
      report.demand(headerOf(seen.headers, 'x-accel-buffering')?.toLowerCase() === 'no', 'hint-missing');
    },
  },
  {
    id: 'stream.memory',
    group: 'stream',
    level: 'MUST',
    section: RECEIVING,
    title: 'A long response passes without piling up in the pack or, if its process is named, in the proxy.',
    meaning: 'A few long answers at the same time exhaust the memory of the proxy.',
    async run(probe, report) {
      report.expected = {
        status: [200],
        more: [`growth below ${probe.config.limits.memoryGrowthBytes >> 20} MiB`],
      };
      const seen = await memoryMeasurement(probe);
      report.evidence.push(seen.evidence);
      report.measure({ values: seen.values });
      if (seen.values['proxyGrowthBytes'] === undefined)
        report.notes.push('no process of the proxy was measured');
      report.demand(seen.complete, 'no-result');
      report.demand(
        (seen.values['receivedBytes'] ?? 0) >= probe.tool('long').megabytes * 1_000_000,
        'too-few-events',
      );
      const most = Math.max(seen.values['packGrowthBytes'] ?? 0, seen.values['proxyGrowthBytes'] ?? 0);
      report.demand(most <= probe.config.limits.memoryGrowthBytes, 'memory-grew');
    },
  },
  {
    id: 'stream.cancel',
    group: 'stream',
    level: 'MUST',
    section: 'basic/transports/streamable-http#cancellation',
    title: 'Closing the stream in the middle of a call reaches the tool as cancellation, in time.',
    meaning: 'Tools go on working, and changing things, for callers who left.',
    blocks: BROKEN,
    async run(probe, report) {
      report.expected = { more: [`cancelled within ${probe.config.limits.cancelMs} ms`] };
      const seen = await probe.shared('cancel', () => cancelMeasurement(probe, true));
      report.evidence.push(seen.evidence);
      report.measure({ values: seen.values });
      report.demand(seen.cancelled, 'not-cancelled');
    },
  },
  {
    id: 'stream.cancel-unanswered',
    group: 'stream',
    level: 'MUST',
    section: 'basic/patterns/cancellation#transport-specific-cancellation',
    title: 'Closing the connection before anything was answered reaches the tool as cancellation, in time.',
    meaning: 'Quiet tools go on working, and changing things, for callers who left.',
    blocks: BROKEN,
    async run(probe, report) {
      report.expected = { more: [`cancelled within ${probe.config.limits.cancelMs} ms`] };
      const seen = await cancelMeasurement(probe, false);
      report.evidence.push(seen.evidence);
      report.measure({ values: seen.values });
      report.demand(seen.cancelled, 'not-cancelled');
    },
  },
  {
    id: 'stream.cancel-outcome',
    group: 'stream',
    level: 'MUST',
    section: 'basic/patterns/cancellation#behavior-requirements',
    title: 'A cancelled call is not recorded as a success.',
    meaning: 'Audit trails and bills count work as done that a caller has called off.',
    async run(probe, report) {
      report.expected = { more: ['outcome: not completed'] };
      const seen = await probe.shared('cancel', () => cancelMeasurement(probe, true));
      report.evidence.push(seen.evidence);
      report.demand(seen.outcome !== 'completed', 'booked-as-success');
    },
  },
  {
    id: 'stream.idle',
    group: 'stream',
    level: 'MUST',
    section: 'basic/patterns/subscriptions#acknowledgment',
    title: 'A quiet subscriptions/listen is acknowledged and outlives the configured idle time.',
    meaning: 'Subscriptions die without a word and clients miss changes or reconnect all the time.',
    async run(probe, report) {
      report.expected = { status: [200], more: [`open for ${probe.config.limits.idleMs} ms`] };
      const seen = await probe.shared('listen', () => listenMeasurement(probe));
      report.evidence.push(seen.evidence);
      report.measure({ values: seen.values, arrivals: seen.arrivals });
      report.demand(seen.evidence.status === 200, 'wrong-status');
      report.demand(seen.acknowledged, 'no-acknowledgement');
      report.demand(seen.outlived, 'stream-cut');
    },
  },
  {
    id: 'stream.keep-alive',
    group: 'stream',
    level: 'SHOULD',
    section: RECEIVING,
    title: 'Keep-alive comments arrive on a quiet subscription.',
    meaning: 'Nothing keeps quiet streams open across idle timeouts on the way.',
    async run(probe, report) {
      report.expected = { more: ['at least one comment'] };
      const seen = await probe.shared('listen', () => listenMeasurement(probe));
      report.evidence.push(seen.evidence);
      report.demand(seen.comments > 0, 'no-comment');
    },
  },
  {
    id: 'stream.comments-not-data',
    group: 'stream',
    level: 'MUST',
    section: RECEIVING,
    title: 'Nothing but JSON-RPC messages arrives as data on a quiet subscription.',
    meaning: 'Comments are turned into events that a client cannot read.',
    async run(probe, report) {
      report.expected = { more: ['data: JSON-RPC messages only'] };
      const seen = await probe.shared('listen', () => listenMeasurement(probe));
      report.evidence.push(seen.evidence);
      report.demand(seen.acknowledged, 'no-acknowledgement');
      report.demand(seen.strangeData === 0, 'comment-as-data');
    },
  },
];
