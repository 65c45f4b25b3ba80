/**
 * One HTTP request on a connection of its own, and its whole answer as bytes: bounded in size and in time, no
 * redirect followed, nothing decoded. What the bytes mean is for others.
 */
import { type IncomingMessage, request as openRequest } from 'node:http';
import { ClientError, type ClientErrorCode } from './client-error.js';
import { LOOPBACK_HOST, type LoopbackAddress } from './loopback-url.js';

/** Bytes of the status line and headers of an answer. */
const MAX_HEAD_BYTES = 16 * 1024;
/** RFC 9110: a second value of these would have to be chosen from. */
const SINGLE_VALUED = new Set(['content-type', 'content-length', 'mcp-session-id', 'www-authenticate']);

export interface ExchangeRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as UTF-8 with its Content-Length. */
  readonly body?: string | undefined;
}

export interface AnswerBytes {
  readonly status: number;
  /** Names in lower case; values of a repeated field joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

export interface ExchangeLimits {
  /** Milliseconds from the start to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** @throws ClientError */
export function exchangeBytes(
  { port, path }: LoopbackAddress,
  { method, headers = {}, body }: ExchangeRequest,
  { timeoutMs, maxAnswerBytes }: ExchangeLimits,
): Promise<AnswerBytes> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = openWith({ method, path, port, headers: { ...headers, ...length } });
    let hasAnswer = false;
    const fail = (code: ClientErrorCode, status?: number, reason?: string): void => {
      clearTimeout(timer);
      reject(new ClientError(code, { status, reason }));
      request.destroy();
    };
    const timer = setTimeout(() => fail('timeout'), timeoutMs);

    request.on('error', (error: NodeJS.ErrnoException) => {
      // A server may refuse and close while the body is still being sent; then the answer counts.
      if (hasAnswer) return;
      if (error.code?.startsWith('HPE_') === true) fail('invalid_http', undefined, error.code);
      else fail('connection_failed', undefined, error.code);
    });
    // Nothing here asks for another protocol.
    request.on('upgrade', (response) => fail('unexpected_status', response.statusCode));
    request.on('response', (response) => {
      hasAnswer = true;
      const status = response.statusCode ?? 0;
      if (status >= 300 && status < 400) return fail('redirect_refused', status);
      const answerHeaders = headersOf(response);
      if (answerHeaders === undefined) return fail('duplicate_header', status);

      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) fail('answer_too_large', status);
        else chunks.push(chunk);
      });
      response.on('error', () => fail('truncated_answer', status));
      response.on('close', () => {
        if (!response.complete) return fail('truncated_answer', status);
        clearTimeout(timer);
        resolve({ status, headers: answerHeaders, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}

function openWith(options: {
  method: string;
  path: string;
  port: number;
  headers: Record<string, string>;
}): ReturnType<typeof openRequest> {
  try {
    return openRequest({
      ...options,
      host: LOOPBACK_HOST,
      agent: false,
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
  } catch {
    // Node's words may quote what was given.
    throw new ClientError('invalid_request');
  }
}

/** Undefined where a header that has one value came twice. */
function headersOf(response: IncomingMessage): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  for (let i = 0; i < response.rawHeaders.length; i += 2) {
    const name = (response.rawHeaders[i] ?? '').toLowerCase();
    const value = response.rawHeaders[i + 1] ?? '';
    const before = headers.get(name);
    if (before !== undefined && SINGLE_VALUED.has(name)) return undefined;
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
