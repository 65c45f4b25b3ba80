/*
 * One acceptance run from configuration to record: checks, verdict, record and, if the run is complete, its signature.
 */
import { randomUUID } from 'node:crypto';
import { CHECKS } from './checks/list.js';
import type { AcceptConfig } from './config/load-config.js';
import { buildRecord, type AcceptanceRecord } from './record/record.js';
import { readKey } from './record/keys.js';
import { writeRecordFile } from './record/sign.js';
import type { JudgedRevision } from './revision.js';
import { runChecks, type RunOptions } from './run.js';
import { judge } from './verdict.js';

/** What a run leaves: the record and the bytes of its file. */
export interface Acceptance {
  readonly record: AcceptanceRecord;
  readonly file: string;
}

/** Every id that an exception may name, over all revisions. */
export const CHECK_IDS: ReadonlySet<string> = new Set(
  Object.values(CHECKS).flatMap((list) => list.map(({ id }) => id)),
);

/** Runs everything. An incomplete run gets no signature. */
export async function accept(
  config: AcceptConfig,
  revision: JudgedRevision,
  options: RunOptions = {},
  now: () => Date = () => new Date(),
): Promise<Acceptance> {
  const startedAt = now().toISOString();
  const { results, complete } = await runChecks(config, CHECKS[revision], options);
  const finishedAt = now().toISOString();
  const verdict = judge(results, config.exceptions, finishedAt.slice(0, 10), complete);
  const run = { id: randomUUID(), startedAt, finishedAt };
  const record = buildRecord({ config, revision, results, verdict, complete, run });
  const key = complete ? readKey(config.signingKey, 'private') : undefined;
  return { record, file: await writeRecordFile(record, key) };
}
