/*
 * JSON-RPC messages: builds the requests that the pack sends, reads what came back in a JSON or an SSE body.
 * A message is described first and written last, so that a check can bend one part of it and leave the rest right.
 */
import { META, MODERN_REVISION, NONCE_HEADER } from '../revision.js';
import { eventsOf } from './event-stream.js';
import { headerOf, type Answer, type HeaderLine, type Outgoing } from './exchange.js';

/** A request of revision 2026-07-28, every part open to be bent. `null` leaves a header or the `_meta` out. */
export interface ModernRequest {
  readonly url: URL;
  readonly id: string;
  readonly nonce: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly token: string | null;
  readonly headerVersion?: string | null;
  readonly metaVersion?: string | null;
  readonly methodHeader?: string | null;
  readonly nameHeader?: string | null;
  readonly extraHeaders?: readonly HeaderLine[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Which field of `params` the `Mcp-Name` header mirrors, by method. */
const NAME_SOURCE = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const CLIENT = { name: 'nest-mcp-boundary-accept', version: '1' };

/** The HTTP request for a described message. Parts that the description leaves alone are as the specification wants. */
export function write(request: ModernRequest): Outgoing {
  const source = request.params[NAME_SOURCE.get(request.method) ?? ''];
  const headers: HeaderLine[] = [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    [NONCE_HEADER, request.nonce],
  ];
  const add = (name: string, bent: string | null | undefined, right: string | undefined): void => {
    const value = bent === undefined ? right : bent;
    if (value !== null && value !== undefined) headers.push([name, value]);
  };
  add('MCP-Protocol-Version', request.headerVersion, MODERN_REVISION);
  add('Mcp-Method', request.methodHeader, request.method);
  add('Mcp-Name', request.nameHeader, typeof source === 'string' ? source : undefined);
  if (request.token !== null) headers.push(['Authorization', `Bearer ${request.token}`]);
  headers.push(...(request.extraHeaders ?? []));

  const meta =
    request.metaVersion === null
      ? undefined
      : {
          [META.protocolVersion]: request.metaVersion ?? MODERN_REVISION,
          [META.clientInfo]: CLIENT,
          [META.clientCapabilities]: {},
          ...request.meta,
        };
  const params = { ...request.params, ...(meta !== undefined && { _meta: meta }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: request.id, method: request.method, params });
  return { url: request.url, method: 'POST', headers, body };
}

/** A JSON-RPC message as far as the pack reads it. */
export interface RpcMessage {
  readonly id: string | number | null | undefined;
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly result: Readonly<Record<string, unknown>> | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data: unknown } | undefined;
}

/** Reads one message; undefined if the text is not one. */
export function parseMessage(text: string): RpcMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params, result, error } = value;
  const readError =
    isRecord(error) && typeof error['code'] === 'number'
      ? {
          code: error['code'],
          message: typeof error['message'] === 'string' ? error['message'] : '',
          data: error['data'],
        }
      : undefined;
  return {
    id: typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    params: isRecord(params) ? params : undefined,
    result: isRecord(result) ? result : undefined,
    error: readError,
  };
}

/** The response message in an answer, from either content type: the last message with a result or an error. */
export function responseOf(answer: Answer): RpcMessage | undefined {
  const streamed = (headerOf(answer.headers, 'content-type') ?? '').startsWith('text/event-stream');
  const texts = streamed ? eventsOf(answer.body) : [answer.body];
  return texts
    .map(parseMessage)
    .findLast((message) => message?.result !== undefined || message?.error !== undefined);
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
