/**
 * A loopback proxy between a real client and the server that writes down what the client sends, header by header
 * as it came over the wire, and what it got back. Secrets are replaced before anything is kept: no record holds a
 * token, a session id, or a query.
 *
 * The server takes the proxy's address as its public one, so that Host, challenges and metadata are right for the
 * client without a byte being changed on the way.
 */
import { afterAll, jest } from '@jest/globals';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HarnessOptions } from './harness.mjs';
import { startServer, type TestServer } from './server.js';

/** Real clients wait by clocks of their own, and a busy machine is slow: only a hang may take as long as this. */
jest.setTimeout(60_000);

export interface RecordedExchange {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** As sent: order, case and repeats kept; secrets replaced by `<token>` and `<session>`. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The JSON-RPC message of a POST. */
  readonly message: { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> };
  /** Milliseconds since the recorder began. */
  readonly at: number;
  /** Of the answer; undefined while there is none. */
  status: number | undefined;
  /** The public code when the answer is a refusal. */
  code: string | undefined;
}

export class Recorder {
  readonly exchanges: RecordedExchange[] = [];
  #target = 0;
  #cuts = 0;
  readonly #startedAt = performance.now();
  readonly #agent = new Agent({ keepAlive: false });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 1000 }, (request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async open(): Promise<Recorder> {
    const recorder = new Recorder();
    recorder.#server.listen(0, '127.0.0.1');
    await once(recorder.#server, 'listening');
    return recorder;
  }

  /** Where clients connect: the endpoint as they see it. */
  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`);
  }

  passTo(port: number): void {
    this.#target = port;
  }

  /** The next `count` answers to a GET of a stream are cut before their end, as a proxy with a time limit does. */
  cutStreams(count: number): void {
    this.#cuts = count;
  }

  /** What the client sent, one word each: the JSON-RPC method of a POST, else HTTP method and path. */
  get story(): string[] {
    return this.exchanges.map((exchange) => wordFor(exchange));
  }

  /** Exchanges of that word in {@link story}. */
  of(word: string): RecordedExchange[] {
    return this.exchanges.filter((exchange) => wordFor(exchange) === word);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const exchange = recordOf(request, body, performance.now() - this.#startedAt);
    this.exchanges.push(exchange);

    const answer = await this.#ask(request, body);
    exchange.status = answer.statusCode;
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    const isCut = request.method === 'GET' && request.url === '/mcp' && answer.statusCode === 200;
    if (isCut && this.#cuts > 0) {
      this.#cuts--;
      for await (const chunk of answer) response.write(chunk);
      // What was written must arrive, the end must not.
      setTimeout(() => response.destroy(), 50);
      return;
    }
    const parts: Buffer[] = [];
    for await (const chunk of answer) {
      parts.push(chunk as Buffer);
      response.write(chunk);
    }
    response.end();
    exchange.code = refusalCode(answer, Buffer.concat(parts));
  }

  #ask(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        port: this.#target,
        host: '127.0.0.1',
        method: request.method,
        path: request.url,
        headers: request.rawHeaders,
        agent: this.#agent,
        setHost: false,
      };
      const passed = httpRequest(options, resolve);
      passed.once('error', reject);
      passed.end(body);
    });
  }
}

export interface RecordedServer {
  readonly server: TestServer;
  readonly recorder: Recorder;
}

const opened: Recorder[] = [];

afterAll(async () => {
  await Promise.all(opened.splice(0).map((recorder) => recorder.close()));
});

/** The real server behind a recorder of its own; `env` and the rest as for `startServer`. */
export async function startRecorded(options: HarnessOptions): Promise<RecordedServer> {
  const recorder = await Recorder.open();
  opened.push(recorder);
  const env = { MCP_PUBLIC_URL: recorder.url.href, ...options.env };
  const server = await startServer({ ...options, env });
  recorder.passTo(server.port);
  return { server, recorder };
}

/** All values of that header in one request, name in lower case. */
export function valuesOf(exchange: RecordedExchange | undefined, name: string): string[] {
  return (exchange?.headers ?? []).filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
}

function wordFor({ method, path, message }: RecordedExchange): string {
  if (method === 'POST' && message.method !== undefined) return message.method;
  return path === '/mcp' ? method : `${method} ${path}`;
}

function recordOf(request: IncomingMessage, body: Buffer, at: number): RecordedExchange {
  const { rawHeaders } = request;
  const headers: Array<[string, string]> = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    headers.push([name, withoutSecret(name.toLowerCase(), rawHeaders[i + 1] ?? '')]);
  }
  return {
    method: request.method ?? '',
    path: (request.url ?? '').replace(/[?#].*$/, ''),
    headers,
    message: body.length > 0 ? (JSON.parse(body.toString('utf8')) as RecordedExchange['message']) : {},
    at,
    status: undefined,
    code: undefined,
  };
}

function withoutSecret(name: string, value: string): string {
  if (name === 'authorization') return value.split(', ').map(schemeOf).join(', ');
  if (name === 'mcp-session-id') return '<session>';
  if (name === 'cookie') return '<cookie>';
  return value;
}

/** What is no `scheme token` may be a bare secret. */
function schemeOf(credentials: string): string {
  const [, scheme] = /^(Bearer|Basic|DPoP) /i.exec(credentials) ?? [];
  return scheme === undefined ? '<secret>' : `${scheme} <token>`;
}

function refusalCode({ statusCode = 0 }: IncomingMessage, body: Buffer): string | undefined {
  if (statusCode < 400) return undefined;
  return (JSON.parse(body.toString('utf8')) as { error?: string }).error;
}
