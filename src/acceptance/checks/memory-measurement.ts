/*
 * Reads a long response without keeping it and samples the memory of this process and of the proxy meanwhile.
 */
import { parseMessage } from '../client/json-rpc.js';
import type { Evidence } from '../finding.js';
import { Growth, residentBytesOf } from '../memory.js';
import type { Probe } from '../probe.js';
import { follow, streamEvidence } from './measurement.js';

/** What a long response cost. */
export interface MemoryMeasurement {
  readonly complete: boolean;
  readonly values: Readonly<Record<string, number>>;
  readonly evidence: Evidence;
}

const SAMPLE_MS = 50;

/** Takes the measurement once. */
export async function memoryMeasurement(probe: Probe): Promise<MemoryMeasurement> {
  const tool = probe.tool('long');
  const { pid } = probe.config.gateway;
  const request = probe.call(tool.name, tool.arguments);
  const [pack, proxy] = [new Growth(), new Growth()];
  const sample = (): void => {
    pack.add(process.memoryUsage.rss());
    if (pid !== undefined) proxy.add(residentBytesOf(pid));
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  let receivedBytes = 0;
  let complete = false;
  const seen = await follow(
    probe,
    'a long response',
    { ...request, meta: { progressToken: request.nonce } },
    {
      onEvent: ({ data }) => {
        receivedBytes += data.length;
        // Only the last message is parsed: it is the short one with the request's id.
        if (data.length < 4096 && parseMessage(data)?.id === request.id) complete = true;
      },
    },
  ).finally(() => clearInterval(timer));
  sample();
  const values: Record<string, number> = { receivedBytes, packGrowthBytes: pack.bytes ?? 0 };
  if (proxy.bytes !== undefined) values['proxyGrowthBytes'] = proxy.bytes;
  return {
    complete,
    values,
    evidence: streamEvidence(seen, `(stream) ${complete ? 'complete' : 'incomplete'}`),
  };
}
