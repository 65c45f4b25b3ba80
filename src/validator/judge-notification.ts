/** Judges a notification: state of the handshake, name and direction, capability, authorization, params. */

import type { JsonObject } from '../protocol/strict-json.js';
import { otherPeer, type Peer } from './capabilities.js';
import { emptyParams } from './descriptors.js';
import type { Envelope } from './envelope.js';
import { type Finding, finding } from './finding.js';
import { authorize, checkLifecycle } from './gates.js';
import { assumeReady, judgeInitialized } from './handshake.js';
import { NOTIFICATIONS } from './notifications.js';
import { shownName } from './secrecy.js';
import type { SessionState, WireStep } from './session-state.js';

export type Notification = Extract<Envelope, { kind: 'notification' }>;

const NO_PARAMS: JsonObject = Object.freeze({});

export function judgeNotification(
  notification: Notification,
  step: WireStep,
  state: SessionState,
): Finding | undefined {
  const { method, params } = notification;
  const { sender } = step;
  if (method === 'notifications/initialized') return finishHandshake(params, sender, state);
  const early = checkLifecycle(method, sender, state);
  if (early !== undefined) return early;

  const rule = NOTIFICATIONS.get(method);
  if (rule === undefined) return finding('notification.unknown', '/method', { method: shownName(method) });
  if (rule.sender !== 'both' && rule.sender !== sender) {
    return finding('notification.wrong_direction', '/method', { method, peer: rule.sender });
  }
  if (rule.capability !== undefined) {
    const [whose, capability] = rule.capability;
    const peer = whose === 'sender' ? sender : otherPeer(sender);
    if (state.sender(peer).declared?.has(capability) === false) {
      return finding('capability.undeclared', '/method', { peer, capability });
    }
  }
  const authorized = authorize(rule.scope, method, step.context, state);
  if (!authorized.ok) return authorized.found;
  if (params === undefined && rule.needsParams === true) {
    return finding('shape.missing_member', '', { what: `${method} notification`, member: 'params' });
  }
  const judged = { sender, params: params ?? NO_PARAMS, snapshot: authorized.snapshot };
  return rule.params(judged.params, '/params') ?? rule.judge?.(judged, state);
}

function finishHandshake(
  params: JsonObject | undefined,
  sender: Peer,
  state: SessionState,
): Finding | undefined {
  const found = judgeInitialized(sender, state) ?? emptyParams(params ?? NO_PARAMS, '/params');
  // A recorded client went on whatever was wrong, so the rest is judged as if the handshake had worked.
  if (found === undefined || (state.mode === 'transcript' && sender === 'client')) assumeReady(state);
  return found;
}
