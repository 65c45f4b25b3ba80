/*
 * Calls the progress tool and notes when each progress notification and the result arrive.
 */
import type { HeaderLine } from '../client/exchange.js';
import { parseMessage } from '../client/json-rpc.js';
import type { Arrival, Evidence } from '../finding.js';
import type { Probe } from '../probe.js';
import { follow, streamEvidence } from './measurement.js';

/** What one progress call looked like from here. */
export interface ProgressMeasurement {
  readonly arrivals: readonly Arrival[];
  readonly headers: readonly HeaderLine[];
  readonly evidence: Evidence;
}

/** Takes the measurement once. */
export async function progressMeasurement(probe: Probe): Promise<ProgressMeasurement> {
  const tool = probe.tool('progress');
  const request = probe.call(tool.name, tool.arguments);
  const arrivals: Arrival[] = [];
  const seen = await follow(
    probe,
    'the progress tool',
    { ...request, meta: { progressToken: request.nonce } },
    {
      onEvent: ({ data, atMs }) => {
        const message = parseMessage(data);
        if (
          message?.method === 'notifications/progress' &&
          message.params?.['progressToken'] === request.nonce
        ) {
          arrivals.push({ atMs, kind: 'progress' });
        } else if (message?.id === request.id && message.result !== undefined) {
          arrivals.push({ atMs, kind: 'result' });
        }
      },
    },
  );
  const progress = arrivals.filter(({ kind }) => kind === 'progress').length;
  const body = `(stream) ${progress} progress events, ${arrivals.length - progress} result`;
  return { arrivals, headers: seen.answer?.headers ?? [], evidence: streamEvidence(seen, body) };
}
