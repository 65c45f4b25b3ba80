/** Vectors for the schema dialect, values, tool descriptors, calls and results. */

import type { RuleId } from '../../src/validator/catalogue.js';
import { steps, type Vector } from './validator-vector.js';
import { c, type Json, s, type ScriptStep, TOOL, written } from './validator-world.js';

/** A tools/list whose tools have these input schemas. */
const listed = (...schemas: unknown[]): ScriptStep[] => [
  c({ id: 2, method: 'tools/list' }),
  s({ id: 2, result: { tools: schemas.map((inputSchema, i) => ({ name: `tool_${i}`, inputSchema })) } }),
];
const tool = (members: Json): ScriptStep[] => [
  c({ id: 2, method: 'tools/list' }),
  s({ id: 2, result: { tools: [{ name: 'a', inputSchema: { type: 'object' }, ...members }] } }),
];
const property = (schema: unknown): unknown => ({ type: 'object', properties: { p: schema } });
const called = (args: Json, more: Json = {}): ScriptStep[] => [
  c({
    id: 2,
    method: 'tools/call',
    params: { name: 'convert_amount', arguments: { amount: 1, ...args }, ...more },
  }),
];
const answered = (result: Json): ScriptStep[] => [...called({}), s({ id: 2, result })];
const text = { type: 'text', text: 'x' };

function nested(depth: number): unknown {
  return depth === 1 ? { type: 'object' } : { type: 'object', properties: { p: nested(depth - 1) } };
}

const callWith = (amount: string): ScriptStep[] => [
  written(
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"convert_amount","arguments":{"amount":${amount}}}}`,
  ),
];
const withSupport = (taskSupport?: string): Json => {
  const { execution: _execution, ...rest } = TOOL;
  return taskSupport === undefined ? rest : { ...rest, execution: { taskSupport } };
};

export const TOOL_VECTORS = {
  'schema.unsupported_keyword': steps(
    listed(property({ type: 'string', description: 'd', title: 't' })),
    listed(property({ type: 'string', pattern: '^a' })),
  ),
  'schema.shape': steps(
    listed(property({ type: 'string', minLength: 1 })),
    listed(property({ type: 'string', minLength: -1 })),
  ),
  'schema.root_type': steps(listed({ type: 'object' }), listed({ type: 'array' })),
  'schema.depth': steps(listed(nested(16)), listed(nested(17))),
  'schema.too_many': steps(
    listed(property({ type: 'integer', enum: Array.from({ length: 256 }, (_, i) => i) })),
    listed(property({ type: 'integer', enum: Array.from({ length: 257 }, (_, i) => i) })),
  ),
  'schema.required_unknown': steps(
    listed({ ...(property({}) as Json), required: ['p'] }),
    listed({ ...(property({}) as Json), required: ['q'] }),
  ),
  'schema.enum_type': steps(
    listed(property({ type: 'integer', enum: [1] })),
    listed(property({ type: 'integer', enum: ['1'] })),
  ),
  'schema.bounds': steps(
    listed(property({ type: 'number', minimum: 1, maximum: 1 })),
    listed(property({ type: 'number', minimum: 2, maximum: 1 })),
  ),
  'value.type': steps(called({ count: 3 }), called({ count: true })),
  'value.required': steps(called({}), [
    c({ id: 2, method: 'tools/call', params: { name: 'convert_amount', arguments: { unit: 'foot' } } }),
  ]),
  'value.additional': steps(called({ unit: 'foot' }), called({ zone: 'x' })),
  'value.enum': steps(called({ unit: 'foot' }), called({ unit: 'mile' })),
  'value.length': steps(called({ label: '😀'.repeat(8) }), called({ label: 'x'.repeat(9) })),
  'value.items': steps(called({ tags: ['a'] }), called({ tags: [] })),
  'value.range': steps(callWith('9007199254740992'), callWith('9007199254740993')),
  'value.too_large': steps(
    called({ list: Array.from({ length: 1024 }, () => 0) }),
    called({ list: Array.from({ length: 1025 }, () => 0) }),
  ),
  'tools.name': steps(tool({ name: 'A.b-c_1' }), tool({ name: 'a b' })),
  'tools.duplicate_name': steps(
    [
      c({ id: 2, method: 'tools/list' }),
      s({ id: 2, result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } }),
    ],
    [
      c({ id: 2, method: 'tools/list' }),
      s({
        id: 2,
        result: {
          tools: [
            { name: 'a', inputSchema: { type: 'object' } },
            { name: 'a', inputSchema: { type: 'object' } },
          ],
        },
      }),
    ],
  ),
  'tools.task_support_value': steps(
    tool({ execution: { taskSupport: 'required' } }),
    tool({ execution: { taskSupport: 'always' } }),
  ),
  'tools.unknown': steps(called({}), [
    c({ id: 2, method: 'tools/call', params: { name: 'convert_amounts', arguments: { amount: 1 } } }),
  ]),
  'tools.structured_content_missing': steps(
    answered({ content: [text], isError: true }),
    answered({ content: [text] }),
  ),
  'tools.content': steps(
    answered({ content: [text], structuredContent: { result: 1 } }),
    answered({ content: [{ type: 'video' }], structuredContent: { result: 1 } }),
  ),
  'tools.task_forbidden': {
    pass: { tool: withSupport('optional'), steps: called({}, { task: { ttl: 1 } }) },
    fail: { tool: withSupport(), steps: called({}, { task: { ttl: 1 } }) },
  },
  'tools.task_required': {
    pass: { tool: withSupport('required'), steps: called({}, { task: {} }) },
    fail: { tool: withSupport('required'), steps: called({}) },
  },
} as const satisfies Partial<Record<RuleId, Vector>>;
