/**
 * Judges a request: id, state of the handshake, method and direction, capabilities, authorization, params, and what
 * the session knows, in this order. It becomes pending only when all of it is well.
 */

import type { JsonObject } from '../protocol/strict-json.js';
import { otherPeer, type Peer } from './capabilities.js';
import { beginElicitation } from './elicitation.js';
import type { Envelope } from './envelope.js';
import { type Finding, finding } from './finding.js';
import { authorize, checkLifecycle } from './gates.js';
import { beginHandshake, judgeInitialize } from './handshake.js';
import { detached, detachedId } from './id-history.js';
import { METHODS, type MethodRule } from './methods.js';
import { isProgressToken } from './notifications.js';
import { addPending, checkRoom, keptSnapshot, progressTokenOf, unjudged } from './pending-requests.js';
import { shownName } from './secrecy.js';
import type { PendingRequest, SessionState, WireStep } from './session-state.js';
import { isObject } from './shape.js';
import { taskMetadata } from './tasks.js';

export type Request = Extract<Envelope, { kind: 'request' }>;

const NO_PARAMS: JsonObject = Object.freeze({});

export function judgeRequest(request: Request, step: WireStep, state: SessionState): Finding | undefined {
  const peer = step.sender;
  const own = state.sender(peer);
  if (own.pending.has(request.id)) return finding('correlation.duplicate_outstanding_id', '/id', { peer });
  if (own.history.has(request.id)) return finding('correlation.id_reused', '/id', { peer });
  const found = admit(request, step, state);
  if (found !== undefined && state.mode === 'transcript') {
    // In a recorded conversation the other side answers a bad request too; its answer is matched, not judged.
    addPending({ ...unjudged(request.id, request.method, request.params), isSpent: true }, peer, state);
  }
  return found;
}

function admit(request: Request, step: WireStep, state: SessionState): Finding | undefined {
  const { method, params } = request;
  const { sender } = step;
  if (method === 'initialize') return admitInitialize(request, sender, state);
  const early = checkLifecycle(method, sender, state);
  if (early !== undefined) return early;

  const rule = METHODS.get(method);
  if (rule === undefined) return finding('method.unknown', '/method', { method: shownName(method) });
  if (rule.sender !== 'both' && rule.sender !== sender) {
    return finding('method.wrong_direction', '/method', { method, peer: rule.sender });
  }
  const isTask = params !== undefined && Object.hasOwn(params, 'task');
  const undeclared = checkCapabilities(rule, request, isTask, sender, state);
  if (undeclared !== undefined) return undeclared;
  if (!rule.isImplemented) {
    const found = state.unlessNoted(finding('method.not_implemented', '/method', { method }));
    if (found === undefined) addPending(unjudged(request.id, method, params), sender, state);
    return found;
  }
  const authorized = authorize(rule.scope, method, step.context, state);
  if (!authorized.ok) return authorized.found;
  const badParams = checkParams(rule, request, isTask, sender, state);
  if (badParams !== undefined) return badParams;
  const judged = { sender, params: params ?? NO_PARAMS, isTask, snapshot: authorized.snapshot };
  const found = rule.judge?.(judged, state) ?? checkRoom(sender, state);
  if (found !== undefined) return found;

  const { snapshot } = authorized;
  const pending: PendingRequest = {
    id: detachedId(request.id),
    method: detached(method),
    isJudged: true,
    isTask,
    progressToken: progressTokenOf(params),
    snapshot: snapshot === undefined ? undefined : keptSnapshot(snapshot, state),
    subject: rule.subject === undefined ? '' : detached(rule.subject(judged.params)),
    elicitation: method === 'elicitation/create' ? beginElicitation(judged.params, state) : undefined,
    isSpent: false,
  };
  addPending(pending, sender, state);
  rule.begin?.(pending, state);
  return undefined;
}

function admitInitialize(request: Request, sender: Peer, state: SessionState): Finding | undefined {
  if (sender === 'server') return finding('lifecycle.initialize_direction', '/method');
  if (state.lifecycle !== 'new') return finding('lifecycle.initialize_twice', '/method');
  const found = judgeInitialize(request.params, state);
  if (found !== undefined) return found;
  beginHandshake(request.params as JsonObject, state);
  addPending({ ...unjudged(request.id, 'initialize', request.params), isJudged: true }, sender, state);
  return undefined;
}

function checkCapabilities(
  rule: MethodRule,
  request: Request,
  isTask: boolean,
  sender: Peer,
  state: SessionState,
): Finding | undefined {
  const { declared } = state.receiver(sender);
  if (isTask && rule.isImplemented && rule.taskCapability === undefined) {
    return finding('tasks.not_augmentable', '/params/task', { method: request.method });
  }
  if (declared === undefined) return undefined;
  const needed = [
    rule.capability,
    rule.paramCapability?.(request.params ?? NO_PARAMS),
    isTask ? rule.taskCapability : undefined,
  ];
  const missing = needed.find((capability) => capability !== undefined && !declared.has(capability));
  if (missing === undefined) return undefined;
  return finding('capability.undeclared', '/method', { peer: otherPeer(sender), capability: missing });
}

function checkParams(
  rule: MethodRule,
  request: Request,
  isTask: boolean,
  sender: Peer,
  state: SessionState,
): Finding | undefined {
  const { method, params } = request;
  if (params === undefined) {
    if (rule.needsParams !== true) return undefined;
    return finding('shape.missing_member', '', { what: `${method} request`, member: 'params' });
  }
  const found =
    rule.params?.(params, '/params') ?? (isTask ? taskMetadata(params.task, '/params/task') : undefined);
  const { _meta: metadata } = params;
  if (found !== undefined || !isObject(metadata)) return found;
  const at = '/params/_meta/progressToken';
  const { progressToken } = metadata;
  if (progressToken === undefined) return undefined;
  if (!isProgressToken(progressToken)) return finding('progress.token_type', at);
  return state.sender(sender).progress.isInUse(progressToken)
    ? finding('progress.token_in_use', at, { peer: sender })
    : undefined;
}
