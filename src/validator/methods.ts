/**
 * The method table: every request of revision 2025-11-25, who may send it, what the receiver must have declared,
 * and how its params and result are judged. session.ts walks a request through it; a Map, since names come from
 * the wire.
 */

import type { JsonObject } from '../protocol/strict-json.js';
import type { Peer } from './capabilities.js';
import { emptyParams, emptyResult, listParams } from './descriptors.js';
import {
  elicitationMode,
  elicitationParams,
  judgeElicitation,
  judgeElicitationResult,
} from './elicitation.js';
import type { Check, Finding } from './finding.js';
import type { Scope } from './policy.js';
import {
  beginSubscription,
  checkResourceAccess,
  endSubscription,
  judgeRead,
  judgeResourceList,
  judgeSubscriptionRequest,
  judgeTemplateList,
  uriParams,
} from './resources.js';
import {
  judgeRoots,
  judgeSampling,
  judgeSamplingResult,
  samplingCapability,
  samplingParams,
} from './sampling.js';
import type { JudgedRequest, PendingRequest, SessionState } from './session-state.js';
import { judgeTaskList } from './tasks.js';
import { callParams, judgeCall, judgeCallResult, judgeToolList, learnTools } from './tools.js';

export interface MethodRule {
  readonly sender: Peer | 'both';
  /** What the receiver must have declared. */
  readonly capability?: string;
  /** What else it must have declared for these params. */
  readonly paramCapability?: (params: JsonObject) => string | undefined;
  /** Of a method that this profile does not judge, only direction and capability are looked at. */
  readonly isImplemented: boolean;
  readonly params?: Check;
  readonly needsParams?: boolean;
  /** The capability that task augmentation needs; without one the method cannot be augmented. */
  readonly taskCapability?: string;
  readonly scope?: Scope;
  readonly subject?: (params: JsonObject) => string;
  readonly judge?: (request: JudgedRequest, state: SessionState) => Finding | undefined;
  readonly judgeResult?: (
    result: JsonObject,
    pending: PendingRequest,
    state: SessionState,
  ) => Finding | undefined;
  readonly begin?: (pending: PendingRequest, state: SessionState) => void;
  readonly succeed?: (result: JsonObject, pending: PendingRequest, state: SessionState) => void;
  readonly fail?: (pending: PendingRequest, state: SessionState) => void;
}

const judgeEmpty = (result: JsonObject): Finding | undefined => emptyResult(result, '/result');
const uriOf = (params: JsonObject): string => params.uri as string;

function notImplemented(sender: Peer | 'both', capability: string): MethodRule {
  return { sender, capability, isImplemented: false };
}

function subscriptionMethod(kind: 'subscribe' | 'unsubscribe'): MethodRule {
  return {
    sender: 'client',
    capability: 'resources.subscribe',
    isImplemented: true,
    params: uriParams,
    needsParams: true,
    scope: 'resources:subscribe',
    subject: uriOf,
    judge: ({ params, snapshot }, state) =>
      checkResourceAccess(uriOf(params), snapshot, state) ??
      judgeSubscriptionRequest(kind, uriOf(params), snapshot, state),
    judgeResult: judgeEmpty,
    begin: (pending, state) => beginSubscription(kind, pending, state),
    succeed: (_result, pending, state) => endSubscription(kind, pending, state, true),
    fail: (pending, state) => endSubscription(kind, pending, state, false),
  };
}

/** By method name. `initialize` is not here: session.ts judges the handshake itself. */
export const METHODS: ReadonlyMap<string, MethodRule> = new Map<string, MethodRule>([
  ['ping', { sender: 'both', isImplemented: true, params: emptyParams, judgeResult: judgeEmpty }],
  [
    'resources/list',
    {
      sender: 'client',
      capability: 'resources',
      isImplemented: true,
      params: listParams,
      scope: 'resources:list',
      judgeResult: judgeResourceList,
    },
  ],
  [
    'resources/templates/list',
    {
      sender: 'client',
      capability: 'resources',
      isImplemented: true,
      params: listParams,
      scope: 'resources:list',
      judgeResult: judgeTemplateList,
    },
  ],
  [
    'resources/read',
    {
      sender: 'client',
      capability: 'resources',
      isImplemented: true,
      params: uriParams,
      needsParams: true,
      scope: 'resources:read',
      subject: uriOf,
      judge: ({ params, snapshot }, state) => checkResourceAccess(uriOf(params), snapshot, state),
      judgeResult: judgeRead,
    },
  ],
  ['resources/subscribe', subscriptionMethod('subscribe')],
  ['resources/unsubscribe', subscriptionMethod('unsubscribe')],
  [
    'tools/list',
    {
      sender: 'client',
      capability: 'tools',
      isImplemented: true,
      params: listParams,
      // Only whether there was a cursor matters later, never which.
      subject: (params) => (params.cursor === undefined ? 'first' : 'next'),
      judgeResult: (result, _pending, state) => judgeToolList(result, state),
      succeed: (result, pending, state) => learnTools(result, pending.subject === 'first', state),
    },
  ],
  [
    'tools/call',
    {
      sender: 'client',
      capability: 'tools',
      isImplemented: true,
      params: callParams,
      needsParams: true,
      taskCapability: 'tasks.requests.tools.call',
      subject: (params) => params.name as string,
      judge: judgeCall,
      judgeResult: judgeCallResult,
    },
  ],
  [
    'roots/list',
    {
      sender: 'server',
      capability: 'roots',
      isImplemented: true,
      params: emptyParams,
      judgeResult: (result) => judgeRoots(result),
    },
  ],
  [
    'sampling/createMessage',
    {
      sender: 'server',
      capability: 'sampling',
      paramCapability: samplingCapability,
      isImplemented: true,
      params: samplingParams,
      needsParams: true,
      taskCapability: 'tasks.requests.sampling.createMessage',
      judge: judgeSampling,
      judgeResult: (result, _pending, state) => judgeSamplingResult(result, state),
    },
  ],
  [
    'elicitation/create',
    {
      sender: 'server',
      capability: 'elicitation',
      paramCapability: (params) => `elicitation.${elicitationMode(params) ?? 'form'}`,
      isImplemented: true,
      params: elicitationParams,
      needsParams: true,
      taskCapability: 'tasks.requests.elicitation.create',
      judge: ({ params }, state) => judgeElicitation(params, state),
      judgeResult: judgeElicitationResult,
    },
  ],
  [
    'tasks/list',
    {
      sender: 'both',
      capability: 'tasks.list',
      isImplemented: true,
      params: listParams,
      judgeResult: (result, _pending, state) => judgeTaskList(result, state),
    },
  ],
  ['tasks/get', notImplemented('both', 'tasks')],
  ['tasks/result', notImplemented('both', 'tasks')],
  ['tasks/cancel', notImplemented('both', 'tasks.cancel')],
  ['prompts/list', notImplemented('client', 'prompts')],
  ['prompts/get', notImplemented('client', 'prompts')],
  ['logging/setLevel', notImplemented('client', 'logging')],
  ['completion/complete', notImplemented('client', 'completions')],
]);
