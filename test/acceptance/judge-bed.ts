/** Starts a bed, judges it and stops it, in this process. Short times: everything is on loopback. */
import { accept, CHECK_IDS, type Acceptance } from '../../src/acceptance/accept.js';
import { loadConfig, type AcceptConfig } from '../../src/acceptance/config/load-config.js';
import { MODERN_REVISION } from '../../src/acceptance/revision.js';
import { startBed, type Bed, type BedOptions } from '../../src/acceptance/testbed/bed.js';

/** Memory is judged apart: here many beds share one process. */
export const SHORT = { idleMs: 1200, cancelMs: 1000, longMegabytes: 1, memoryGrowthMegabytes: 4096 } as const;

export async function withBed<T>(
  options: BedOptions,
  use: (bed: Bed, config: AcceptConfig) => Promise<T>,
): Promise<T> {
  const bed = await startBed({ ...SHORT, ...options });
  try {
    return await use(bed, loadConfig({ path: bed.configPath, env: {}, checkIds: CHECK_IDS }));
  } finally {
    await bed.stop();
  }
}

export function judgeBed(options: BedOptions): Promise<Acceptance> {
  return withBed(options, (_bed, config) => accept(config, options.revision ?? MODERN_REVISION));
}

export function failing({ record }: Acceptance): string[] {
  return record.checks
    .filter(({ status }) => status !== 'pass')
    .map(({ id }) => id)
    .toSorted();
}
