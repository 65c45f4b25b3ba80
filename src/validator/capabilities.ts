/**
 * Capabilities: their shapes in the handshake, and whether a side declared one. The set is open
 * (basic/lifecycle#capability-negotiation), so unknown names pass and grant nothing.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import { pointerTo, shownName } from './secrecy.js';
import { isObject, ownMember } from './shape.js';

/** Who sends or receives. */
export type Peer = 'client' | 'server';

export function otherPeer(peer: Peer): Peer {
  return peer === 'client' ? 'server' : 'client';
}

type Form = 'object' | 'boolean';

// schema#ClientCapabilities and schema#ServerCapabilities: every named place and what it holds.
const CLIENT_FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['experimental', 'object'],
  ['roots', 'object'],
  ['roots.listChanged', 'boolean'],
  ['sampling', 'object'],
  ['sampling.context', 'object'],
  ['sampling.tools', 'object'],
  ['elicitation', 'object'],
  ['elicitation.form', 'object'],
  ['elicitation.url', 'object'],
  ['tasks', 'object'],
  ['tasks.list', 'object'],
  ['tasks.cancel', 'object'],
  ['tasks.requests', 'object'],
  ['tasks.requests.sampling', 'object'],
  ['tasks.requests.sampling.createMessage', 'object'],
  ['tasks.requests.elicitation', 'object'],
  ['tasks.requests.elicitation.create', 'object'],
]);
const SERVER_FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['experimental', 'object'],
  ['logging', 'object'],
  ['completions', 'object'],
  ['prompts', 'object'],
  ['prompts.listChanged', 'boolean'],
  ['resources', 'object'],
  ['resources.subscribe', 'boolean'],
  ['resources.listChanged', 'boolean'],
  ['tools', 'object'],
  ['tools.listChanged', 'boolean'],
  ['tasks', 'object'],
  ['tasks.list', 'object'],
  ['tasks.cancel', 'object'],
  ['tasks.requests', 'object'],
  ['tasks.requests.tools', 'object'],
  ['tasks.requests.tools.call', 'object'],
]);

/** The shapes of declared capabilities. */
export function checkCapabilities(value: JsonValue | undefined, peer: Peer, at: string): Finding | undefined {
  if (!isObject(value)) {
    return finding('lifecycle.capabilities_shape', at, { capability: 'capabilities', expected: 'an object' });
  }
  return checkBelow(value, '', peer === 'client' ? CLIENT_FORMS : SERVER_FORMS, at);
}

function checkBelow(
  object: JsonObject,
  prefix: string,
  forms: ReadonlyMap<string, Form>,
  at: string,
): Finding | undefined {
  for (const key in object) {
    const capability = prefix + key;
    const form = forms.get(capability);
    const value = object[key];
    const pointer = pointerTo(at, key);
    if (form === 'boolean' && typeof value !== 'boolean') {
      return finding('lifecycle.capabilities_shape', pointer, { capability, expected: 'a boolean' });
    }
    if (form === 'object') {
      if (!isObject(value)) {
        return finding('lifecycle.capabilities_shape', pointer, { capability, expected: 'an object' });
      }
      const found =
        capability === 'experimental'
          ? checkExperimental(value, pointer)
          : checkBelow(value, `${capability}.`, forms, pointer);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function checkExperimental(value: JsonObject, at: string): Finding | undefined {
  for (const key in value) {
    if (!isObject(value[key])) {
      const capability = `experimental.${shownName(key)}`;
      return finding('lifecycle.capabilities_shape', pointerTo(at, key), {
        capability,
        expected: 'an object',
      });
    }
  }
  return undefined;
}

/** Everything a peer declared, as dotted names: objects that are there and booleans that are true. */
export function declaredCapabilities(capabilities: JsonObject, peer: Peer): ReadonlySet<string> {
  const declared = new Set<string>();
  for (const [name, form] of peer === 'client' ? CLIENT_FORMS : SERVER_FORMS) {
    let value: JsonValue | undefined = capabilities;
    for (const part of name.split('.')) value = isObject(value) ? ownMember(value, part) : undefined;
    if (form === 'boolean' ? value === true : isObject(value)) declared.add(name);
  }
  // An empty elicitation object means form mode (client/elicitation#capabilities).
  if (declared.has('elicitation') && !declared.has('elicitation.url')) declared.add('elicitation.form');
  return declared;
}
