/** Vectors for texts, envelopes, correlation, the handshake, capabilities, directions and notifications. */

import type { RuleId } from '../../src/validator/catalogue.js';
import { lines, steps, type Vector } from './validator-vector.js';
import { c, CLIENT_INFO, type Json, raw, s, SERVER_INFO } from './validator-world.js';

const ping = (id: unknown): Json => ({ id, method: 'ping' });
const progress = (token: unknown, value: unknown): Json => ({
  method: 'notifications/progress',
  params: { progressToken: token, progress: value },
});
const listWithToken = (id: number, progressToken: unknown): Json => ({
  id,
  method: 'tools/list',
  params: { _meta: { progressToken } },
});
const initialize = (changes: Json = {}): Json => ({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO, ...changes },
});
const initialized = { method: 'notifications/initialized' };
const answer = (changes: Json = {}): Json => ({
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: SERVER_INFO, ...changes },
});
const pingLine = (params: string): string =>
  `{"direction":"client_to_server","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"},"_meta":{${params}}}}}`;
const none = { setup: 'none' } as const;
const opened = { setup: 'initialize_request_only' } as const;

export const ENVELOPE_VECTORS = {
  'json.too_large': lines(
    [pingLine(`"a":"${'x'.repeat(1_999_000)}"`)],
    [pingLine(`"a":"${'x'.repeat(2_000_000)}"`)],
  ),
  'json.too_deep': lines(
    [pingLine(`"a":${'['.repeat(60)}${']'.repeat(60)}`)],
    [pingLine(`"a":${'['.repeat(61)}${']'.repeat(61)}`)],
  ),
  'json.invalid_utf8': { pass: { lines: [pingLine('"a":"\u00e9"')] }, fail: { lines: ['\ufffd(bytes)'] } },
  'json.invalid': lines([pingLine('"a":1,"b":2')], [pingLine('"a":1,"\\u0061":2')]),
  'step.shape': lines([pingLine('')], [pingLine('').replace('"direction"', '"directions"')]),
  'envelope.not_object': steps(
    [raw({ jsonrpc: '2.0', ...ping(2) })],
    [raw([{ jsonrpc: '2.0', ...ping(2) }])],
  ),
  'envelope.jsonrpc_version': steps([raw({ jsonrpc: '2.0', ...ping(2) })], [raw({ jsonrpc: 2, ...ping(2) })]),
  'envelope.unknown_member': steps([c(ping(2))], [c({ ...ping(2), meta: {} })]),
  'envelope.mixed': steps([c(ping(2))], [c({ ...ping(2), result: {} })]),
  'envelope.kind': steps([c(ping(2))], [c({ id: 2 })]),
  'envelope.result_and_error': steps(
    [c(ping(2)), s({ id: 2, result: {} })],
    [c(ping(2)), s({ id: 2, result: {}, error: { code: 1, message: 'both' } })],
  ),
  'envelope.id_missing': steps([c(ping(2)), s({ id: 2, result: {} })], [c(ping(2)), s({ result: {} })]),
  'envelope.id_type': steps([c(ping('true'))], [c(ping(true))]),
  'envelope.id_precision': steps([c(ping(Number.MAX_SAFE_INTEGER))], [c(ping(Number.MAX_SAFE_INTEGER + 1))]),
  'envelope.id_length': steps([c(ping('i'.repeat(1024)))], [c(ping('i'.repeat(1025)))]),
  'envelope.method_type': steps([c(ping(2))], [c({ id: 2, method: '' })]),
  'envelope.notification_with_id': steps(
    [s({ method: 'notifications/tools/list_changed' })],
    [s({ id: 2, method: 'notifications/tools/list_changed' })],
  ),
  'envelope.request_without_id': steps([c(ping(2))], [c({ method: 'ping' })]),
  'envelope.params_type': steps([c({ ...ping(2), params: {} })], [c({ ...ping(2), params: [] })]),
  'envelope.meta_type': steps(
    [c({ ...ping(2), params: { _meta: {} } })],
    [c({ ...ping(2), params: { _meta: null } })],
  ),
  'envelope.result_type': steps(
    [c(ping(2)), s({ id: 2, result: {} })],
    [c(ping(2)), s({ id: 2, result: null })],
  ),
  'envelope.error_shape': steps(
    [c(ping(2)), s({ id: 2, error: { code: -32603, message: 'no' } })],
    [c(ping(2)), s({ id: 2, error: { code: 1.5, message: 'no' } })],
  ),
  'correlation.duplicate_outstanding_id': steps([c(ping(2)), c(ping('2'))], [c(ping(2)), c(ping(2))]),
  'correlation.id_reused': steps(
    [c(ping(2)), s({ id: 2, result: {} }), c(ping(3))],
    [c(ping(2)), s({ id: 2, result: {} }), c(ping(2))],
  ),
  'correlation.no_matching_request': steps(
    [c(ping(2)), s({ id: 2, result: {} })],
    [c(ping(2)), s({ id: '2', result: {} })],
  ),
  'correlation.too_many_outstanding': steps(
    Array.from({ length: 1024 }, (_, i) => c(ping(i))),
    Array.from({ length: 1025 }, (_, i) => c(ping(i))),
  ),
  'shape.missing_member': steps(
    [c({ id: 2, method: 'tools/call', params: { name: 'convert_amount', arguments: { amount: 1 } } })],
    [c({ id: 2, method: 'tools/call', params: { arguments: { amount: 1 } } })],
  ),
  'shape.unknown_member': steps(
    [c({ id: 2, method: 'tools/list', params: {} })],
    [c({ id: 2, method: 'tools/list', params: { page: 2 } })],
  ),
  'shape.type': steps(
    [c(listWithToken(2, 'p')), s(progress('p', 1))],
    [c(listWithToken(2, 'p')), s(progress('p', '1'))],
  ),
  'shape.too_many': steps(
    [c(ping(2)), s({ id: 3, method: 'sampling/createMessage', params: sampling(64) })],
    [c(ping(2)), s({ id: 3, method: 'sampling/createMessage', params: sampling(65) })],
  ),
  'lifecycle.initialize_first': steps([c(initialize())], [c(ping(2))], none),
  'lifecycle.initialize_direction': steps([c(initialize())], [s(initialize())], none),
  'lifecycle.initialize_twice': steps(
    [c(initialize())],
    [c(initialize()), c({ ...initialize(), id: 2 })],
    none,
  ),
  'lifecycle.not_ready': steps([c(ping(2))], [c({ id: 2, method: 'tools/list' })], opened),
  'lifecycle.initialized_direction': steps(
    [s(answer()), c(initialized)],
    [s(answer()), s(initialized)],
    opened,
  ),
  'lifecycle.initialized_order': steps([s(answer()), c(initialized)], [c(initialized)], opened),
  'lifecycle.protocol_version_shape': steps(
    [c(initialize())],
    [c(initialize({ protocolVersion: 20251125 }))],
    none,
  ),
  'lifecycle.protocol_version_proposed': steps(
    [c(initialize())],
    [c(initialize({ protocolVersion: '2025-06-18' }))],
    none,
  ),
  'lifecycle.protocol_version': steps([s(answer())], [s(answer({ protocolVersion: '2025-06-18' }))], opened),
  'lifecycle.info_shape': steps([s(answer())], [s(answer({ serverInfo: { name: 'x' } }))], opened),
  'lifecycle.capabilities_shape': steps(
    [s(answer({ capabilities: { tools: { listChanged: true } } }))],
    [s(answer({ capabilities: { tools: { listChanged: 'yes' } } }))],
    opened,
  ),
  'capability.undeclared': {
    pass: { client: { roots: {} }, steps: [s({ id: 1, method: 'roots/list' })] },
    fail: { client: { sampling: {} }, steps: [s({ id: 1, method: 'roots/list' })] },
  },
  'method.unknown': steps([c({ id: 2, method: 'tools/list' })], [c({ id: 2, method: 'tools/lists' })]),
  'method.wrong_direction': steps([c({ id: 2, method: 'tools/list' })], [s({ id: 2, method: 'tools/list' })]),
  'method.not_implemented': steps(
    [c({ id: 2, method: 'tools/list' })],
    [c({ id: 2, method: 'prompts/list' })],
  ),
  'notification.unknown': steps(
    [s({ method: 'notifications/tools/list_changed' })],
    [s({ method: 'notifications/tools/changed' })],
  ),
  'notification.wrong_direction': steps(
    [s({ method: 'notifications/tools/list_changed' })],
    [c({ method: 'notifications/tools/list_changed' })],
  ),
  'progress.token_type': steps([c(listWithToken(2, 7))], [c(listWithToken(2, 7.5))]),
  'progress.token_in_use': steps(
    [c(listWithToken(2, 7)), c(listWithToken(3, '7'))],
    [c(listWithToken(2, 7)), c(listWithToken(3, 7))],
  ),
  'progress.token_unknown': steps(
    [c(listWithToken(2, 7)), s(progress(7, 1))],
    [c(listWithToken(2, 7)), s({ id: 2, result: { tools: [] } }), s(progress(7, 1))],
  ),
  'progress.not_rising': steps(
    [c(listWithToken(2, 7)), s(progress(7, 0)), s(progress(7, 0.5))],
    [c(listWithToken(2, 7)), s(progress(7, 0.5)), s(progress(7, 0.5))],
  ),
  'cancelled.initialize': steps([s(answer())], [c(cancel(1))], opened),
  'cancelled.unknown_request': steps([c(ping(2)), c(cancel(2))], [c(ping(2)), c(cancel('2'))]),
  'cancelled.task_request': steps(
    [c(call(2)), c(cancel(2))],
    [c({ ...call(2), params: { ...(call(2).params as Json), task: {} } }), c(cancel(2))],
  ),
  'logging.level': steps(
    [s({ method: 'notifications/message', params: { level: 'notice', data: 1 } })],
    [s({ method: 'notifications/message', params: { level: 'verbose', data: 1 } })],
  ),
} as const satisfies Partial<Record<RuleId, Vector>>;

function cancel(requestId: unknown): Json {
  return { method: 'notifications/cancelled', params: { requestId } };
}

function call(id: number): Json {
  return { id, method: 'tools/call', params: { name: 'convert_amount', arguments: { amount: 1 } } };
}

function sampling(stopSequences: number): Json {
  return {
    messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
    maxTokens: 1,
    stopSequences: Array.from({ length: stopSequences }, () => 'x'),
  };
}
