/** Starts a bed, judges it and stops it, in this process. Short times: everything is on loopback. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accept, CHECK_IDS, type Acceptance } from '../../src/acceptance/accept.js';
import { loadConfig, type AcceptConfig } from '../../src/acceptance/config/load-config.js';
import { MODERN_REVISION, STATEFUL_REVISION } from '../../src/acceptance/revision.js';
import { BED_NAMES, startBed, type Bed, type BedOptions } from '../../src/acceptance/testbed/bed.js';
import { startOwnServer, type OwnServer } from '../../src/acceptance/testbed/own-server.js';

/** Memory is judged apart: here many beds share one process. */
export const SHORT = { idleMs: 1200, cancelMs: 1000, longMegabytes: 1, memoryGrowthMegabytes: 4096 } as const;

let server: Promise<OwnServer> | undefined;
let directory: string | undefined;

/** One server process for all beds of the stateful revision: it holds nothing but sessions, and starting it is slow. */
function ownServer(): Promise<OwnServer> {
  directory ??= mkdtempSync(join(tmpdir(), 'acceptance-test-'));
  server ??= startOwnServer({ ...BED_NAMES, directory });
  return server;
}

/** To be called after the last bed of a test file. */
export async function stopOwnServer(): Promise<void> {
  await (await server)?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

export async function withBed<T>(
  options: BedOptions,
  use: (bed: Bed, config: AcceptConfig) => Promise<T>,
): Promise<T> {
  const stateful = options.revision === STATEFUL_REVISION;
  const bed = await startBed({ ...SHORT, ...options, ...(stateful && { server: await ownServer() }) });
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
