/*
 * Asks the witness what happened for a nonce: how often a tool ran, under which identity, whether it was
 * cancelled, and — if the witness knows it — which answers the server itself sent. Judges nothing.
 */
import type { AcceptConfig } from './config/load-config.js';
import type { Client } from './client/exchange.js';
import { isRecord, responseOf, write } from './client/json-rpc.js';

/** One execution of a tool. */
export interface Execution {
  readonly tool: string;
  readonly identity: string;
  readonly cancelled: boolean;
  readonly outcome: 'running' | 'completed' | 'cancelled';
}

/** An answer as the server sent it, before any proxy: what `errors.*` compares with. */
export interface SentAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly bodySha256: string;
}

/** What the witness says about one nonce. */
export interface Testimony {
  readonly runs: number;
  readonly executions: readonly Execution[];
  /** Undefined if this witness does not record answers. */
  readonly answers: readonly SentAnswer[] | undefined;
}

/** The witness cannot be asked; `reason` is not-configured or witness-unavailable. */
export class WitnessSilent extends Error {
  constructor(readonly reason: 'not-configured' | 'witness-unavailable') {
    super(reason);
  }
}

/** Asks for one nonce. Throws WitnessSilent. */
export async function askWitness(
  config: AcceptConfig,
  client: Client,
  nonce: string,
  signal: AbortSignal,
): Promise<Testimony> {
  const source = config.witness;
  if (source === undefined) throw new WitnessSilent('not-configured');
  let text: string;
  try {
    text =
      source.kind === 'http'
        ? await overHttp(source.url, source.token, client, nonce, signal)
        : await overTool(source.tool, config, client, nonce, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new WitnessSilent('witness-unavailable');
  }
  const testimony = readTestimony(text);
  if (testimony === undefined) throw new WitnessSilent('witness-unavailable');
  return testimony;
}

async function overHttp(
  base: URL,
  token: string | undefined,
  client: Client,
  nonce: string,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(base);
  url.searchParams.set('nonce', nonce);
  const answer = await client.send(
    {
      url,
      method: 'GET',
      headers: [
        ['Accept', 'application/json'],
        ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
      ],
    },
    signal,
  );
  return answer.status === 200 ? answer.body : '';
}

async function overTool(
  tool: string,
  config: AcceptConfig,
  client: Client,
  nonce: string,
  signal: AbortSignal,
): Promise<string> {
  const params = { name: tool, arguments: { [config.nonceArgument]: nonce } };
  const request = { url: config.target, id: 'witness', nonce: 'witness', method: 'tools/call', params };
  const answer = await client.send(write({ ...request, token: config.tokens.valid ?? null }), signal);
  const content = responseOf(answer)?.result?.['content'];
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : '';
}

/** Reads the JSON document of a witness; undefined if it is not one. */
export function readTestimony(text: string): Testimony | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || typeof value['runs'] !== 'number' || !Array.isArray(value['executions']))
    return undefined;
  const executions = value['executions'].filter(isRecord).map((item): Execution => {
    const outcome = item['outcome'];
    return {
      tool: String(item['tool']),
      identity: String(item['identity']),
      cancelled: item['cancelled'] === true,
      outcome: outcome === 'completed' || outcome === 'cancelled' ? outcome : 'running',
    };
  });
  const answers = Array.isArray(value['answers'])
    ? value['answers'].filter(isRecord).map((item) => ({
        status: Number(item['status']),
        contentType: String(item['contentType']),
        bodySha256: String(item['bodySha256']),
      }))
    : undefined;
  return { runs: value['runs'], executions, answers };
}
