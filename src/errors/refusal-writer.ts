/**
 * Writes a refusal on a response and closes the connection after it. When the caller is still sending a
 * body, what comes is read and thrown away for a bounded while first: closing at once would reset the
 * connection, and the caller could not read why.
 */
import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Endpoint } from '../config/endpoint.js';
import { BoundarySettings } from '../config/settings.js';
import { type Exchange, exchangeOf } from '../exchange/exchange.js';
import type { RefusalFacts } from './boundary-error.js';
import type { PublicCode } from './catalog.js';
import { dropFrameworkHeaders } from './framework-headers.js';
import { type Refusal, refusalOf } from './refusal.js';

/** Codes, scopes and methods are few, so refusals repeat; the bound is for scopes that a foreign policy made up. */
const MAX_KEPT_REFUSALS = 256;

@Injectable()
export class RefusalWriter {
  readonly #kept = new Map<string, Refusal>();
  readonly #resourceMetadata = (): string => this.endpoint.resourceMetadata;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly settings: BoundarySettings,
  ) {}

  write(request: IncomingMessage, response: ServerResponse, code: PublicCode, facts: RefusalFacts): void {
    const exchange = exchangeOf(request);
    exchange.code = code;
    exchange.reason = facts.reason;
    exchange.closing = true;
    const { status, headers, body } = this.#refusalOf(code, facts);
    dropFrameworkHeaders(response);
    response.writeHead(status, headers);
    if (!isBodyComing(request, exchange)) {
      response.end(body);
      return;
    }
    // Nothing of it is processed any more: a caller who never ends its body must not keep a place from others.
    exchange.slotOwner?.leave(exchange);
    response.cork();
    response.write(body);
    endAfterBody(request, response, this.settings.maxDiscardBytes, this.settings.discardTimeoutMs);
  }

  #refusalOf(code: PublicCode, facts: RefusalFacts): Refusal {
    const { scopes, allow, retryAfterSeconds } = facts;
    const key =
      scopes === undefined && allow === undefined && retryAfterSeconds === undefined
        ? code
        : `${code}\n${scopes?.join(' ')}\n${allow?.join(' ')}\n${retryAfterSeconds}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const refusal = refusalOf(code, facts, this.#resourceMetadata);
    if (this.#kept.size < MAX_KEPT_REFUSALS) this.#kept.set(key, refusal);
    return refusal;
  }
}

/** Also when the client asked for `100 Continue`: nothing obliges it to wait (RFC 9110 section 10.1.1). */
function isBodyComing(request: IncomingMessage, { bodyRead }: Exchange): boolean {
  if (bodyRead || request.complete || request.destroyed) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) !== request.readableLength);
}

/**
 * Reads and drops until the end of the request, `maxBytes` or `timeoutMs`, whichever comes first, and then ends
 * the corked response. Most bodies have come with their head: then the answer is one write, and no timer is made.
 */
function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  timeoutMs: number,
): void {
  let left = maxBytes;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  function finish(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish);
    response.end();
  }
  function count(chunk: Uint8Array): void {
    left -= chunk.length;
    if (left < 0) finish();
  }
  request.on('data', count).on('end', finish).on('close', finish);
  setImmediate(() => {
    if (isOver) return;
    response.uncork();
    timer = setTimeout(finish, timeoutMs);
  });
}
