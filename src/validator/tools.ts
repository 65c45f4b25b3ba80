/**
 * Tools: descriptors, calls against the inputSchema, results against the outputSchema, and what a session learns
 * from tools/list (server/tools).
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { toolContent } from './content.js';
import { aCursor, namedThing } from './descriptors.js';
import { type Check, type Finding, finding } from './finding.js';
import type { NumberSources } from './number-sources.js';
import { pageOf } from './resources.js';
import { compileToolSchema } from './schema-dialect.js';
import { judgeValue } from './schema-value.js';
import type { JudgedRequest, PendingRequest, SessionState } from './session-state.js';
import { aBoolean, anObject, anything, aString, firstFinding, isObject, meta, shape } from './shape.js';
import type { KnownTool } from './tool-table.js';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const toolName: Check = (value, at) =>
  typeof value === 'string' && NAME.test(value) ? undefined : finding('tools.name', at);

const taskSupport: Check = (value, at) =>
  value === 'forbidden' || value === 'optional' || value === 'required'
    ? undefined
    : finding('tools.task_support_value', at);

const descriptorMembers = shape(
  'tool descriptor',
  { name: toolName, inputSchema: anObject },
  {
    ...namedThing.optional,
    description: aString,
    outputSchema: anObject,
    execution: shape('tool execution', {}, { taskSupport }),
    annotations: shape(
      'tool annotations',
      {},
      {
        title: aString,
        readOnlyHint: aBoolean,
        destructiveHint: aBoolean,
        idempotentHint: aBoolean,
        openWorldHint: aBoolean,
      },
    ),
  },
);

/** Tells a limit of the profile from a fault: returns the finding only when it counts. */
export type Tolerance = (found: Finding) => Finding | undefined;

/** Nothing is tolerated: what cannot be judged counts. */
export const strictly: Tolerance = (found) => found;

export type ToolResult =
  { readonly ok: true; readonly tool: KnownTool } | { readonly ok: false; readonly found: Finding };

/** Reads one tool descriptor (schema#Tool) and compiles its schemas. */
export function readTool(
  value: JsonValue,
  at: string,
  numbers: NumberSources,
  tolerance: Tolerance,
): ToolResult {
  const found = descriptorMembers(value, at);
  if (found !== undefined) return { ok: false, found };
  const descriptor = value as JsonObject;
  const input = compileToolSchema(descriptor.inputSchema as JsonValue, `${at}/inputSchema`, numbers);
  if (!input.ok && tolerance(input.found) !== undefined) return input;
  let output: KnownTool['output'] = 'none';
  let characters = JSON.stringify(descriptor.inputSchema).length;
  if (descriptor.outputSchema !== undefined) {
    const compiled = compileToolSchema(descriptor.outputSchema, `${at}/outputSchema`, numbers);
    if (!compiled.ok && tolerance(compiled.found) !== undefined) return compiled;
    output = compiled.ok ? compiled.schema : undefined;
    characters += JSON.stringify(descriptor.outputSchema).length;
  }
  const execution = descriptor.execution as JsonObject | undefined;
  return {
    ok: true,
    tool: {
      name: descriptor.name as string,
      input: input.ok ? input.schema : undefined,
      output,
      taskSupport: (execution?.taskSupport ?? 'forbidden') as KnownTool['taskSupport'],
      characters,
    },
  };
}

const listMembers = shape('result', { tools: pageOf(() => undefined) }, { nextCursor: aCursor, _meta: meta });

/** The result of tools/list; the tools are kept by {@link learnTools}. */
export function judgeToolList(result: JsonObject, state: SessionState): Finding | undefined {
  const found = listMembers(result, '/result');
  if (found !== undefined) return found;
  const names = new Set<string>();
  return firstFinding(
    result.tools as JsonValue[],
    (value, at) => {
      const read = readTool(value as JsonValue, at, state.numbers, (limit) => state.unlessNoted(limit));
      if (!read.ok) return read.found;
      if (names.has(read.tool.name)) return finding('tools.duplicate_name', `${at}/name`);
      names.add(read.tool.name);
      return undefined;
    },
    '/result/tools',
  );
}

/** Keeps the tools of a good tools/list result. `isFirstPage`: the request had no cursor. */
export function learnTools(result: JsonObject, isFirstPage: boolean, state: SessionState): void {
  if (state.mode === 'transcript' && isFirstPage) state.tools.clear();
  for (const [index, value] of (result.tools as JsonValue[]).entries()) {
    // A copy, so that the table does not keep the text of the whole message alive.
    const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
    const read = readTool(copy, `/result/tools/${index}`, state.numbers, () => undefined);
    if (read.ok) state.tools.set(read.tool);
  }
  if (result.nextCursor === undefined) state.tools.isComplete = true;
}

/** schema#CallToolRequestParams. */
export const callParams: Check = shape(
  'params',
  { name: toolName },
  { arguments: anObject, task: anything, _meta: meta },
);

/** A tools/call request against what is known of the tool. */
export function judgeCall(request: JudgedRequest, state: SessionState): Finding | undefined {
  const { params, isTask } = request;
  const name = params.name as string;
  const tool = state.tools.get(name);
  if (tool === undefined) {
    return state.tools.isUnknown(name) ? finding('tools.unknown', '/params/name') : undefined;
  }
  if (isTask && tool.taskSupport === 'forbidden') return finding('tools.task_forbidden', '/params/task');
  // Without the capability the taskSupport of a tool means nothing (basic/utilities/tasks#tool-level-negotiation).
  const canBeTask = state.receiver(request.sender).declared?.has('tasks.requests.tools.call') !== false;
  if (!isTask && tool.taskSupport === 'required' && canBeTask)
    return finding('tools.task_required', '/params');
  if (tool.input === undefined) return undefined;
  const values = params.arguments ?? {};
  return judgeValue(values, tool.input, '/params/arguments', 'the tool arguments', state.numbers);
}

const callResult = shape(
  'result',
  { content: toolContent },
  { structuredContent: anObject, isError: aBoolean, _meta: meta },
);

/** The result of an ordinary tools/call. */
export function judgeCallResult(
  result: JsonObject,
  pending: PendingRequest,
  state: SessionState,
): Finding | undefined {
  const found = callResult(result, '/result');
  if (found !== undefined) return found;
  const output = state.tools.get(pending.subject)?.output;
  if (output === undefined || output === 'none') return undefined;
  if (!isObject(result.structuredContent)) {
    // An execution error may say in content alone what went wrong.
    return result.isError === true ? undefined : finding('tools.structured_content_missing', '/result');
  }
  if (result.isError === true) return undefined;
  const at = '/result/structuredContent';
  return judgeValue(result.structuredContent, output, at, 'the structured content', state.numbers);
}
