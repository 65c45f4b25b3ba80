/*
 * The record of a run: one document per environment and release. Everything that differs between two runs on the
 * same bed is under `run` and `measured`. Its schema is in schema.ts.
 */
import type { Check } from '../checks/check.js';
import type { AcceptConfig } from '../config/load-config.js';
import type { Finding } from '../finding.js';
import type { JudgedRevision } from '../revision.js';
import { Secrets } from '../secrets.js';
import type { Judged, Verdict } from '../verdict.js';

/** Format of the record; raised when a member changes its meaning. */
export const RECORD_FORMAT = 'nest-mcp-boundary/acceptance-record/1';

/** A check as recorded. */
export interface RecordedCheck extends Pick<
  Check,
  'id' | 'group' | 'level' | 'section' | 'title' | 'meaning'
> {
  readonly status: Finding['outcome'];
  readonly problems: Finding['problems'];
  readonly expected: Finding['expected'];
  readonly evidence: Finding['evidence'];
  readonly notes: Finding['notes'];
  readonly measured: Finding['measured'];
}

/** What is signed. */
export interface AcceptanceRecord {
  readonly format: typeof RECORD_FORMAT;
  readonly environment: string;
  readonly release: string;
  readonly revision: string;
  readonly acceptedRevisions: readonly string[];
  readonly target: string;
  readonly resource: string;
  readonly authorizationServer: string;
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256, hex, by the names of the configuration. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly verdict: Verdict;
  readonly complete: boolean;
  readonly checks: readonly RecordedCheck[];
  readonly run: { readonly id: string; readonly startedAt: string; readonly finishedAt: string };
}

/** What a record is made of. */
export interface RecordParts {
  readonly config: AcceptConfig;
  readonly revision: JudgedRevision;
  readonly results: readonly Judged[];
  readonly verdict: Verdict;
  readonly complete: boolean;
  readonly run: AcceptanceRecord['run'];
}

/** Builds the record; as a last guard every string in it is searched for parts of secrets. */
export function buildRecord({
  config,
  revision,
  results,
  verdict,
  complete,
  run,
}: RecordParts): AcceptanceRecord {
  const checks = results.map(({ check, finding }): RecordedCheck => {
    const { outcome, ...rest } = finding;
    const { id, group, level, section, title, meaning } = check;
    return { id, group, level, section, title, meaning, status: outcome, ...rest };
  });
  const record: AcceptanceRecord = {
    format: RECORD_FORMAT,
    environment: config.environment,
    release: config.release,
    revision,
    acceptedRevisions: config.revisions,
    target: withoutSecrets(config.target),
    resource: config.resource,
    authorizationServer: config.authorizationServer,
    versions: config.versions,
    hashes: config.hashes,
    verdict,
    complete,
    checks,
    run,
  };
  return new Secrets(config.secrets).redactDeep(record);
}

/** Origin and path only: a query may hold what should not be published. */
function withoutSecrets(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
