/*
 * The embedded reverse proxy of the bed: httpxy, a rule about tool names, an access log without Authorization, and
 * the key that shows the upstream where a request came from. One named fault breaks it in one way.
 */
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProxyFault } from './faults.js';
import { GATEWAY_HEADER, listen, type Running } from './upstream.js';
import { REQUEST_FAULTS, type Message, type PassingRequest } from './request-faults.js';
import { passOn, RESPONSE_FAULTS, type PassingAnswer } from './response-faults.js';

type Httpxy = typeof import('httpxy');

/** How a proxy is set up; all of it can be sent to another process. */
export interface ProxyOptions {
  readonly upstreamPort: number;
  readonly gatewayKey: string;
  readonly allowedTools: readonly string[];
  readonly logPath: string;
  readonly cutAfterMs: number;
  /** Tokens by role: some faults know them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The Host that the upstream expects. */
  readonly publicHost: string;
  /** False in front of a server whose requests do not name tools. */
  readonly rules: boolean;
  readonly fault?: ProxyFault | undefined;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const SMALL_BODY_BYTES = 32 * 1024;
/** How long after a refusal its mended copy goes out. */
const REPLAY_DELAY_MS = 100;

/** Starts the proxy on a free loopback port. */
export async function startProxy(httpxy: Httpxy, options: ProxyOptions): Promise<Running> {
  const agent = new http.Agent({ keepAlive: true });
  const proxy = httpxy.createProxyServer({
    target: `http://127.0.0.1:${options.upstreamPort}`,
    agent,
    selfHandleResponse: true,
  });
  const passing = new WeakMap<object, PassingRequest>();
  proxy.on('proxyRes', (upstream, request, response) => {
    const known = passing.get(request);
    const answer: PassingAnswer = {
      request: {
        method: request.method ?? '',
        path: request.url ?? '',
        message: known?.message,
        headers: known?.headers ?? {},
      },
      upstream,
      client: response,
      cutAfterMs: options.cutAfterMs,
    };
    const handling = options.fault === undefined ? undefined : RESPONSE_FAULTS.get(options.fault);
    if (handling === undefined) passOn(answer);
    else handling(answer);
  });
  proxy.on('error', (_error, _request, response) => {
    if (response instanceof http.ServerResponse && !response.headersSent) response.writeHead(502);
    response?.end();
  });

  const server = http.createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await readAll(request);
    const seen = describe(request, body, options);
    passing.set(request, seen);
    response.on('finish', () => log(options, request, response.statusCode));
    const own = answerOf(options, request, seen);
    if (own !== undefined) {
      response.writeHead(own.status, { 'Content-Type': own.type });
      response.end(own.body);
      return;
    }
    const change = options.fault === undefined ? undefined : REQUEST_FAULTS.get(options.fault);
    change?.(seen);
    // Without a fault the bytes go on as they came.
    const sent =
      change === undefined || seen.message === undefined ? body : Buffer.from(JSON.stringify(seen.message));
    request.url = seen.path;
    request.headers = {
      ...definedOnly(seen.headers),
      host: options.publicHost,
      [GATEWAY_HEADER.toLowerCase()]: options.gatewayKey,
    };
    if (sent.length > 0 || request.headers['content-length'] !== undefined)
      request.headers['content-length'] = String(sent.length);
    delete request.headers['transfer-encoding'];
    if (options.fault === 'replays-refused-calls')
      replayLater(options, request.headers, seen.message).catch(() => undefined);
    if (options.fault === 'swallows-disconnects') forwardAndForget(options, request, response, sent);
    else await proxy.web(request, response, { buffer: Readable.from(sent.length === 0 ? [] : [sent]) });
  }
  const running = await listen(server);
  return {
    port: running.port,
    stop: async () => {
      await running.stop();
      agent.destroy();
    },
  };
}

