/** A small world for validator tests: a policy with two tenants, one tool, full capabilities, and a script runner. */

import type { JsonValue } from '../../src/protocol/strict-json.js';
import type { Finding } from '../../src/validator/finding.js';
import {
  NO_NUMBER_SOURCES,
  numberSourcesBelow,
  readNumberSources,
} from '../../src/validator/number-sources.js';
import { type Policy, readPolicy } from '../../src/validator/policy.js';
import { Session } from '../../src/validator/session.js';
import type { Mode } from '../../src/validator/session-state.js';
import { parseText } from '../../src/validator/strict-text.js';
import { readTool, strictly } from '../../src/validator/tools.js';

export type Json = { [key: string]: unknown };

export interface Step {
  readonly direction: 'client_to_server' | 'server_to_client';
  readonly message: unknown;
  readonly context?: unknown;
  /** The text the message was read from, when its number spelling matters. */
  readonly text?: string;
}

/** A step, or a change of the authorization revision. */
export type ScriptStep = Step | { readonly revision: string };

export interface Script {
  readonly setup?: 'ready' | 'none' | 'initialize_request_only';
  readonly client?: Json;
  readonly server?: Json;
  readonly tool?: Json;
  readonly mode?: Mode;
  readonly hasPolicy?: boolean;
  readonly steps: readonly ScriptStep[];
}

export const RESOURCE = 'https://door.example/mcp';
export const GUIDE = 'docs://north/guide';
export const INTRO = 'docs://north/guide/intro';
export const GUIDEBOOK = 'docs://north/guidebook';
export const PLAN = 'docs://south/plan';
export const PAGE = 'docs://north/page/{id}';

const ALL_SCOPES = ['resources:list', 'resources:read', 'resources:subscribe'];

function revision(isAdaEnabled: boolean): Json {
  return {
    principals: {
      ada: { tenant: 'north', scopes: ALL_SCOPES, enabled: isAdaEnabled },
      rex: { tenant: 'north', scopes: ['resources:list', 'resources:read'] },
      max: { tenant: 'south', scopes: ALL_SCOPES },
      ida: { tenant: 'north', scopes: ALL_SCOPES, enabled: false },
      eve: { tenant: 'north', scopes: ALL_SCOPES },
    },
    resources: [
      { uri: GUIDE, tenant: 'north', children: [INTRO] },
      { uri: INTRO, tenant: 'north' },
      { uri: GUIDEBOOK, tenant: 'north' },
      { uri: PLAN, tenant: 'south' },
    ],
    resourceTemplates: [
      { uriTemplate: PAGE, tenant: 'north' },
      { uriTemplate: 'docs://south/page/{id}', tenant: 'south' },
    ],
  };
}

export const AUTHORIZATION: Json = {
  protected_resource: RESOURCE,
  initial_revision: 'first',
  revisions: { first: revision(true), second: revision(false) },
};

export const DEFAULTS: Json = {
  transport: 'streamable_http',
  token_active: true,
  token_audience: RESOURCE,
  resource: RESOURCE,
};

export const TOOL: Json = {
  name: 'convert_amount',
  description: 'Converts an amount between units.',
  inputSchema: {
    type: 'object',
    properties: {
      amount: { type: 'number', minimum: 0, maximum: 9_007_199_254_740_992 },
      unit: { type: 'string', enum: ['metre', 'foot'] },
      label: { type: 'string', minLength: 1, maxLength: 8 },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
      count: { type: 'integer' },
      list: { type: 'array' },
    },
    required: ['amount'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { result: { type: 'number' } },
    required: ['result'],
    additionalProperties: false,
  },
  execution: { taskSupport: 'optional' },
};

export const CLIENT_CAPABILITIES: Json = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    list: {},
    cancel: {},
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
};

export const SERVER_CAPABILITIES: Json = {
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

export const CLIENT_INFO: Json = { name: 'test-client', version: '1.0.0' };
export const SERVER_INFO: Json = { name: 'test-server', version: '1.0.0' };

/** A message from the client. */
export function c(message: Json, context?: unknown): Step {
  return { direction: 'client_to_server', message: { jsonrpc: '2.0', ...message }, context };
}

/** A message from the server. */
export function s(message: Json, context?: unknown): Step {
  return { direction: 'server_to_client', message: { jsonrpc: '2.0', ...message }, context };
}

/** A message as it is, jsonrpc and all, from the client. */
export function raw(message: unknown): Step {
  return { direction: 'client_to_server', message };
}

/** A message out of its text, with the source of its numbers, from the client. */
export function written(text: string): Step {
  const parsed = parseText(text);
  if (!parsed.ok) throw new Error('a test text is not strict JSON');
  return { direction: 'client_to_server', message: parsed.value, text };
}

/** A transport_context; ada of tenant north with every scope unless said otherwise. */
export function as(changes: Json = {}): Json {
  return {
    subject: 'ada',
    tenant: 'north',
    scopes: ALL_SCOPES,
    authorization_revision: 'first',
    ...changes,
  };
}

export function testPolicy(): Policy {
  const read = readPolicy(AUTHORIZATION as JsonValue, DEFAULTS as JsonValue);
  if (!read.ok) throw new Error(read.problem);
  return read.policy;
}

/** The handshake of a script, before its steps. */
export function handshake(script: Script): Step[] {
  const id = script.setup === 'initialize_request_only' ? 1 : 'handshake';
  const { client = CLIENT_CAPABILITIES, server = SERVER_CAPABILITIES } = script;
  const opening = c({
    id,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: client, clientInfo: CLIENT_INFO },
  });
  if (script.setup === 'none') return [];
  if (script.setup === 'initialize_request_only') return [opening];
  return [
    opening,
    s({ id, result: { protocolVersion: '2025-11-25', capabilities: server, serverInfo: SERVER_INFO } }),
    c({ method: 'notifications/initialized' }),
  ];
}

/** A session with the world's policy and tool. */
export function testSession(script: Omit<Script, 'steps'> = {}): Session {
  const { mode = 'fixture', hasPolicy = true, tool = TOOL } = script;
  const session = new Session(mode, hasPolicy ? testPolicy() : undefined);
  const read = readTool(tool as JsonValue, '/tool', NO_NUMBER_SOURCES, strictly);
  if (!read.ok) throw new Error(`the test tool breaks ${read.found.rule}`);
  session.state.tools.set(read.tool);
  session.state.tools.isComplete = true;
  return session;
}

/** Feeds one step. */
export function feed(session: Session, step: ScriptStep): Finding | undefined {
  if ('revision' in step) return session.activateRevision(step.revision);
  return session.judge({
    sender: step.direction === 'client_to_server' ? 'client' : 'server',
    message: step.message as JsonValue,
    context: step.context as JsonValue | undefined,
    numbers:
      step.text === undefined ? NO_NUMBER_SOURCES : numberSourcesBelow(readNumberSources(step.text), ''),
  });
}

/** What each step of a script brings, the handshake left out. */
export function run(script: Script): (Finding | undefined)[] {
  const session = testSession(script);
  for (const step of handshake(script)) {
    const found = feed(session, step);
    if (found !== undefined) throw new Error(`the handshake of a test script breaks ${found.rule}`);
  }
  return script.steps.map((step) => feed(session, step));
}
