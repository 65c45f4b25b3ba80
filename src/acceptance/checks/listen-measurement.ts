/*
 * Opens subscriptions/listen, asks for nothing to happen, and notes what arrives until the idle time is over.
 */
import { isRecord, parseMessage } from '../client/json-rpc.js';
import type { Arrival, Evidence } from '../finding.js';
import type { Probe } from '../probe.js';
import { META } from '../revision.js';
import { follow, streamEvidence } from './measurement.js';

/** What a quiet subscription looked like from here. */
export interface ListenMeasurement {
  readonly acknowledged: boolean;
  readonly outlived: boolean;
  readonly comments: number;
  readonly strangeData: number;
  readonly arrivals: readonly Arrival[];
  readonly values: Readonly<Record<string, number>>;
  readonly evidence: Evidence;
}

const MAX_ARRIVALS = 200;

/** Takes the measurement once. */
export async function listenMeasurement(probe: Probe): Promise<ListenMeasurement> {
  const request = probe.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const arrivals: Arrival[] = [];
  let [comments, strangeData, events] = [0, 0, 0];
  let acknowledged = false;
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), probe.config.limits.idleMs);
  const note = (arrival: Arrival): void => void (arrivals.length < MAX_ARRIVALS && arrivals.push(arrival));
  const seen = await follow(
    probe,
    'a quiet subscription',
    request,
    {
      onEvent: ({ data, atMs }) => {
        note({ atMs, kind: 'notification' });
        events += 1;
        const message = parseMessage(data);
        if (message === undefined) strangeData += 1;
        const meta = message?.params?.['_meta'];
        const id = isRecord(meta) ? meta[META.subscriptionId] : undefined;
        if (events === 1)
          acknowledged = message?.method === 'notifications/subscriptions/acknowledged' && id === request.id;
      },
      onComment: (_comment, atMs) => {
        note({ atMs, kind: 'comment' });
        comments += 1;
      },
    },
    { until: idle.signal },
  ).finally(() => clearTimeout(timer));
  // Our own timer fired, and the answer was still open then.
  const outlived = idle.signal.aborted && seen.answer?.cut === true;
  const body = `(stream) ${acknowledged ? 'acknowledged' : 'not acknowledged'}, ${outlived ? 'still open' : 'ended early'}`;
  const values = { openMs: Math.round(seen.answer?.endAtMs ?? 0), comments, events };
  return {
    acknowledged,
    outlived,
    comments,
    strangeData,
    arrivals,
    values,
    evidence: streamEvidence(seen, body),
  };
}