/** What the proxy says itself: its rule about tools, and what some faults say. */
function answerOf(
  { fault, allowedTools, rules }: ProxyOptions,
  request: http.IncomingMessage,
  seen: PassingRequest,
): { status: number; type: string; body: string } | undefined {
  if (fault === 'limits-body' && Number(request.headers['content-length'] ?? 0) > SMALL_BODY_BYTES) {
    return { status: 413, type: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' };
  }
  if (fault === 'answers-initialize' && seen.message?.method === 'initialize') {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'gateway', version: '1' },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: seen.message['id'], result });
    return { status: 200, type: 'application/json', body };
  }
  const { method } = request;
  if (fault === 'answers-delete' && method === 'DELETE')
    return { status: 204, type: 'application/json', body: '' };
  if (fault === 'refuses-get' && method === 'GET' && request.url === '/mcp') {
    return { status: 405, type: 'application/json', body: '{"error":"method_not_allowed"}' };
  }
  const names = seen.lines('mcp-name');
  // No name or several: nothing to decide on, and the server refuses it.
  if (!rules || fault === 'has-no-rules' || names.length !== 1) return undefined;
  const name = decodeName(names[0] ?? '');
  const unread = fault === 'does-not-decode-names' && name !== names[0];
  if (name === undefined || (allowedTools.includes(name) && !unread)) return undefined;
  return { status: 403, type: 'application/json', body: '{"error":"tool_not_allowed"}' };
}

/** The name behind a Base64 sentinel; undefined if that is malformed, which the server refuses. */
function decodeName(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1];
  if (encoded === undefined) return value;
  const decoded = Buffer.from(encoded, 'base64');
  return decoded.toString('base64') === encoded ? decoded.toString('utf8') : undefined;
}

const memories = new WeakMap<object, { authorization?: string }>();
const shared: PassingRequest['shared'] = { owners: new Map() };

function describe(request: http.IncomingMessage, body: Buffer, { tokens }: ProxyOptions): PassingRequest {
  const lines = (name: string): string[] =>
    request.rawHeaders.filter(
      (_value, at) => at % 2 === 1 && request.rawHeaders[at - 1]?.toLowerCase() === name,
    );
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const memory = memories.get(request.socket) ?? {};
  memories.set(request.socket, memory);
  return { headers, message: parse(body), lines, tokens, memory, shared, path: request.url ?? '/' };
}

function parse(body: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return value !== null && typeof value === 'object' && 'jsonrpc' in value ? value : undefined;
  } catch {
    return undefined;
  }
}

function definedOnly(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function readAll(request: http.IncomingMessage): Promise<Buffer> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('body too large for the bed');
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

function log({ logPath, fault }: ProxyOptions, request: http.IncomingMessage, status: number): void {
  if (fault === 'turns-log-off') return;
  const extra = fault === 'logs-authorization' ? ` "${request.headers.authorization ?? '-'}"` : '';
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  appendFileSync(logPath, `${new Date().toISOString()} ${request.method ?? ''} ${path} ${status}${extra}\n`);
}

/** Sends a call whose Mcp-Method disagreed once more, mended, after its refusal went out. */
async function replayLater(
  { upstreamPort }: ProxyOptions,
  headers: http.IncomingHttpHeaders,
  message?: Message,
): Promise<void> {
  if (message?.method !== 'tools/call' || headers['mcp-method'] !== 'resources/read') return;
  await delay(REPLAY_DELAY_MS);
  const body = JSON.stringify(message);
  const sent = http.request({
    port: upstreamPort,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    agent: false,
  });
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.setHeader(name, value);
  sent.setHeader('mcp-method', 'tools/call');
  sent.on('response', (response) => response.resume()).on('error', () => undefined);
  sent.end(body);
}

/** Forwards without ever telling the upstream that the client has gone. */
function forwardAndForget(
  { upstreamPort }: ProxyOptions,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  body: Buffer,
): void {
  const sent = http.request({
    host: '127.0.0.1',
    port: upstreamPort,
    path: request.url,
    method: request.method,
    headers: request.headers,
    agent: false,
  });
  sent.on('response', (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    response.flushHeaders();
    upstream.on('data', (chunk: Buffer) => void (!response.destroyed && response.write(chunk)));
    upstream.on('end', () => response.end());
  });
  sent.on('error', () => response.destroy());
  sent.end(body);
}
