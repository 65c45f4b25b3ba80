/**
 * One MCP conversation, replayed message by message. A message that breaks a rule changes nothing in a fixture, so a
 * malformed result leaves its request answerable. What is asked of each kind of message is in the judge-… files.
 */

import { type Envelope, readEnvelope } from './envelope.js';
import { type Finding, finding } from './finding.js';
import { checkContextPlace } from './gates.js';
import { judgeNotification } from './judge-notification.js';
import { judgeRequest } from './judge-request.js';
import { judgeError, judgeResult } from './judge-response.js';
import { NO_NUMBER_SOURCES } from './number-sources.js';
import type { Policy } from './policy.js';
import { type Mode, SessionState, type WireStep } from './session-state.js';

export class Session {
  /** What the session knows; a fixture puts its tool in, tests look at it. */
  readonly state: SessionState;

  constructor(mode: Mode, policy: Policy | undefined) {
    this.state = new SessionState(mode, policy);
  }

  /** Judges one message: the first rule that it breaks, or undefined. Never throws. */
  judge(step: WireStep): Finding | undefined {
    const { state } = this;
    state.numbers = step.numbers ?? NO_NUMBER_SOURCES;
    const read = readEnvelope(step.message, state.numbers);
    if (!read.ok) return read.found;
    const { envelope } = read;
    const misplaced = checkContextPlace(envelope, step.context);
    if (misplaced !== undefined && state.mode === 'fixture') return misplaced;
    // A recorded message was sent all the same, so what follows is judged with it.
    return judgeEnvelope(envelope, step, state) ?? misplaced;
  }

  /** Activates another revision of the policy: subscriptions end first, older snapshots fail from now on. */
  activateRevision(revision: string): Finding | undefined {
    const { policy, activeRevision } = this.state;
    if (policy?.revisions.has(revision) !== true) {
      return finding('authorization.unknown_revision', '/control_event/revision');
    }
    if (revision === activeRevision) return undefined;
    this.state.subscriptions.clear();
    this.state.activeRevision = revision;
    return undefined;
  }
}

function judgeEnvelope(envelope: Envelope, step: WireStep, state: SessionState): Finding | undefined {
  if (envelope.kind === 'request') return judgeRequest(envelope, step, state);
  if (envelope.kind === 'notification') return judgeNotification(envelope, step, state);
  return envelope.kind === 'result'
    ? judgeResult(envelope, step.sender, state)
    : judgeError(envelope, step.sender, state);
}
