/**
 * Judges a response. A result is judged against its pending method first and consumes it only when it passes; an
 * error consumes it and creates no success state.
 */

import type { JsonObject } from '../protocol/strict-json.js';
import { checkSnapshot } from './authorization.js';
import { otherPeer, type Peer } from './capabilities.js';
import { judgeRequiredError, rememberRequired } from './elicitation.js';
import type { Envelope } from './envelope.js';
import { type Finding, finding } from './finding.js';
import { answerHandshake, judgeInitializeResult } from './handshake.js';
import { METHODS } from './methods.js';
import type { PendingRequest, SessionState } from './session-state.js';
import { isObject } from './shape.js';
import { createTask, judgeCreateTask } from './tasks.js';

export type ResultResponse = Extract<Envelope, { kind: 'result' }>;
export type ErrorResponse = Extract<Envelope, { kind: 'error' }>;

const URL_ELICITATION_REQUIRED = -32042;

export function judgeResult(
  response: ResultResponse,
  sender: Peer,
  state: SessionState,
): Finding | undefined {
  const { id, result } = response;
  const peer = otherPeer(sender);
  const own = state.sender(peer);
  const pending = own.pending.get(id);
  if (pending === undefined) return finding('correlation.no_matching_request', '/id', { peer });
  const found = pending.isJudged ? checkResult(result, pending, state) : undefined;
  if (found !== undefined) {
    // Still answerable; but a recorded conversation has had its answer, so it may go when room is needed.
    pending.isSpent = state.mode === 'transcript';
    return found;
  }
  own.pending.delete(id);
  if (pending.isTask) {
    createTask(result, pending, own.progress, state);
    return undefined;
  }
  own.progress.end(pending.progressToken);
  if (!pending.isJudged) return undefined;
  if (pending.method === 'initialize') answerHandshake(result, state);
  else METHODS.get(pending.method)?.succeed?.(result, pending, state);
  return undefined;
}

function checkResult(result: JsonObject, pending: PendingRequest, state: SessionState): Finding | undefined {
  if (pending.method === 'initialize') return judgeInitializeResult(result);
  const rule = METHODS.get(pending.method);
  if (state.policy !== undefined && pending.snapshot !== undefined && rule?.scope !== undefined) {
    // What was authorized when it was asked may no longer be when the answer arrives.
    const found = checkSnapshot(state.policy, state.activeRevision, pending.snapshot, rule.scope);
    if (found !== undefined) return found;
  }
  if (pending.isTask) return judgeCreateTask(result, state);
  if (isObject(result.task) && rule?.taskCapability !== undefined) {
    return finding('tasks.create_result_unexpected', '/result/task');
  }
  return rule?.judgeResult?.(result, pending, state);
}

export function judgeError(response: ErrorResponse, sender: Peer, state: SessionState): Finding | undefined {
  const { id, error } = response;
  const peer = otherPeer(sender);
  const own = state.sender(peer);
  const pending = own.pending.get(id);
  if (pending === undefined) return finding('correlation.no_matching_request', '/id', { peer });
  if (error.code === URL_ELICITATION_REQUIRED && sender === 'server') {
    const found = judgeRequiredError(error);
    if (found !== undefined) return found;
    rememberRequired(error, state);
  }
  own.pending.delete(id);
  own.progress.end(pending.progressToken);
  if (!pending.isJudged) return undefined;
  if (pending.method === 'initialize') state.lifecycle = 'new';
  else METHODS.get(pending.method)?.fail?.(pending, state);
  return undefined;
}
