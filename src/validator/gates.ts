/** The two gates that requests and notifications share: the state of the handshake, and the identity snapshot. */

import type { JsonValue } from '../protocol/strict-json.js';
import { checkSnapshot, readSnapshot, type Snapshot } from './authorization.js';
import type { Peer } from './capabilities.js';
import type { Envelope } from './envelope.js';
import { type Finding, finding } from './finding.js';
import { assumeReady, lifecycleGate } from './handshake.js';
import type { Scope } from './policy.js';
import type { SessionState } from './session-state.js';

export type Authorized =
  | { readonly ok: true; readonly snapshot: Snapshot | undefined }
  | { readonly ok: false; readonly found: Finding };

/** A transport_context belongs to resource operations alone, policy or not. */
export function checkContextPlace(envelope: Envelope, context: JsonValue | undefined): Finding | undefined {
  if (context === undefined) return undefined;
  const isPlace =
    (envelope.kind === 'request' && envelope.method.startsWith('resources/')) ||
    (envelope.kind === 'notification' && envelope.method === 'notifications/resources/updated');
  return isPlace ? undefined : finding('authorization.context_not_allowed', '');
}

/** A transcript may begin in the middle: that is said once, and from then on nothing about capabilities is known. */
export function checkLifecycle(method: string, sender: Peer, state: SessionState): Finding | undefined {
  const found = lifecycleGate(method, sender, state);
  if (found !== undefined && state.mode === 'transcript' && state.lifecycle === 'new') assumeReady(state);
  return found;
}

/** Whether the snapshot beside the message authorizes an operation that needs `scope`; without a policy all do. */
export function authorize(
  scope: Scope | undefined,
  method: string,
  context: JsonValue | undefined,
  state: SessionState,
): Authorized {
  const { policy, activeRevision } = state;
  if (policy === undefined || scope === undefined) return { ok: true, snapshot: undefined };
  if (context === undefined)
    return { ok: false, found: finding('authorization.context_missing', '', { method }) };
  const read = readSnapshot(context, policy.defaults);
  if (!read.ok) return read;
  const found = checkSnapshot(policy, activeRevision, read.snapshot, scope);
  return found === undefined ? read : { ok: false, found };
}
