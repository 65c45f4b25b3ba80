/*
 * The bed's upstream: an MCP server of revision 2026-07-28 on the official SDK v2, stateless and modern only, with
 * bearer checks, a body limit, a key that only its gateway has, and a ledger. Faults break it in one named way.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { NONCE_HEADER } from '../revision.js';
import type { BedTokens } from './bearer.js';
import type { UpstreamFault } from './faults.js';
import type { Ledger } from './ledger.js';
import { registerBedTools } from './tools.js';

type Sdk = typeof import('@modelcontextprotocol/server');

/** Header in which the gateway shows that a request came through it. */
export const GATEWAY_HEADER = 'X-Gateway-Key';

/** Path of the metadata document below the origin. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** Largest body that is read, and largest that is accepted. */
const DRAIN_BYTES = 4 * 1024 * 1024;
export const BODY_LIMIT_BYTES = 64 * 1024;

/** How an upstream is set up. */
export interface UpstreamOptions {
  readonly sdk: Sdk;
  readonly tokens: BedTokens;
  readonly ledger: Ledger;
  readonly gatewayKey: string;
  readonly resource: string;
  readonly authorizationServer: string;
  readonly keepAliveMs: number;
  readonly fault?: UpstreamFault | undefined;
}

/** A started part of the bed. */
export interface Running {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Starts the upstream on a free loopback port. */
export async function startUpstream(options: UpstreamOptions): Promise<Running> {
  const server = http.createServer((request, response) => {
    handle(options, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  return listen(server);
}

/** Listens on a free loopback port; stopping closes every connection. */
export async function listen(server: http.Server): Promise<Running> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, stop };
}

async function handle(
  options: UpstreamOptions,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://upstream.invalid');
  const nonce = String(request.headers[NONCE_HEADER.toLowerCase()] ?? '');
  const answer = (status: number, body: object, headers: http.OutgoingHttpHeaders = {}): void => {
    const text = JSON.stringify(body);
    options.ledger.answered(nonce, status, 'application/json', text);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...headers,
    });
    response.end(text);
  };

  const fromGateway = request.headers[GATEWAY_HEADER.toLowerCase()] === options.gatewayKey;
  if (!fromGateway && options.fault !== 'leaves-direct-way-open')
    return answer(403, { error: 'not_through_the_gateway' });
  if (url.pathname === METADATA_PATH && request.method === 'GET') {
    const { resource, authorizationServer } = options;
    return answer(200, {
      resource,
      authorization_servers: [authorizationServer],
      bearer_methods_supported: ['header'],
    });
  }
  if (url.pathname !== '/mcp') return answer(404, { error: 'not_found' });
  if (url.search !== '') return answer(400, { error: 'query_not_allowed' });
  const body = await readBody(request);
  if (body === undefined) return answer(413, { error: 'body_too_large' });
  const verdict = options.tokens.judge(request.headers.authorization, methodOf(body));
  if (!verdict.ok)
    return answer(verdict.status, { error: verdict.error }, { 'WWW-Authenticate': verdict.challenge });

  const forwarded = request.headers['x-forwarded-user'];
  const trusted = options.fault === 'trusts-identity-headers' && typeof forwarded === 'string';
  const own = options.fault === 'runs-as-service-account' ? 'gateway@bed.example' : verdict.identity;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const reply = await answerWithSdk(options, request, body, trusted ? forwarded : own, gone.signal);
  await pass(reply, response, options.ledger, nonce);
}

/** One stateless exchange: a fresh server per request, as the SDK wants it. */
async function answerWithSdk(
  { sdk, ledger, keepAliveMs, fault }: UpstreamOptions,
  request: http.IncomingMessage,
  body: string,
  identity: string,
  signal: AbortSignal,
): Promise<Response> {
  const handler = sdk.createMcpHandler(
    () => {
      const server = new sdk.McpServer(
        { name: 'acceptance-bed', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      );
      registerBedTools(server, sdk, { ledger, identity, fault });
      return server;
    },
    { legacy: fault === 'serves-older-revisions' ? 'stateless' : 'reject', keepAliveMs },
  );
  const headers = new Headers();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    headers.append(request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '');
  }
  const method = request.method ?? 'GET';
  const url = 'http://upstream.invalid/mcp';
  return handler.fetch(new Request(url, { method, headers, signal, ...(method !== 'GET' && { body }) }));
}

async function pass(
  reply: Response,
  response: http.ServerResponse,
  ledger: Ledger,
  nonce: string,
): Promise<void> {
  const contentType = reply.headers.get('content-type') ?? '';
  const headers: Record<string, string> = {};
  for (const [name, value] of reply.headers) if (name !== 'connection') headers[name] = value;
  if (!contentType.startsWith('text/event-stream') || reply.body === null) {
    const text = await reply.text();
    ledger.answered(nonce, reply.status, contentType, text);
    response.writeHead(reply.status, headers);
    response.end(text);
    return;
  }
  response.writeHead(reply.status, headers);
  response.flushHeaders();
  const reader = reply.body.getReader();
  response.on('close', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await roomIn(response);
  }
  response.end();
}

/** Waits until more can be written, or nobody reads any more. */
function roomIn(response: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** The body as text; undefined if it is over the limit. It is read to its end, so that the answer can be read. */
async function readBody(request: http.IncomingMessage): Promise<string | undefined> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > DRAIN_BYTES) return undefined;
    if (size <= BODY_LIMIT_BYTES) kept.push(chunk);
  }
  return size > BODY_LIMIT_BYTES ? undefined : Buffer.concat(kept).toString('utf8');
}

function methodOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const method = (value as { method?: unknown } | null)?.method;
    return typeof method === 'string' ? method : '';
  } catch {
    return '';
  }
}
