/** The notification table: who may send which, what must be declared by whom, and how its params are judged. */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import type { Snapshot } from './authorization.js';
import { type Peer, otherPeer } from './capabilities.js';
import { emptyParams } from './descriptors.js';
import { judgeElicitationComplete } from './elicitation.js';
import { type Check, type Finding, finding } from './finding.js';
import type { RequestId } from './id-history.js';
import { LIMITS } from './limits.js';
import type { Scope } from './policy.js';
import { judgeUpdate, uriParams } from './resources.js';
import type { SessionState } from './session-state.js';
import { aNumber, anything, aString, meta, shape } from './shape.js';
import { judgeStatus, taskStatusParams, updateStatus } from './tasks.js';

export interface JudgedNotification {
  readonly sender: Peer;
  readonly params: JsonObject;
  readonly snapshot: Snapshot | undefined;
}

export interface NotificationRule {
  readonly sender: Peer | 'both';
  /** The capability, and whose it is seen from the sender. */
  readonly capability?: readonly [whose: 'sender' | 'receiver', capability: string];
  readonly params: Check;
  readonly needsParams?: boolean;
  readonly scope?: Scope;
  /** Judges against the session, and changes it when it finds nothing. */
  readonly judge?: (notification: JudgedNotification, state: SessionState) => Finding | undefined;
}

/** Whether a value may be a progress token (basic/utilities/progress#progress-flow). */
export function isProgressToken(value: JsonValue | undefined): value is RequestId {
  return typeof value === 'string' ? value.length <= LIMITS.idLength : Number.isSafeInteger(value);
}

const progressToken: Check = (value, at) =>
  isProgressToken(value as JsonValue) ? undefined : finding('progress.token_type', at);

const requestId: Check = (value, at) =>
  typeof value === 'string' || Number.isSafeInteger(value)
    ? undefined
    : finding('shape.type', at, { expected: 'a string or integer' });

const LEVELS: ReadonlySet<unknown> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

function listChanged(sender: Peer, capability: string): NotificationRule {
  return { sender, capability: ['sender', capability], params: emptyParams };
}

function judgeProgress({ sender, params }: JudgedNotification, state: SessionState): Finding | undefined {
  const peer = otherPeer(sender);
  const step = state
    .sender(peer)
    .progress.advance(params.progressToken as RequestId, params.progress as number);
  if (step === 'unknown') return finding('progress.token_unknown', '/params/progressToken', { peer });
  return step === 'good' ? undefined : finding('progress.not_rising', '/params/progress');
}

function judgeCancelled({ sender, params }: JudgedNotification, state: SessionState): Finding | undefined {
  const id = params.requestId as RequestId;
  const own = state.sender(sender);
  const pending = own.pending.get(id);
  if (pending === undefined) {
    // The answer may have crossed the cancellation on the wire (section "Timing Considerations").
    const mayBeAnswered = own.history.has(id) || own.history.isIncomplete;
    return mayBeAnswered
      ? undefined
      : finding('cancelled.unknown_request', '/params/requestId', { peer: sender });
  }
  if (pending.method === 'initialize') return finding('cancelled.initialize', '/params/requestId');
  if (pending.isTask) return finding('cancelled.task_request', '/params/requestId');
  pending.isSpent = true;
  return undefined;
}

/** By name. `notifications/initialized` is not here: session.ts judges the handshake itself. */
export const NOTIFICATIONS: ReadonlyMap<string, NotificationRule> = new Map<string, NotificationRule>([
  [
    'notifications/progress',
    {
      sender: 'both',
      params: shape(
        'params',
        { progressToken, progress: aNumber },
        { total: aNumber, message: aString, _meta: meta },
      ),
      needsParams: true,
      judge: judgeProgress,
    },
  ],
  [
    'notifications/cancelled',
    {
      sender: 'both',
      params: shape('params', { requestId }, { reason: aString, _meta: meta }),
      needsParams: true,
      judge: judgeCancelled,
    },
  ],
  [
    'notifications/message',
    {
      sender: 'server',
      capability: ['sender', 'logging'],
      params: shape(
        'params',
        {
          level: (value, at) => (LEVELS.has(value) ? undefined : finding('logging.level', at)),
          data: anything,
        },
        { logger: aString, _meta: meta },
      ),
      needsParams: true,
    },
  ],
  [
    'notifications/tasks/status',
    {
      sender: 'both',
      capability: ['sender', 'tasks'],
      params: taskStatusParams,
      needsParams: true,
      judge: ({ params }, state) => {
        const found = judgeStatus(params, '/params', state);
        if (found === undefined) updateStatus(params, state);
        return found;
      },
    },
  ],
  [
    'notifications/elicitation/complete',
    {
      sender: 'server',
      capability: ['receiver', 'elicitation.url'],
      params: anything,
      needsParams: true,
      judge: ({ params }, state) => {
        const found = judgeElicitationComplete(params, state);
        if (found === undefined) state.elicitations.delete(params.elicitationId as string);
        return found;
      },
    },
  ],
  [
    'notifications/resources/updated',
    {
      sender: 'server',
      capability: ['sender', 'resources.subscribe'],
      params: uriParams,
      needsParams: true,
      scope: 'resources:subscribe',
      judge: ({ params, snapshot }, state) => judgeUpdate(params.uri as string, snapshot, state),
    },
  ],
  ['notifications/resources/list_changed', listChanged('server', 'resources.listChanged')],
  [
    'notifications/tools/list_changed',
    {
      ...listChanged('server', 'tools.listChanged'),
      judge: (_notification, state) => {
        // The next listing tells what there is; until then an unknown name proves nothing.
        if (state.mode === 'transcript') state.tools.isComplete = false;
        return undefined;
      },
    },
  ],
  ['notifications/prompts/list_changed', listChanged('server', 'prompts.listChanged')],
  ['notifications/roots/list_changed', listChanged('client', 'roots.listChanged')],
]);
