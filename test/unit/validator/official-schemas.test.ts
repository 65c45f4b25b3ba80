/**
 * The profile is never looser than the specification: every message of a passing conversation also parses with the
 * schemas of the official SDK (a dev dependency), in the shipped fixture and in the neighbours of all rules.
 */

import { describe, expect, it } from '@jest/globals';
import {
  CallToolResultSchema,
  CancelledNotificationSchema,
  ClientNotificationSchema,
  ClientRequestSchema,
  CreateMessageResultSchema,
  CreateTaskResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  InitializeResultSchema,
  JSONRPCMessageSchema,
  LATEST_PROTOCOL_VERSION,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListRootsResultSchema,
  ListTasksResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { readFileSync } from 'node:fs';
import { RULE_IDS } from '../../../src/validator/catalogue.js';
import { VECTORS } from '../../support/validator-vectors.js';
import { handshake, type Json, type Step } from '../../support/validator-world.js';

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: unknown };
}

const RESULTS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['initialize', InitializeResultSchema],
  ['ping', EmptyResultSchema],
  ['resources/list', ListResourcesResultSchema],
  ['resources/templates/list', ListResourceTemplatesResultSchema],
  ['resources/read', ReadResourceResultSchema],
  ['resources/subscribe', EmptyResultSchema],
  ['resources/unsubscribe', EmptyResultSchema],
  ['tools/list', ListToolsResultSchema],
  ['tools/call', CallToolResultSchema],
  ['roots/list', ListRootsResultSchema],
  ['sampling/createMessage', CreateMessageResultSchema],
  ['elicitation/create', ElicitResultSchema],
  ['tasks/list', ListTasksResultSchema],
]);

/** Which messages of a conversation the official schemas refuse, as `method: reason`. */
function refused(steps: readonly Step[]): string[] {
  const asked = new Map<string, { method: string; isTask: boolean }>();
  const problems: string[] = [];
  const parse = (name: string, schema: Schema, value: unknown): void => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) problems.push(`${name}: ${String(parsed.error)}`);
  };
  for (const { direction, message } of steps) {
    const { id, method, params, result } = message as Json;
    const isFromClient = direction === 'client_to_server';
    const key = (from: boolean): string => JSON.stringify([from, id]);
    parse('envelope', JSONRPCMessageSchema, message);
    if (typeof method === 'string' && id !== undefined) {
      parse(method, isFromClient ? ClientRequestSchema : ServerRequestSchema, message);
      asked.set(key(isFromClient), { method, isTask: (params as Json | undefined)?.task !== undefined });
    } else if (typeof method === 'string') {
      const schema = isFromClient ? ClientNotificationSchema : ServerNotificationSchema;
      parse(method, method === 'notifications/cancelled' ? CancelledNotificationSchema : schema, message);
    } else if (result !== undefined) {
      const request = asked.get(key(!isFromClient)) ?? { method: '', isTask: false };
      const schema = request.isTask ? CreateTaskResultSchema : RESULTS.get(request.method);
      if (schema === undefined) problems.push(`no schema for a result of ${request.method}`);
      else parse(`result of ${request.method}`, schema, result);
    }
  }
  return problems;
}

it('speaks of the same revision', () => {
  expect(LATEST_PROTOCOL_VERSION).toBe('2025-11-25');
});

describe('passing cases of the shipped fixture', () => {
  const fixture = JSON.parse(
    readFileSync(new URL('../../cases/mcp-cases.json', import.meta.url), 'utf8'),
  ) as {
    client: Json;
    server: Json;
    cases: { name: string; expect: string; setup?: string; steps: Step[] }[];
  };
  const passing = fixture.cases.filter(({ expect: wanted }) => wanted === 'pass');

  it.each(passing.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const opening = handshake({
      steps: [],
      setup: (one.setup ?? 'ready') as 'ready' | 'none' | 'initialize_request_only',
      client: fixture.client.capabilities as Json,
      server: fixture.server.capabilities as Json,
    });
    expect(refused([...opening, ...one.steps.filter((step) => step.message !== undefined)])).toEqual([]);
  });
});

describe('passing neighbours of the rules', () => {
  const scripts = RULE_IDS.flatMap((id) => {
    const { pass } = VECTORS[id];
    return 'lines' in pass ? [] : [[id, pass] as const];
  });

  it.each(scripts)('%s', (_id, script) => {
    const steps = script.steps.filter((step): step is Step => 'message' in step);
    expect(refused([...handshake(script), ...steps])).toEqual([]);
  });
});
