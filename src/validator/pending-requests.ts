/** Requests that wait for an answer: room for them, entering them, dropping and consuming them. */

import type { JsonObject } from '../protocol/strict-json.js';
import { isSameSnapshot, type Snapshot } from './authorization.js';
import type { Peer } from './capabilities.js';
import { type Finding, finding } from './finding.js';
import { detached, detachedId, type RequestId } from './id-history.js';
import { LIMITS } from './limits.js';
import { METHODS } from './methods.js';
import { isProgressToken } from './notifications.js';
import type { PendingRequest, SessionState } from './session-state.js';
import { isObject } from './shape.js';

/** The progress token that a request brings along, if it is one. */
export function progressTokenOf(params: JsonObject | undefined): RequestId | undefined {
  const { _meta: metadata } = params ?? {};
  const token = isObject(metadata) ? metadata.progressToken : undefined;
  return isProgressToken(token) ? detachedId(token) : undefined;
}

/** A request whose answer will be matched and not looked into. */
export function unjudged(id: RequestId, method: string, params: JsonObject | undefined): PendingRequest {
  return {
    id: detachedId(id),
    method: detached(method),
    isJudged: false,
    isTask: false,
    progressToken: progressTokenOf(params),
    snapshot: undefined,
    subject: '',
    elicitation: undefined,
    isSpent: false,
  };
}

/** Makes room when a spent request can go; a finding when none can. */
export function checkRoom(sender: Peer, state: SessionState): Finding | undefined {
  const { pending } = state.sender(sender);
  if (pending.size < LIMITS.outstanding) return undefined;
  for (const request of pending.values()) {
    if (!request.isSpent) continue;
    drop(request, sender, state);
    return undefined;
  }
  return finding('correlation.too_many_outstanding', '/id', { peer: sender, limit: LIMITS.outstanding });
}

/** Enters a request that {@link checkRoom} has let through; one that is only matched gives way when there is none. */
export function addPending(pending: PendingRequest, sender: Peer, state: SessionState): void {
  if (!pending.isJudged && checkRoom(sender, state) !== undefined) return;
  const own = state.sender(sender);
  own.pending.set(pending.id, pending);
  own.history.add(pending.id);
  if (pending.progressToken !== undefined && !own.progress.isInUse(pending.progressToken)) {
    own.progress.begin(pending.progressToken);
  }
}

function drop(pending: PendingRequest, sender: Peer, state: SessionState): void {
  const own = state.sender(sender);
  own.pending.delete(pending.id);
  own.progress.end(pending.progressToken);
  if (pending.isJudged) METHODS.get(pending.method)?.fail?.(pending, state);
}

/**
 * A snapshot that does not keep the text of its message alive. Requests of one principal say the same again and
 * again, so the last copy is kept and shared.
 */
export function keptSnapshot(snapshot: Snapshot, state: SessionState): Snapshot {
  const { lastSnapshot } = state;
  if (lastSnapshot !== undefined && isSameSnapshot(snapshot, lastSnapshot)) return lastSnapshot;
  state.lastSnapshot = {
    transport: detached(snapshot.transport),
    tokenActive: snapshot.tokenActive,
    tokenAudience: detached(snapshot.tokenAudience),
    resource: detached(snapshot.resource),
    subject: detached(snapshot.subject),
    tenant: detached(snapshot.tenant),
    scopes: snapshot.scopes.map(detached),
    revision: detached(snapshot.revision),
  };
  return state.lastSnapshot;
}
