/** Content blocks of tool results and of sampling messages (schema#ContentBlock, schema#SamplingMessage). */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { aMimeType, annotations, base64Data } from './descriptors.js';
import { type Check, type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { resourceContent, resourceDescriptor } from './resources.js';
import {
  aBoolean,
  anObject,
  aString,
  firstFinding,
  isObject,
  kindOf,
  meta,
  name,
  oneOf,
  shape,
} from './shape.js';

const extras = { annotations, _meta: meta };
const type: Check = () => undefined;

const textBlock = shape('text content', { type, text: aString }, extras);
const imageBlock = shape('image content', { type, data: base64Data, mimeType: aMimeType }, extras);
const audioBlock = shape('audio content', { type, data: base64Data, mimeType: aMimeType }, extras);

const TOOL_BLOCKS: ReadonlyMap<string, Check> = new Map([
  ['text', textBlock],
  ['image', imageBlock],
  ['audio', audioBlock],
  ['resource_link', resourceLink],
  ['resource', shape('embedded resource', { type, resource: resourceContent }, extras)],
]);

function resourceLink(value: unknown, at: string): Finding | undefined {
  const { type: _type, ...descriptor } = value as JsonObject;
  return resourceDescriptor(descriptor, at);
}

const SAMPLING_BLOCKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['text', textBlock],
  ['image', imageBlock],
  ['audio', audioBlock],
  [
    'tool_use',
    shape(
      'tool_use content',
      { type, id: name(LIMITS.nameLength), name: aString, input: anObject },
      { _meta: meta },
    ),
  ],
  [
    'tool_result',
    shape(
      'tool_result content',
      { type, toolUseId: name(LIMITS.nameLength), content: (value, at) => toolContent(value, at) },
      { structuredContent: anObject, isError: aBoolean, _meta: meta },
    ),
  ],
]);

function block(blocks: ReadonlyMap<string, Check>, rule: 'tools.content' | 'sampling.content'): Check {
  return (value, at) => {
    if (!isObject(value)) return finding(rule, at, { problem: `it is ${kindOf(value)}` });
    const check = typeof value.type === 'string' ? blocks.get(value.type) : undefined;
    if (check === undefined) return finding(rule, `${at}/type`, { problem: 'its type is none of them' });
    return check(value, at);
  };
}

const toolBlock = block(TOOL_BLOCKS, 'tools.content');
const samplingBlock = block(SAMPLING_BLOCKS, 'sampling.content');

/** The `content` of a tool result: an array of blocks. */
export function toolContent(value: unknown, at: string): Finding | undefined {
  if (!Array.isArray(value))
    return finding('tools.content', at, { problem: `the content is ${kindOf(value)}, no array` });
  if (value.length > LIMITS.pageItems) return finding('shape.too_many', at, { limit: LIMITS.pageItems });
  return firstFinding(value as JsonValue[], toolBlock, at);
}

const messageMembers = shape(
  'sampling message',
  { role: oneOf('user', 'assistant'), content: samplingContent },
  { _meta: meta },
);

/** schema#SamplingMessage, with the rule on tool results (client/sampling#tool-result-messages). */
export const samplingMessage: Check = (value, at) => {
  if (!isObject(value)) return finding('sampling.messages', at, { limit: LIMITS.samplingMessages });
  const found = messageMembers(value, at);
  if (found !== undefined || !Array.isArray(value.content)) return found;
  const results = value.content.filter((item) => isObject(item) && item.type === 'tool_result').length;
  if (results === 0 || (results === value.content.length && value.role === 'user')) return undefined;
  return finding('sampling.tool_results_only', `${at}/content`);
};

function samplingContent(value: unknown, at: string): Finding | undefined {
  if (!Array.isArray(value)) return samplingBlock(value, at);
  if (value.length > LIMITS.pageItems) return finding('shape.too_many', at, { limit: LIMITS.pageItems });
  return firstFinding(value as JsonValue[], samplingBlock, at);
}
