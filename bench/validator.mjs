/**
 * How fast the validator judges a transcript of 100,000 messages with all state and policy checks on, beside the
 * official SDK's schema parse of the same messages (its Zod schema for each method and result, no state, no
 * policy), in one process, in turns. Run it with `npm run bench:validator`; `--messages N` and `--rounds N` change
 * the size. Heap is looked at after a forced collection, so run node with --expose-gc.
 */

import { parseArgs } from 'node:util';
import * as sdk from '@modelcontextprotocol/sdk/types.js';
import { readPolicy } from '../dist/validator/policy.js';
import { Session } from '../dist/validator/session.js';
import { parseText } from '../dist/validator/strict-text.js';
import { TranscriptJudge } from '../dist/validator/transcript.js';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '5' } },
});
const MESSAGES = Number(values.messages);
const ROUNDS = Number(values.rounds);

const RESOURCE = 'https://library.example/mcp';
const SCOPES = ['resources:list', 'resources:read', 'resources:subscribe'];
const URIS = Array.from({ length: 50 }, (_, i) => `shelf://east/book/${i}`);
const read = readPolicy(
  /** @type {any} */ ({
    protected_resource: RESOURCE,
    initial_revision: 'one',
    revisions: {
      one: {
        principals: { nora: { tenant: 'east', scopes: SCOPES } },
        resources: URIS.map((uri, i) => ({ uri, tenant: 'east', ...(i === 0 && { children: [URIS[1]] }) })),
        resourceTemplates: [],
      },
    },
  }),
  undefined,
);
if (!read.ok) throw new Error(read.problem);
const context = { subject: 'nora', tenant: 'east', scopes: SCOPES, authorization_revision: 'one' };
const TOOL = {
  name: 'loan_book',
  description: 'Lends a book.',
  inputSchema: {
    type: 'object',
    properties: {
      isbn: { type: 'string', minLength: 1, maxLength: 17 },
      days: { type: 'integer', minimum: 1, maximum: 90 },
    },
    required: ['isbn'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { due: { type: 'string' }, renewals: { type: 'integer', minimum: 0 } },
    required: ['due'],
    additionalProperties: false,
  },
};

/**
 * @param {object} message
 * @param {boolean} [withContext]
 */
const client = (message, withContext) => ({
  direction: 'client_to_server',
  message: { jsonrpc: '2.0', ...message },
  ...(withContext && { transport_context: context }),
});
/**
 * @param {object} message
 * @param {boolean} [withContext]
 */
const server = (message, withContext) => ({
  direction: 'server_to_client',
  message: { jsonrpc: '2.0', ...message },
  ...(withContext && { transport_context: context }),
});

/**
 * Steps of one session: a handshake, a listing, then rounds of calls, reads, updates, progress, pings, sampling.
 * @param {number} count
 * @returns {Generator<any>}
 */
function* conversation(count) {
  const capabilities = { sampling: {}, roots: { listChanged: true }, elicitation: {} };
  const declared = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
  };
  let id = 0;
  let serverId = 0;
  yield client({
    id,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'reading-room', version: '1.0.0' },
    },
  });
  yield server({
    id,
    result: {
      protocolVersion: '2025-11-25',
      capabilities: declared,
      serverInfo: { name: 'library', version: '1.0.0' },
    },
  });
  yield client({ method: 'notifications/initialized' });
  id++;
  yield client({ id, method: 'tools/list' });
  yield server({ id, result: { tools: [TOOL] } });
  id++;
  yield client({ id, method: 'resources/subscribe', params: { uri: URIS[0] } }, true);
  yield server({ id, result: {} });
  for (let sent = 7, round = 0; sent < count; round++, sent += 15) {
    const uri = URIS[round % URIS.length];
    id++;
    yield client({
      id,
      method: 'tools/call',
      params: {
        name: 'loan_book',
        arguments: { isbn: `978-${round}`, days: 1 + (round % 90) },
        _meta: { progressToken: round },
      },
    });
    yield server({
      method: 'notifications/progress',
      params: { progressToken: round, progress: 1, total: 2, message: 'looking' },
    });
    yield server({
      id,
      result: {
        content: [{ type: 'text', text: `Due soon, loan ${round}.` }],
        structuredContent: { due: '2025-12-09', renewals: round % 3 },
      },
    });
    id++;
    yield client({ id, method: 'resources/read', params: { uri } }, true);
    yield server({
      id,
      result: {
        contents: [
          { uri, mimeType: 'text/markdown', text: `# Book ${round}\n\n${'A line about it. '.repeat(8)}` },
        ],
      },
    });
    id++;
    yield client({ id, method: 'resources/list', params: { cursor: `page-${round}` } }, true);
    yield server({
      id,
      result: {
        resources: [
          { uri, name: `book-${round}`, title: `Book ${round}`, mimeType: 'text/markdown', size: 4096 },
          { uri: URIS[(round + 1) % URIS.length], name: 'next' },
        ],
        nextCursor: `page-${round + 1}`,
      },
    });
    yield server({ method: 'notifications/resources/updated', params: { uri: URIS[round % 2] } }, true);
    yield server({
      method: 'notifications/message',
      params: { level: 'info', logger: 'shelf', data: { round } },
    });
    id++;
    yield client({ id, method: 'ping' });
    yield server({ id, result: {} });
    serverId++;
    yield server({
      id: `s-${serverId}`,
      method: 'sampling/createMessage',
      params: {
        messages: [{ role: 'user', content: { type: 'text', text: 'Describe it.' } }],
        maxTokens: 100,
      },
    });
    yield client({
      id: `s-${serverId}`,
      result: {
        role: 'assistant',
        content: { type: 'text', text: 'A book.' },
        model: 'none',
        stopReason: 'endTurn',
      },
    });
    serverId++;
    yield server({ id: `s-${serverId}`, method: 'roots/list' });
    yield client({ id: `s-${serverId}`, result: { roots: [{ uri: 'file:///home/nora', name: 'Home' }] } });
  }
}

