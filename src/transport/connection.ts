/**
 * One client connection: its requests are served one at a time, the next one after the previous answer is
 * finished, and none after a refusal. Node alone would run pipelined requests all at once, and the second
 * one even when the connection closes after the first answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { CATALOG, type PublicCode } from '../errors/catalog.js';
import { exchangeOf } from '../exchange/exchange.js';
import { BODY_FAILED } from './body-reader.js';

/** Requests that may wait behind the one being served; no real client sends more ahead. */
const MAX_PIPELINED = 16;

const logger = new Logger('Request');

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ConnectionOptions {
  readonly handle: RequestHandler;
  /** The answer to what the parser refused, as bytes. */
  readonly refusal: (code: PublicCode) => string;
  /** Milliseconds that the client gets to read that answer before the socket is destroyed. */
  readonly lingerMs: number;
  /** Milliseconds that the client may leave an answer unread. */
  readonly writeTimeoutMs: number;
  readonly isOverCapacity: boolean;
}

export class Connection {
  #current: ServerResponse | undefined;
  #waiting: ServerResponse[] = [];
  #isClosing = false;
  #parserError: PublicCode | undefined;
  /** Monotonic milliseconds at which the current answer was first seen to wait for its reader. */
  #unreadSince: number | undefined;
  readonly #onResponseEnd = (): void => this.#advance();
  readonly #onParsed = (): void => {
    const response = this.#current;
    if (response !== undefined) this.options.handle(response.req, response);
  };

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {}

  /** @param response of the request that has come */
  receive(response: ServerResponse): void {
    if (this.#isClosing || this.#parserError !== undefined) return;
    if (this.#current === undefined) this.#serve(response);
    else if (this.#waiting.length < MAX_PIPELINED) this.#waiting.push(response);
    else this.#refuseLast();
  }

  /** The parser gave up on this connection, maybe amid a body, maybe behind requests that still wait. */
  fail(code: PublicCode): void {
    if (this.#isClosing || this.#parserError !== undefined) return;
    this.#parserError = code;
    const request = this.#current?.req;
    if (request === undefined) this.#refuse(code);
    // Refused already: the rest of its body was being thrown away, and no more of it will come.
    else if (exchangeOf(request).closing) this.#current?.end();
    else if (!request.complete) request.emit(BODY_FAILED, code);
  }

  #serve(response: ServerResponse): void {
    this.#current = response;
    exchangeOf(response.req).overCapacity ||= this.options.isOverCapacity;
    response.on('close', this.#onResponseEnd);
    // Only CONNECT has none: it may have waited behind an answer that still had the socket, and nobody else ends it.
    if (response.socket === null) {
      response.assignSocket(this.socket);
      response.once('finish', () => this.socket.destroySoon());
    }
    // Not before the parser is through with what came: a body that came with its head is then there at once.
    process.nextTick(this.#onParsed);
  }

  /**
   * Looked at every so often: an answer that the kernel did not take waits here for a client that may never read.
   * How long other routes of the application may take, e.g. for a download, is theirs to say.
   */
  cutIfUnread(): void {
    if (this.socket.writableLength === 0 || this.#current === undefined) this.#unreadSince = undefined;
    else if (exchangeOf(this.#current.req).entered) {
      const now = performance.now();
      this.#unreadSince ??= now;
      if (now - this.#unreadSince >= this.options.writeTimeoutMs) this.socket.destroy();
    }
  }

  #advance(): void {
    this.#unreadSince = undefined;
    const previous = this.#current;
    this.#current = undefined;
    if (previous === undefined || isLast(previous) || this.socket.destroyed) {
      this.#isClosing = true;
      this.#waiting = [];
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) this.#serve(next);
    else if (this.#parserError !== undefined) this.#refuse(this.#parserError);
  }

  /**
   * More ahead than anybody needs: the last one that waits is the last one of this connection, refused as overloaded
   * if it is ours. The rest is not served, and its sender learns that from `Connection: close`.
   */
  #refuseLast(): void {
    const last = this.#waiting.at(-1);
    if (last === undefined) return;
    exchangeOf(last.req).overCapacity = true;
    last.shouldKeepAlive = false;
  }

  #refuse(code: PublicCode): void {
    this.#isClosing = true;
    if (!this.socket.writable) return;
    // No gate has seen this one, so its line in the log has no method and no path.
    logger.log({ msg: 'request', status: CATALOG[code].status, code });
    this.socket.end(this.options.refusal(code));
    setTimeout(() => this.socket.destroy(), this.options.lingerMs).unref();
  }
}

/** After a refusal, and when the client or HTTP/1.0 asked for it, nothing else on the connection is served. */
function isLast(response: ServerResponse): boolean {
  return exchangeOf(response.req).closing || !response.shouldKeepAlive;
}
