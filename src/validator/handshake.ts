/**
 * The handshake: new → waiting_for_initialize_response → waiting_for_initialized_notification → ready
 * (basic/lifecycle#initialization). Shapes are judged here; who may send what in which state is `lifecycleGate`.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { checkCapabilities, declaredCapabilities, type Peer } from './capabilities.js';
import { namedThing } from './descriptors.js';
import { type Finding, finding } from './finding.js';
import { LIMITS, PROTOCOL_VERSION } from './limits.js';
import { shownName } from './secrecy.js';
import type { SessionState } from './session-state.js';
import { aString, meta, name, shape } from './shape.js';
import { isAbsoluteUri } from './uri.js';

const infoShape = shape(
  'implementation info',
  { ...namedThing.required, version: name(LIMITS.nameLength) },
  {
    title: aString,
    icons: namedThing.optional.icons,
    description: aString,
    websiteUrl: (value, at) =>
      typeof value === 'string' && isAbsoluteUri(value)
        ? undefined
        : finding('shape.type', at, { expected: 'an absolute URI' }),
  },
);

const anyMember = (): undefined => undefined;
const requestShape = shape(
  'initialize params',
  { protocolVersion: anyMember, capabilities: anyMember, clientInfo: anyMember },
  { _meta: meta },
);
const resultShape = shape(
  'initialize result',
  { protocolVersion: anyMember, capabilities: anyMember, serverInfo: anyMember },
  { instructions: aString, _meta: meta },
);

/** clientInfo or serverInfo (schema#Implementation). */
export function checkInfo(value: JsonValue | undefined, what: string, at: string): Finding | undefined {
  const found = infoShape(value, at);
  return found === undefined ? undefined : finding('lifecycle.info_shape', found.pointer, { what });
}

function checkVersion(value: JsonValue | undefined, at: string): Finding | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LIMITS.versionLength
    ? undefined
    : finding('lifecycle.protocol_version_shape', at, { limit: LIMITS.versionLength });
}

/** Params of the initialize request. */
export function judgeInitialize(params: JsonObject | undefined, state: SessionState): Finding | undefined {
  const found =
    requestShape(params ?? {}, '/params') ??
    checkVersion(params?.protocolVersion, '/params/protocolVersion') ??
    checkCapabilities(params?.capabilities, 'client', '/params/capabilities') ??
    checkInfo(params?.clientInfo, 'clientInfo', '/params/clientInfo');
  if (found !== undefined || params?.protocolVersion === PROTOCOL_VERSION) return found;
  const supported = PROTOCOL_VERSION;
  return state.unlessNoted(
    finding('lifecycle.protocol_version_proposed', '/params/protocolVersion', { supported }),
  );
}

/** The initialize request is good: the client's capabilities hold from now on. */
export function beginHandshake(params: JsonObject, state: SessionState): void {
  state.client.declared = declaredCapabilities(params.capabilities as JsonObject, 'client');
  state.lifecycle = 'waiting_for_initialize_response';
}

/** The result of initialize. */
export function judgeInitializeResult(result: JsonObject): Finding | undefined {
  const found =
    resultShape(result, '/result') ??
    checkVersion(result.protocolVersion, '/result/protocolVersion') ??
    checkCapabilities(result.capabilities, 'server', '/result/capabilities') ??
    checkInfo(result.serverInfo, 'serverInfo', '/result/serverInfo');
  if (found !== undefined || result.protocolVersion === PROTOCOL_VERSION) return found;
  return finding('lifecycle.protocol_version', '/result/protocolVersion', { supported: PROTOCOL_VERSION });
}

export function answerHandshake(result: JsonObject, state: SessionState): void {
  state.server.declared = declaredCapabilities(result.capabilities as JsonObject, 'server');
  state.lifecycle = 'waiting_for_initialized_notification';
}

/** The notification notifications/initialized. */
export function judgeInitialized(sender: Peer, state: SessionState): Finding | undefined {
  if (sender === 'server') return finding('lifecycle.initialized_direction', '/method');
  if (state.lifecycle === 'waiting_for_initialized_notification') return undefined;
  return finding('lifecycle.initialized_order', '/method', { state: state.lifecycle });
}

/**
 * Whether a message other than the handshake's own may be sent in this state. Both sides may ping while the
 * handshake runs, and the server may log.
 */
export function lifecycleGate(method: string, sender: Peer, state: SessionState): Finding | undefined {
  switch (state.lifecycle) {
    case 'ready':
      return undefined;
    case 'new':
      return finding('lifecycle.initialize_first', '/method', { method: shownName(method) });
    default: {
      const isAllowed =
        method === 'ping' ||
        method === 'notifications/progress' ||
        method === 'notifications/cancelled' ||
        (method === 'notifications/message' && sender === 'server');
      if (isAllowed) return undefined;
      return finding('lifecycle.not_ready', '/method', { state: state.lifecycle, method: shownName(method) });
    }
  }
}

/** Capabilities as declared, when a session starts in the middle: nothing is known, so nothing is refused. */
export function assumeReady(state: SessionState): void {
  state.lifecycle = 'ready';
}
