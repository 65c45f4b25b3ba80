/*
 * One HTTP/1.1 exchange over node:http, exactly as told: header lines may repeat, nothing is added but Host and
 * Content-Length, redirects are never followed. Every exchange has a connection of its own unless one is given.
 * Only hosts that the configuration names are ever contacted. Times are monotonic milliseconds.
 */
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import type { Secrets } from '../secrets.js';

/** A header line; the same name may come twice. */
export type HeaderLine = readonly [name: string, value: string];

/** What to send. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  readonly body?: string | Buffer;
  /** A connection to share; without it a fresh one is opened and closed. */
  readonly connection?: http.Agent;
  /** Sees each piece of the body with its arrival; returning 'close' ends the connection at once. */
  readonly onChunk?: (chunk: Buffer, atMs: number) => 'close' | undefined;
  /** Sees status and headers before the body. */
  readonly onHead?: (answer: AnswerHead) => void;
  /** Ends the connection when it fires; what came so far is the answer. */
  readonly until?: AbortSignal;
}

/** Status line and headers as they came. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly reusedConnection: boolean;
  readonly headAtMs: number;
}

/** A complete answer, or what came before it ended. `cut`: the connection ended before the body did. */
export interface Answer extends AnswerHead {
  readonly body: string;
  readonly bytes: Buffer;
  readonly cut: boolean;
  readonly endAtMs: number;
}

/** A request that never got an answer: refused, reset, timed out. `code` is the system's word for it. */
export class ExchangeFailed extends Error {
  constructor(
    readonly code: string,
    cause?: unknown,
  ) {
    super(`no answer: ${code}`, { cause });
  }
}

/** A request to a host that the configuration does not name; it was not sent. */
export class HostNotNamed extends Error {
  constructor(readonly host: string) {
    super('the configuration does not name this host');
  }
}

/** Longest body that is kept; a stream is read piecewise and not kept at all. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** What a client needs to know. */
export interface ClientOptions {
  /** `host:port` with the default port spelled out. */
  readonly allowedHosts: ReadonlySet<string>;
  readonly secrets: Secrets;
  readonly ca?: Buffer;
}

/** `host:port` of a URL, port always given. */
export function hostOf(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}

/** First value of a header, or undefined. */
export function headerOf(headers: readonly HeaderLine[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** Sends exchanges and watches every answer for the tokens of the run. */
export class Client {
  /** Set once any answer, in head or body, held one of the run's secrets. */
  sawSecret = false;

  constructor(private readonly options: ClientOptions) {}

  /** A kept-alive connection for several exchanges; destroy it afterwards. */
  connection(url: URL): http.Agent {
    const Agent = url.protocol === 'https:' ? https.Agent : http.Agent;
    return new Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
  }

  /** Sends one request. Throws ExchangeFailed or HostNotNamed; an abort of `signal` throws ExchangeFailed('ABORTED'). */
  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
    const host = hostOf(outgoing.url);
    if (!this.options.allowedHosts.has(host)) throw new HostNotNamed(host);
    if (signal.aborted) throw new ExchangeFailed('ABORTED');
    const watch = (text: string): void => {
      if (this.options.secrets.appearIn(text)) this.sawSecret = true;
    };
    return exchange(outgoing, this.options, watch, signal);
  }
}

function exchange(
  outgoing: Outgoing,
  { ca, secrets }: ClientOptions,
  watch: (text: string) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const { url, body } = outgoing;
  const overlap = secrets.longest;
  const lines: string[] = ['Host', url.host];
  for (const [name, value] of outgoing.headers) lines.push(name, value);
  if (body !== undefined) lines.push('Content-Length', String(Buffer.byteLength(body)));
  if (outgoing.connection === undefined) lines.push('Connection', 'close');
  const secure = url.protocol === 'https:';

  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const since = (): number => Math.round((performance.now() - startedAt) * 10) / 10;
    const request = (secure ? https : http).request({
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : url.port,
      path: `${url.pathname}${url.search}`,
      method: outgoing.method,
      headers: lines,
      agent: outgoing.connection ?? false,
      ...(secure && ca !== undefined && { ca }),
    });
    const stop = (): void => void request.destroy(new ExchangeFailed('ABORTED'));
    const leave = (): void => void request.destroy(new ExchangeFailed('CLOSED_BY_US'));
    signal.addEventListener('abort', stop, { once: true });
    outgoing.until?.addEventListener('abort', leave, { once: true });
    const release = (): void => {
      signal.removeEventListener('abort', stop);
      outgoing.until?.removeEventListener('abort', leave);
    };

    request.on('error', (error: NodeJS.ErrnoException) => {
      release();
      reject(error instanceof ExchangeFailed ? error : new ExchangeFailed(error.code ?? 'FAILED', error));
    });
    request.on('response', (response) => {
      outgoing.until?.removeEventListener('abort', leave);
      const head = readHead(response, request.reusedSocket, since());
      watch(head.headers.map(([, value]) => value).join('\n'));
      outgoing.onHead?.(head);
      const kept: Buffer[] = [];
      let size = 0;
      let tail = '';
      let settled = false;
      const finish = (cut: boolean): void => {
        if (settled) return;
        settled = true;
        release();
        outgoing.until?.removeEventListener('abort', closeNow);
        const bytes = Buffer.concat(kept);
        resolve({ ...head, bytes, body: bytes.toString('utf8'), cut, endAtMs: since() });
      };
      const closeNow = (): void => {
        finish(true);
        request.destroy();
      };
      if (outgoing.until?.aborted === true) closeNow();
      outgoing.until?.addEventListener('abort', closeNow, { once: true });
      response.on('data', (chunk: Buffer) => {
        if (settled) return;
        const text = tail + chunk.toString('latin1');
        watch(text);
        tail = text.slice(-overlap);
        if (outgoing.onChunk === undefined && size < MAX_BODY_BYTES) kept.push(chunk);
        size += chunk.length;
        if (outgoing.onChunk?.(chunk, since()) === 'close') closeNow();
      });
      response.on('end', () => finish(false));
      response.on('error', () => finish(true));
      response.on('close', () => finish(!response.complete));
    });
    request.end(body);
  });
}

function readHead(response: http.IncomingMessage, reusedConnection: boolean, headAtMs: number): AnswerHead {
  const headers: HeaderLine[] = [];
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    headers.push([response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '']);
  }
  return { status: response.statusCode ?? 0, headers, reusedConnection, headAtMs };
}
