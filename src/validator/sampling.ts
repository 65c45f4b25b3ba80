/** Roots and sampling: what a server asks of a client, and what the client answers (client/roots, client/sampling). */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { utf8Size } from './base64.js';
import { samplingMessage } from './content.js';
import { annotations } from './descriptors.js';
import { type Check, type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { pageOf } from './resources.js';
import type { JudgedRequest, SessionState } from './session-state.js';
import {
  aNumber,
  anObject,
  anything,
  aString,
  firstFinding,
  isObject,
  listOf,
  meta,
  name,
  numberWithin,
  oneOf,
  shape,
} from './shape.js';
import { readTool } from './tools.js';
import { isAbsoluteUri, schemeOf } from './uri.js';

const rootUri: Check = (value, at) => {
  const isGood =
    typeof value === 'string' &&
    value.length <= LIMITS.uriLength &&
    isAbsoluteUri(value) &&
    schemeOf(value) === 'file' &&
    value.slice(5, 7) === '//';
  return isGood ? undefined : finding('roots.uri', at, { limit: LIMITS.uriLength });
};

const rootsResult = shape(
  'result',
  { roots: pageOf(shape('root', { uri: rootUri }, { name: aString, _meta: meta })) },
  { _meta: meta },
);

/** The result of roots/list. */
export function judgeRoots(result: JsonObject): Finding | undefined {
  const found = rootsResult(result, '/result');
  if (found !== undefined) return found;
  const seen = new Set<string>();
  return firstFinding(
    result.roots as JsonValue[],
    (value, at) => {
      const uri = (value as JsonObject).uri as string;
      if (seen.has(uri)) return finding('roots.duplicate', `${at}/uri`);
      seen.add(uri);
      return undefined;
    },
    '/result/roots',
  );
}

const messages: Check = (value, at) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > LIMITS.samplingMessages) {
    return finding('sampling.messages', at, { limit: LIMITS.samplingMessages });
  }
  return firstFinding(value, samplingMessage, at);
};

const maxTokens: Check = (value, at) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? undefined : finding('sampling.max_tokens', at);

const priority = numberWithin(0, 1);

/** schema#CreateMessageRequestParams; tools are judged after the capability they need. */
export const samplingParams: Check = shape(
  'params',
  { messages, maxTokens },
  {
    modelPreferences: shape(
      'model preferences',
      {},
      {
        hints: listOf(shape('model hint', {}, { name: aString }), LIMITS.contentItems),
        costPriority: priority,
        speedPriority: priority,
        intelligencePriority: priority,
      },
    ),
    systemPrompt: aString,
    includeContext: oneOf('none', 'thisServer', 'allServers'),
    temperature: aNumber,
    stopSequences: listOf(aString, LIMITS.contentItems),
    metadata: anObject,
    tools: anything,
    toolChoice: shape('tool choice', {}, { mode: oneOf('auto', 'required', 'none') }),
    task: anything,
    _meta: meta,
  },
);

/** Sub-capabilities that the params of a sampling request use (client/sampling#capabilities). */
export function samplingCapability(params: JsonObject): string | undefined {
  if (Object.hasOwn(params, 'tools') || Object.hasOwn(params, 'toolChoice')) return 'sampling.tools';
  const { includeContext } = params;
  return includeContext === undefined || includeContext === 'none' ? undefined : 'sampling.context';
}

/** The tools of a sampling request, with the same descriptor rules as tools/list. */
export function judgeSampling(request: JudgedRequest, state: SessionState): Finding | undefined {
  const { tools } = request.params;
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return finding('shape.type', '/params/tools', { expected: 'an array' });
  if (tools.length > LIMITS.pageItems)
    return finding('shape.too_many', '/params/tools', { limit: LIMITS.pageItems });
  const names = new Set<string>();
  return firstFinding(
    tools,
    (value, at) => {
      const read = readTool(value as JsonValue, at, state.numbers, (limit) => state.unlessNoted(limit));
      if (!read.ok) return read.found;
      if (names.has(read.tool.name)) return finding('tools.duplicate_name', `${at}/name`);
      names.add(read.tool.name);
      return undefined;
    },
    '/params/tools',
  );
}

const role: Check = (value, at) =>
  value === 'user' || value === 'assistant' ? undefined : finding('sampling.result_role', at);

const samplingResult = shape(
  'result',
  { role, content: anything, model: name(LIMITS.nameLength) },
  { stopReason: aString, _meta: meta },
);
const textContent = shape('text content', { type: anything, text: aString }, { annotations, _meta: meta });

/** The result of sampling/createMessage: this profile judges one bounded text. */
export function judgeSamplingResult(result: JsonObject, state: SessionState): Finding | undefined {
  const found = samplingResult(result, '/result');
  if (found !== undefined) return found;
  const { content } = result;
  if (!isObject(content) || content.type !== 'text') {
    return state.unlessNoted(finding('sampling.result_content', '/result/content'));
  }
  const inText = textContent(content, '/result/content');
  if (inText !== undefined) return inText;
  return utf8Size(content.text as string) <= LIMITS.contentBytes
    ? undefined
    : finding('sampling.result_size', '/result/content/text', { limit: LIMITS.contentBytes });
}
