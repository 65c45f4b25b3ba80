/**
 * Reads a fixture (schema_version 3): one strict JSON object with exactly the keys of the format, and nothing
 * unknown. What its cases mean is fixture-run.ts's; this file says in one sentence why a fixture cannot be used.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { checkCapabilities, type Peer } from './capabilities.js';
import type { Finding } from './finding.js';
import { checkInfo } from './handshake.js';
import { LIMITS, PROTOCOL_VERSION } from './limits.js';
import { NO_NUMBER_SOURCES, numberSourcesBelow, readNumberSources } from './number-sources.js';
import { type Policy, readPolicy } from './policy.js';
import { renderFinding } from './render-finding.js';
import { shownName } from './secrecy.js';
import { isObject } from './shape.js';
import { jsonProblem, parseBytes } from './strict-text.js';
import type { KnownTool } from './tool-table.js';
import { readTool, strictly } from './tools.js';

export type Setup = 'ready' | 'none' | 'initialize_request_only';

export type FixtureStep =
  | {
      readonly kind: 'wire';
      readonly sender: Peer;
      readonly message: JsonValue;
      readonly context: JsonValue | undefined;
    }
  | { readonly kind: 'control'; readonly revision: string };

export interface FixtureCase {
  readonly name: string;
  readonly expect: 'pass' | 'fail';
  /** The id of the rule that must fire; any when undefined. */
  readonly error: string | undefined;
  readonly errorContains: string | undefined;
  readonly setup: Setup;
  readonly clientCapabilities: JsonValue;
  readonly serverCapabilities: JsonValue;
  readonly steps: readonly FixtureStep[];
}

export interface Fixture {
  readonly policy: Policy;
  readonly clientInfo: JsonValue;
  readonly serverInfo: JsonValue;
  readonly tool: KnownTool;
  readonly cases: readonly FixtureCase[];
  /** Source text of unusual numbers, by pointer from the root of the fixture. */
  readonly numbers: ReadonlyMap<string, string> | undefined;
}

export type FixtureResult =
  { readonly ok: true; readonly fixture: Fixture } | { readonly ok: false; readonly problem: string };

const KEYS = [
  'schema_version',
  'protocol_version',
  'transport_context_defaults',
  'authorization',
  'client',
  'server',
  'tool',
  'cases',
] as const;

/** Thrown only inside this file, and caught by {@link readFixture}. */
class FixtureProblem extends Error {}

