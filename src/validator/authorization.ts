/**
 * The authorization snapshot: the identity that an HTTP layer vouched for, judged against the active revision of
 * the policy before each resource operation, on delivery of an update, and again when a result arrives.
 */

import type { JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import type { ContextDefaults, Policy, PolicyRevision, Scope } from './policy.js';
import { shownName } from './secrecy.js';
import { isObject } from './shape.js';

export interface Snapshot {
  readonly transport: string;
  readonly tokenActive: boolean;
  readonly tokenAudience: string;
  readonly resource: string;
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly revision: string;
}

export type SnapshotResult =
  { readonly ok: true; readonly snapshot: Snapshot } | { readonly ok: false; readonly found: Finding };

const REQUIRED = ['subject', 'tenant', 'scopes', 'authorization_revision'] as const;
const OPTIONAL = ['transport', 'token_active', 'token_audience', 'resource'] as const;
const MEMBERS: ReadonlySet<string> = new Set([...REQUIRED, ...OPTIONAL]);

/** Reads a transport_context; members left out have their defaults. */
export function readSnapshot(context: JsonValue, defaults: ContextDefaults): SnapshotResult {
  if (!isObject(context)) return refuse('must be an object');
  for (const member in context) {
    if (!MEMBERS.has(member)) return refuse(`has unknown keys: ${shownName(member)}`);
  }
  for (const member of REQUIRED) {
    if (!Object.hasOwn(context, member)) return refuse(`lacks the key ${member}`);
  }
  const { subject, tenant, scopes, authorization_revision: revision } = context;
  if (typeof subject !== 'string' || typeof tenant !== 'string' || typeof revision !== 'string') {
    return refuse('must have strings as subject, tenant and authorization_revision');
  }
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) {
    return refuse('must have an array of strings as scopes');
  }
  if (hasRepetition(scopes)) return refuse('must not repeat scopes');
  const { transport, token_active: active, token_audience: audience, resource } = context;
  const tokenActive = active === undefined ? defaults.tokenActive : active;
  if (typeof tokenActive !== 'boolean') return refuse('must have a boolean as token_active');
  for (const uri of [transport, audience, resource]) {
    if (uri !== undefined && typeof uri !== 'string') {
      return refuse('must have strings as transport, token_audience and resource');
    }
  }
  const snapshot: Snapshot = {
    transport: transport === undefined ? defaults.transport : (transport as string),
    tokenActive,
    tokenAudience: audience === undefined ? defaults.tokenAudience : (audience as string),
    resource: resource === undefined ? defaults.resource : (resource as string),
    subject,
    tenant,
    scopes,
    revision,
  };
  return { ok: true, snapshot };
}

/** Nearly every list of scopes is short, and then a Set costs more than it saves. */
function hasRepetition(scopes: readonly string[]): boolean {
  if (scopes.length > 8) return new Set(scopes).size < scopes.length;
  return scopes.some((scope, index) => scopes.indexOf(scope) !== index);
}

/** Whether two snapshots say the same. */
export function isSameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return (
    a.subject === b.subject &&
    a.tenant === b.tenant &&
    a.revision === b.revision &&
    a.transport === b.transport &&
    a.tokenActive === b.tokenActive &&
    a.tokenAudience === b.tokenAudience &&
    a.resource === b.resource &&
    a.scopes.length === b.scopes.length &&
    a.scopes.every((scope, index) => scope === b.scopes[index])
  );
}

function refuse(problem: string): SnapshotResult {
  return { ok: false, found: finding('authorization.context_shape', '', { problem }) };
}

/**
 * Whether a snapshot authorizes an operation now. The revision is compared before the principal is looked up: a
 * stale snapshot says nothing about the principals of the active revision.
 */
export function checkSnapshot(
  policy: Policy,
  activeRevision: string,
  snapshot: Snapshot,
  scope: Scope,
): Finding | undefined {
  if (snapshot.transport !== 'streamable_http') return finding('authorization.transport', '');
  if (!snapshot.tokenActive) return finding('authorization.token_inactive', '');
  if (snapshot.tokenAudience !== policy.protectedResource) return finding('authorization.audience', '');
  if (snapshot.resource !== policy.protectedResource) return finding('authorization.resource', '');
  if (snapshot.revision !== activeRevision) return finding('authorization.stale_revision', '');
  const revision = policy.revisions.get(activeRevision) as PolicyRevision;
  const principal = revision.principals.get(snapshot.subject);
  if (principal === undefined) return finding('authorization.unknown_subject', '');
  if (!principal.isEnabled) return finding('authorization.subject_disabled', '');
  if (principal.tenant !== snapshot.tenant) return finding('authorization.tenant_binding', '');
  if (!snapshot.scopes.every((claimed) => principal.scopes.has(claimed))) {
    return finding('authorization.scope_exceeds_grant', '');
  }
  if (!snapshot.scopes.includes(scope)) return finding('authorization.scope_missing', '', { scope });
  return undefined;
}
