/*
 * The bed's tools on the official SDK: a counter with a nonce, its forbidden twin, a progress tool, a slow
 * cancellable one, one with a mirrored parameter, and the witness as a tool. Each notes in the ledger that it ran.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Ledger, LedgerEntry } from './ledger.js';
import type { UpstreamFault } from './faults.js';

type Sdk = typeof import('@modelcontextprotocol/server');

/** Names of the bed's tools, as its accept.yaml gives them. */
export const BED_TOOL = {
  counting: 'count',
  forbidden: 'forbidden_count',
  progress: 'progress',
  slow: 'slow',
  region: 'count_in_region',
  witness: 'witness',
  /** Not registered: calling it is the application error. */
  failing: 'no_such_tool',
} as const;

/** What a tool needs to know about its call. */
export interface ToolEnvironment {
  readonly ledger: Ledger;
  readonly identity: string;
  readonly fault: UpstreamFault | undefined;
}

interface Arguments {
  readonly nonce: string;
  readonly intervalMs?: number;
  readonly events?: number;
  readonly paddingBytes?: number;
  readonly durationMs?: number;
}

const NONCE = { nonce: { type: 'string' } } as const;
const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
});

/** Registers all tools on a fresh server. */
export function registerBedTools(server: McpServer, sdk: Sdk, environment: ToolEnvironment): void {
  const { ledger, identity, fault } = environment;
  const register = (
    name: string,
    properties: Record<string, unknown>,
    work: (args: Arguments, entry: LedgerEntry, context: ToolContext) => Promise<string>,
  ): void => {
    const schema = { type: 'object', properties: { ...NONCE, ...properties }, required: ['nonce'] } as const;
    const inputSchema = sdk.fromJsonSchema<Arguments>(schema);
    server.registerTool(name, { description: name, inputSchema }, async (args, context) => {
      const entry = ledger.begin(args.nonce, name, identity);
      const answer = await work(args, entry, context.mcpReq as unknown as ToolContext);
      if (entry.outcome === 'running') entry.outcome = 'completed';
      return text(answer);
    });
  };

  for (const name of [BED_TOOL.counting, BED_TOOL.forbidden]) {
    register(name, {}, async () => 'counted');
  }
  register(BED_TOOL.region, { region: { type: 'string', 'x-mcp-header': 'Region' } }, async () => 'counted');
  register(BED_TOOL.progress, numbers('intervalMs', 'events', 'paddingBytes'), reportProgress);
  register(BED_TOOL.slow, numbers('durationMs'), (args, entry, context) =>
    workSlowly(args, entry, context, fault),
  );
  const inputSchema = sdk.fromJsonSchema<Arguments>({
    type: 'object',
    properties: NONCE,
    required: ['nonce'],
  });
  server.registerTool(BED_TOOL.witness, { description: 'what happened', inputSchema }, async ({ nonce }) =>
    text(JSON.stringify(ledger.testimony(nonce))),
  );
}

/** The part of the SDK's request context that the tools use. */
interface ToolContext {
  readonly _meta?: { readonly progressToken?: string | number };
  readonly signal: AbortSignal;
  readonly notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;
}

function numbers(...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
}

async function reportProgress(args: Arguments, entry: LedgerEntry, context: ToolContext): Promise<string> {
  const { intervalMs = 100, events = 5, paddingBytes = 0 } = args;
  const progressToken = context['_meta']?.progressToken;
  const message = 'x'.repeat(paddingBytes);
  for (let progress = 1; progress <= events && !context.signal.aborted; progress += 1) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total: events, ...(message !== '' && { message }) };
      await context.notify({ method: 'notifications/progress', params });
    }
    await pause(intervalMs, context.signal);
  }
  if (context.signal.aborted) {
    entry.cancelled = true;
    entry.outcome = 'cancelled';
  }
  return 'done';
}

async function workSlowly(
  { durationMs = 3000 }: Arguments,
  entry: LedgerEntry,
  context: ToolContext,
  fault: UpstreamFault | undefined,
): Promise<string> {
  const progressToken = context['_meta']?.progressToken;
  if (progressToken !== undefined) {
    await context.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  }
  await pause(durationMs, context.signal);
  if (context.signal.aborted) {
    entry.cancelled = true;
    entry.outcome = fault === 'books-cancelled-as-success' ? 'completed' : 'cancelled';
  }
  return 'done';
}

/** Waits, or ends early when the call is cancelled. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