/** @param bytes the whole file, at most LIMITS.textBytes */
export function readFixture(bytes: Uint8Array): FixtureResult {
  if (bytes.length > LIMITS.textBytes) return { ok: false, problem: `it exceeds ${LIMITS.textBytes} bytes` };
  const parsed = parseBytes(bytes);
  if (!parsed.ok) return { ok: false, problem: jsonProblem(parsed, bytes) };
  try {
    const numbers = readNumberSources(new TextDecoder().decode(bytes));
    return { ok: true, fixture: fixtureOf(parsed.value, numbers) };
  } catch (error) {
    if (error instanceof FixtureProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

function fixtureOf(value: JsonValue, numbers: Fixture['numbers']): Fixture {
  const root = record(value, 'the fixture', KEYS);
  if (root.schema_version !== 3) throw new FixtureProblem('schema_version must be 3');
  if (root.protocol_version !== PROTOCOL_VERSION) {
    throw new FixtureProblem(`protocol_version must be "${PROTOCOL_VERSION}"`);
  }
  const read = readPolicy(root.authorization as JsonValue, root.transport_context_defaults);
  if (!read.ok) throw new FixtureProblem(read.problem);
  const client = peerOf(root.client, 'client');
  const server = peerOf(root.server, 'server');
  const sources = numbers === undefined ? NO_NUMBER_SOURCES : numberSourcesBelow(numbers, '');
  const tool = readTool(root.tool as JsonValue, '/tool', sources, strictly);
  if (!tool.ok) throw problemOf(tool.found);
  const { cases } = root;
  if (!Array.isArray(cases) || cases.length === 0)
    throw new FixtureProblem('/cases must be a non-empty array');
  const names = new Set<string>();
  return {
    policy: read.policy,
    clientInfo: client.info as JsonValue,
    serverInfo: server.info as JsonValue,
    tool: tool.tool,
    cases: cases.map((item, index) => {
      const one = caseOf(item, `/cases/${index}`, client, server);
      if (names.has(one.name)) throw new FixtureProblem(`/cases/${index}/name is used by another case`);
      names.add(one.name);
      return one;
    }),
    numbers,
  };
}

function peerOf(value: JsonValue | undefined, peer: Peer): JsonObject {
  const holder = record(value, `/${peer}`, ['info', 'capabilities']);
  const found =
    checkInfo(holder.info, `${peer} info`, `/${peer}/info`) ??
    checkCapabilities(holder.capabilities, peer, `/${peer}/capabilities`);
  if (found !== undefined) throw problemOf(found);
  return holder;
}

function caseOf(value: JsonValue, at: string, client: JsonObject, server: JsonObject): FixtureCase {
  const item = record(
    value,
    at,
    ['name', 'expect', 'steps'],
    ['error', 'error_contains', 'setup', 'client_capabilities', 'server_capabilities'],
  );
  const { name, expect, steps, setup = 'ready' } = item;
  if (typeof name !== 'string' || name === '')
    throw new FixtureProblem(`${at}/name must be a non-empty string`);
  if (expect !== 'pass' && expect !== 'fail')
    throw new FixtureProblem(`${at}/expect must be "pass" or "fail"`);
  if (setup !== 'ready' && setup !== 'none' && setup !== 'initialize_request_only') {
    throw new FixtureProblem(`${at}/setup must be "ready", "none" or "initialize_request_only"`);
  }
  if (!Array.isArray(steps)) throw new FixtureProblem(`${at}/steps must be an array`);
  for (const member of ['error', 'error_contains'] as const) {
    const text = item[member];
    if (text === undefined) continue;
    if (expect === 'pass')
      throw new FixtureProblem(`${at}/${member} is only for a case that is expected to fail`);
    if (typeof text !== 'string' || text === '') {
      throw new FixtureProblem(`${at}/${member} must be a non-empty string`);
    }
  }
  return {
    name,
    expect,
    setup,
    error: item.error as string | undefined,
    errorContains: item.error_contains as string | undefined,
    clientCapabilities: (item.client_capabilities ?? client.capabilities) as JsonValue,
    serverCapabilities: (item.server_capabilities ?? server.capabilities) as JsonValue,
    steps: steps.map((step, index) => stepOf(step, `${at}/steps/${index}`)),
  };
}

function stepOf(value: JsonValue, at: string): FixtureStep {
  if (isObject(value) && Object.hasOwn(value, 'control_event')) {
    record(value, at, ['control_event']);
    const event = record(value.control_event, `${at}/control_event`, ['type', 'revision']);
    if (event.type !== 'activate_authorization_revision') {
      throw new FixtureProblem(`${at}/control_event/type must be "activate_authorization_revision"`);
    }
    if (typeof event.revision !== 'string') {
      throw new FixtureProblem(`${at}/control_event/revision must be a string`);
    }
    return { kind: 'control', revision: event.revision };
  }
  const step = record(value, at, ['direction', 'message'], ['transport_context']);
  const sender = senderOf(step.direction);
  if (sender === undefined) {
    throw new FixtureProblem(`${at}/direction must be "client_to_server" or "server_to_client"`);
  }
  return { kind: 'wire', sender, message: step.message as JsonValue, context: step.transport_context };
}

/** Who sends in a direction. */
export function senderOf(direction: JsonValue | undefined): Peer | undefined {
  if (direction === 'client_to_server') return 'client';
  return direction === 'server_to_client' ? 'server' : undefined;
}

function record(
  value: JsonValue | undefined,
  at: string,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (!isObject(value)) throw new FixtureProblem(`${at} must be an object`);
  for (const member in value) {
    if (!required.includes(member) && !optional.includes(member)) {
      throw new FixtureProblem(`${at} has unknown keys: ${shownName(member)}`);
    }
  }
  for (const member of required) {
    if (!Object.hasOwn(value, member)) throw new FixtureProblem(`${at} lacks the key ${member}`);
  }
  return value;
}

function problemOf(found: Finding): FixtureProblem {
  return new FixtureProblem(`${found.pointer}: ${renderFinding(found)} (${found.rule})`);
}
