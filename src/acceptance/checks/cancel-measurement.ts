/*
 * Calls the slow tool, waits until the witness says that it runs, closes the connection, and watches what the
 * witness says about it afterwards.
 */
import { performance } from 'node:perf_hooks';
import type { Evidence } from '../finding.js';
import type { Probe } from '../probe.js';
import type { Execution } from '../witness.js';
import { NotTestable } from '../report.js';
import { follow, streamEvidence } from './measurement.js';

/** What became of a call that was left. */
export interface CancelMeasurement {
  readonly cancelled: boolean;
  readonly outcome: Execution['outcome'];
  readonly values: Readonly<Record<string, number>>;
  readonly evidence: Evidence;
}

const POLL_MS = 25;
/** How long the slow tool may take to be seen running. */
const START_MS = 10_000;
/** How long its first event may take after that. */
const FIRST_EVENT_MS = 500;

/**
 * Takes the measurement once. `streaming`: asks for progress, so that a stream is open when the connection closes;
 * otherwise nothing has been answered yet.
 */
export async function cancelMeasurement(probe: Probe, streaming: boolean): Promise<CancelMeasurement> {
  const tool = probe.tool('slow');
  const request = probe.call(tool.name, tool.arguments);
  const leave = new AbortController();
  let [begun, over] = [!streaming, false];
  const call = follow(
    probe,
    `the slow tool, connection closed ${streaming ? 'after its first event' : 'before any answer'}`,
    { ...request, ...(streaming && { meta: { progressToken: request.nonce } }) },
    { onEvent: () => (begun = true) },
    { until: leave.signal },
  );
  // The answer is awaited below; until then a failure must not count as unhandled.
  call.catch(() => undefined).finally(() => (over = true));
  try {
    await pollUntil(probe, START_MS, async () => over || (await probe.witness(request.nonce)).runs > 0);
    // A proxy that buffers never shows the first event: the connection is closed all the same.
    await pollUntil(probe, FIRST_EVENT_MS, async () => over || begun);
    const started = await probe.witness(request.nonce);
    if (started.executions[0]?.outcome !== 'running') {
      throw new NotTestable('twin-failed', 'the slow tool was not seen running');
    }
  } finally {
    leave.abort();
  }
  const leftAt = performance.now();
  const seen = await call;
  let last: Execution | undefined;
  await pollUntil(probe, probe.config.limits.cancelMs, async () => {
    last = (await probe.witness(request.nonce)).executions[0];
    return last?.cancelled === true;
  });
  const cancelled = last?.cancelled === true;
  const outcome = last?.outcome ?? 'running';
  const values = { untilCancelledMs: Math.round(performance.now() - leftAt) };
  const body = `(stream) witness afterwards: ${cancelled ? 'cancelled' : 'not cancelled'}, ${outcome}`;
  return { cancelled, outcome, values, evidence: streamEvidence(seen, body, 1) };
}

async function pollUntil(probe: Probe, withinMs: number, done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await done()) && performance.now() < end) await probe.pause(POLL_MS);
}
