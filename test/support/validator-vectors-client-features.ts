/** Vectors for roots, sampling, elicitation and tasks. */

import type { RuleId } from '../../src/validator/catalogue.js';
import { steps, type Vector } from './validator-vector.js';
import { c, type Json, s, type ScriptStep } from './validator-world.js';

const roots = (...uris: string[]): ScriptStep[] => [
  s({ id: 2, method: 'roots/list' }),
  c({ id: 2, result: { roots: uris.map((uri) => ({ uri })) } }),
];
const text = { type: 'text', text: 'hello' };
const message = { role: 'user', content: text };
const sampling = (params: Json = {}): ScriptStep =>
  s({ id: 2, method: 'sampling/createMessage', params: { messages: [message], maxTokens: 10, ...params } });
const sampled = (result: Json): ScriptStep[] => [
  sampling(),
  c({ id: 2, result: { role: 'assistant', content: text, model: 'm', ...result } }),
];
const form = (properties: Json, more: Json = {}): ScriptStep =>
  s({
    id: 2,
    method: 'elicitation/create',
    params: { message: 'Please', requestedSchema: { type: 'object', properties }, ...more },
  });
const language = { language: { type: 'string', enum: ['en', 'fr'] } };
const url = (params: Json = {}, id = 2): ScriptStep =>
  s({
    id,
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Go', url: 'https://example.com/go', elicitationId: 'e1', ...params },
  });
const elicited = (result: Json): ScriptStep => c({ id: 2, result });
const complete = (elicitationId: unknown): ScriptStep =>
  s({ method: 'notifications/elicitation/complete', params: { elicitationId } });
const task = (changes: Json = {}): Json => ({
  taskId: 't1',
  status: 'working',
  createdAt: '2025-11-25T10:00:00Z',
  lastUpdatedAt: '2025-11-25T10:00:00.5+02:00',
  ttl: 60_000,
  pollInterval: 1000,
  ...changes,
});
const without = (member: string): Json => {
  const { [member]: _dropped, ...rest } = task();
  return rest;
};
const call = (id: number, more: Json = {}): ScriptStep =>
  c({ id, method: 'tools/call', params: { name: 'convert_amount', arguments: { amount: 1 }, ...more } });
const created = (id: number, of: Json): ScriptStep[] => [
  call(id, { task: {} }),
  s({ id, result: { task: of } }),
];
const listed = (...tasks: Json[]): ScriptStep[] => [
  c({ id: 2, method: 'tasks/list' }),
  s({ id: 2, result: { tasks } }),
];
const status = (of: Json): ScriptStep => s({ method: 'notifications/tasks/status', params: of });
const requiredError = (data: unknown): ScriptStep[] => [
  call(2),
  s({ id: 2, error: { code: -32042, message: 'Go there first', data } }),
];

export const CLIENT_FEATURE_VECTORS = {
  'roots.uri': steps(roots('file:///home/ada'), roots('https://example.com/')),
  'roots.duplicate': steps(roots('file:///a', 'file:///b'), roots('file:///a', 'file:///a')),
  'sampling.messages': steps([sampling()], [sampling({ messages: [] })]),
  'sampling.max_tokens': steps([sampling({ maxTokens: 1 })], [sampling({ maxTokens: 0 })]),
  'sampling.content': steps(
    [
      sampling({
        messages: [{ role: 'user', content: [{ type: 'image', data: 'TQ==', mimeType: 'image/png' }] }],
      }),
    ],
    [sampling({ messages: [{ role: 'user', content: [{ type: 'video', data: 'TQ==' }] }] })],
  ),
  'sampling.tool_results_only': steps(
    [
      sampling({
        messages: [{ role: 'user', content: [{ type: 'tool_result', toolUseId: 'u', content: [] }] }],
      }),
    ],
    [
      sampling({
        messages: [{ role: 'user', content: [text, { type: 'tool_result', toolUseId: 'u', content: [] }] }],
      }),
    ],
  ),
  'sampling.result_content': steps(sampled({}), sampled({ content: [text] })),
  'sampling.result_size': steps(
    sampled({ content: { type: 'text', text: 'x'.repeat(65_536) } }),
    sampled({ content: { type: 'text', text: 'x'.repeat(65_537) } }),
  ),
  'sampling.result_role': steps(sampled({ role: 'assistant' }), sampled({ role: 'system' })),
  'elicitation.mode': steps([form(language, { mode: 'form' })], [form(language, { mode: 'page' })]),
  'elicitation.schema': steps([form({ age: { type: 'integer' } })], [form({ age: { type: 'object' } })]),
  'elicitation.secret_field': steps(
    [form({ tokenizer: { type: 'string' } })],
    [form({ 'API-Key': { type: 'string' } })],
  ),
  'elicitation.url': steps([url()], [url({ url: 'http://example.com/go' })]),
  'elicitation.id': steps([url()], [url({ elicitationId: '' })]),
  'elicitation.id_in_use': steps([url(), url({ elicitationId: 'e2' }, 3)], [url(), url({}, 3)]),
  'elicitation.unknown_id': steps([url(), complete('e1')], [url(), complete('e1'), complete('e1')]),
  'elicitation.action': steps(
    [url(), elicited({ action: 'decline' })],
    [url(), elicited({ action: 'reject' })],
  ),
  'elicitation.content_not_allowed': steps(
    [form(language), elicited({ action: 'accept', content: { language: 'en' } })],
    [url(), elicited({ action: 'accept', content: { language: 'en' } })],
  ),
  'elicitation.content_missing': steps(
    [form(language), elicited({ action: 'cancel' })],
    [form(language), elicited({ action: 'accept' })],
  ),
  'elicitation.required_error': steps(
    requiredError({
      elicitations: [{ mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: 'e1' }],
    }),
    requiredError({ elicitations: [{ mode: 'form', message: 'Go' }] }),
  ),
  'tasks.not_augmentable': steps(
    [c({ id: 2, method: 'tools/list', params: {} })],
    [c({ id: 2, method: 'tools/list', params: { task: {} } })],
  ),
  'tasks.metadata': steps([call(2, { task: { ttl: 0 } })], [call(2, { task: { ttl: '0' } })]),
  'tasks.create_result_unexpected': steps(
    [call(2), s({ id: 2, result: { content: [], structuredContent: { result: 1 } } })],
    [call(2), s({ id: 2, result: { task: task() } })],
  ),
  'tasks.create_result_required': steps(created(2, task()), [
    call(2, { task: {} }),
    s({ id: 2, result: { content: [] } }),
  ]),
  'tasks.initial_status': steps(created(2, task()), created(2, task({ status: 'completed' }))),
  'tasks.task_id': steps(listed(task()), listed(without('taskId'))),
  'tasks.duplicate_id': steps(listed(task(), task({ taskId: 't2' })), listed(task(), task())),
  'tasks.status': steps(listed(task({ status: 'input_required' })), listed(task({ status: 'paused' }))),
  'tasks.terminal_status': steps(
    [...created(2, task()), status(task({ status: 'failed' })), status(task({ status: 'failed' }))],
    [...created(2, task()), status(task({ status: 'failed' })), status(task({ status: 'working' }))],
  ),
  'tasks.timestamp': steps(
    listed(task({ createdAt: '2024-02-29T23:59:60Z' })),
    listed(task({ createdAt: '2025-02-29T00:00:00Z' })),
  ),
  'tasks.ttl': steps(listed(task({ ttl: null })), listed(without('ttl'))),
  'tasks.poll_interval': steps(listed(task({ pollInterval: 0 })), listed(task({ pollInterval: null }))),
} as const satisfies Partial<Record<RuleId, Vector>>;
