/**
 * Gate 1, and the frame around all others: takes a place for the request and, when its response is closed,
 * gives the place back and writes the line in the log.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exchangeOf } from '../exchange/exchange.js';
import { Capacity } from './capacity.js';
import { RequestLog } from './request-log.js';

@Injectable()
export class CapacityGuard implements CanActivate {
  /** One listener for all responses, instead of a closure for each. */
  readonly #onClose: (this: ServerResponse) => void;

  constructor(
    private readonly capacity: Capacity,
    requestLog: RequestLog,
  ) {
    this.#onClose = function onClose(this: ServerResponse): void {
      const exchange = exchangeOf(this.req);
      exchange.closed = true;
      // A method that still runs keeps its place until it ends, although nobody waits for its answer.
      if (!exchange.running) capacity.end(exchange);
      requestLog.write(this.req, this);
    };
  }

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeOf(context.getArgByIndex<IncomingMessage>(0));
    exchange.entered = true;
    context.getArgByIndex<ServerResponse>(1).on('close', this.#onClose);
    this.capacity.process(exchange);
    return true;
  }
}
