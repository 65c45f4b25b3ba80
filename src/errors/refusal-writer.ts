/**
 * Writes a refusal on a response and closes the connection after it. When the caller is still sending a
 * body, what comes is read and thrown away for a bounded while first: closing at once would reset the
 * connection, and the caller could not read why.
 */
import { Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Endpoint } from '../config/endpoint.js';
import { BoundarySettings } from '../config/settings.js';
import { exchangeOf } from '../exchange/exchange.js';
import type { RefusalFacts } from './boundary-error.js';
import type { PublicCode } from './catalog.js';
import { dropFrameworkHeaders } from './framework-headers.js';
import { refusalOf } from './refusal.js';

@Injectable()
export class RefusalWriter {
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
    const { status, headers, body } = refusalOf(code, facts, this.#resourceMetadata);
    dropFrameworkHeaders(response);
    response.writeHead(status, [...headers]);
    if (!isBodyComing(request)) {
      response.end(body);
      return;
    }
    // Nothing of it is processed any more: a caller who never ends its body must not keep a place from others.
    exchange.slotOwner?.leave(exchange);
    // Most bodies have come with their head: corked, such an answer is still one write.
    response.cork();
    response.write(body);
    setImmediate(() => response.uncork());
    discard(request, this.settings.maxDiscardBytes, this.settings.discardTimeoutMs, () => response.end());
  }
}

/** Also when the client asked for `100 Continue`: nothing obliges it to wait (RFC 9110 section 10.1.1). */
function isBodyComing(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed) return false;
  return (
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  );
}

/** Reads and drops until the end of the request, `maxBytes` or `timeoutMs`, whichever comes first. */
function discard(request: IncomingMessage, maxBytes: number, timeoutMs: number, done: () => void): void {
  let left = maxBytes;
  const timer = setTimeout(finish, timeoutMs);
  function finish(): void {
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish);
    done();
  }
  function count(chunk: Uint8Array): void {
    left -= chunk.length;
    if (left < 0) finish();
  }
  request.on('data', count).once('end', finish).once('close', finish);
  request.resume();
}