/** @type {Record<string, any>} */
const RESULTS = {
  initialize: sdk.InitializeResultSchema,
  ping: sdk.EmptyResultSchema,
  'tools/list': sdk.ListToolsResultSchema,
  'tools/call': sdk.CallToolResultSchema,
  'resources/list': sdk.ListResourcesResultSchema,
  'resources/read': sdk.ReadResourceResultSchema,
  'resources/subscribe': sdk.EmptyResultSchema,
  'sampling/createMessage': sdk.CreateMessageResultSchema,
  'roots/list': sdk.ListRootsResultSchema,
};
/** @type {Record<string, any>} */
const CALLS = {
  initialize: sdk.InitializeRequestSchema,
  ping: sdk.PingRequestSchema,
  'tools/list': sdk.ListToolsRequestSchema,
  'tools/call': sdk.CallToolRequestSchema,
  'resources/list': sdk.ListResourcesRequestSchema,
  'resources/read': sdk.ReadResourceRequestSchema,
  'resources/subscribe': sdk.SubscribeRequestSchema,
  'sampling/createMessage': sdk.CreateMessageRequestSchema,
  'roots/list': sdk.ListRootsRequestSchema,
  'notifications/initialized': sdk.InitializedNotificationSchema,
  'notifications/progress': sdk.ProgressNotificationSchema,
  'notifications/resources/updated': sdk.ResourceUpdatedNotificationSchema,
  'notifications/message': sdk.LoggingMessageNotificationSchema,
};

/**
 * The SDK's work on one message: its envelope schema, then the schema of its method or result.
 * @param {any} message
 * @param {{parse(value: unknown): unknown}} schema
 */
function sdkParse(message, schema) {
  sdk.JSONRPCMessageSchema.parse(message);
  schema.parse(message.method === undefined ? message.result : message);
}

/** @type {string[]} */
const lines = [];
/** @type {import('../dist/validator/session-state.js').WireStep[]} */
const steps = [];
/** @type {any[]} */
const schemas = [];
const methods = new Map();
for (const step of conversation(MESSAGES)) {
  if (steps.length === MESSAGES) break;
  const { message, direction } = step;
  const isClient = direction === 'client_to_server';
  if (message.method !== undefined && message.id !== undefined)
    methods.set(`${isClient} ${message.id}`, message.method);
  schemas.push(
    message.method === undefined ? RESULTS[methods.get(`${!isClient} ${message.id}`)] : CALLS[message.method],
  );
  steps.push({ sender: isClient ? 'client' : 'server', message, context: step.transport_context });
  lines.push(JSON.stringify(step));
}

/**
 * By processor time, not by the clock: a busy machine then slows both sides alike.
 * @param {() => void} work
 */
function timed(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return steps.length / ((user + system) / 1_000_000);
}

function heap() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

let retained = 0;
/** @type {Record<string, () => number>} */
const RUNS = {
  'validator, from values': () => {
    const before = heap();
    const session = new Session('transcript', read.policy);
    const rate = timed(() => {
      for (const step of steps) {
        const found = session.judge(step);
        if (found !== undefined) throw new Error(`unexpected ${found.rule}`);
      }
    });
    retained = heap() - before;
    session.state.takeNotes();
    return rate;
  },
  'official SDK, from values': () =>
    timed(() => {
      for (const [index, { message }] of steps.entries()) sdkParse(message, schemas[index]);
    }),
  'validator, from text (strict JSON)': () => {
    const judge = new TranscriptJudge(read.policy);
    return timed(() => {
      for (const line of lines) {
        if (judge.line(line).found !== undefined) throw new Error('unexpected finding');
      }
    });
  },
  'official SDK, from text (the same strict JSON)': () =>
    timed(() => {
      for (const [index, line] of lines.entries()) {
        const parsed = parseText(line);
        if (!parsed.ok) throw new Error('unexpected text');
        sdkParse(/** @type {any} */ (parsed.value).message, schemas[index]);
      }
    }),
  'official SDK, from text (JSON.parse)': () =>
    timed(() => {
      for (const [index, line] of lines.entries()) sdkParse(JSON.parse(line).message, schemas[index]);
    }),
};

/** @type {Record<string, number[]>} */
const rates = Object.fromEntries(Object.keys(RUNS).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(RUNS)) rates[name]?.push(run());
}
/** @param {number[]} list */
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
/** @type {Record<string, string>} */
const BASE = {
  'validator, from values': 'official SDK, from values',
  'validator, from text (strict JSON)': 'official SDK, from text (JSON.parse)',
  'official SDK, from text (the same strict JSON)': 'official SDK, from text (JSON.parse)',
};

/** @param {string} line */
const out = (line) => process.stdout.write(`${line}\n`);
out(`${steps.length} messages, median of ${ROUNDS} rounds in turns, Node ${process.version}`);
out('| | messages per CPU second (median) | lowest | highest | ratio to the SDK, round by round |');
out('|---|---:|---:|---:|---:|');
for (const [name, list] of Object.entries(rates)) {
  const cells = [median(list), Math.min(...list), Math.max(...list)].map((rate) =>
    Math.round(rate).toLocaleString('en'),
  );
  const base = rates[BASE[name] ?? ''];
  const ratio =
    base === undefined ? 1 : median(list.map((rate, round) => rate / (base[round] ?? Number.NaN)));
  out(`| ${name} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`);
}
out(`heap that a session keeps after ${steps.length} messages: ${(retained / 1e6).toFixed(2)} MB`);
