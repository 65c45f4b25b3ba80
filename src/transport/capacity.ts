/**
 * Counts what is under way at once. Requests whose body is still arriving are counted apart from those being
 * processed, so that slow senders cannot starve the rest. Owns the numbers; the gates ask.
 */
import { Injectable } from '@nestjs/common';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import type { Exchange } from '../exchange/exchange.js';

@Injectable()
export class Capacity {
  #processing = 0;
  #bodies = 0;
  #closing = false;

  constructor(private readonly settings: BoundarySettings) {}

  /** From now on every request is refused: the server is stopping. */
  close(): void {
    this.#closing = true;
  }

  /** Requests being processed; a stop waits until there is none. */
  get processing(): number {
    return this.#processing;
  }

  /** Takes a place among the processed ones, or refuses with 503 `overloaded`. */
  process(exchange: Exchange): void {
    this.leave(exchange);
    if (this.#closing || exchange.overCapacity || this.#processing >= this.settings.maxConcurrentRequests) {
      throw this.#overloaded();
    }
    this.#processing++;
    exchange.slot = 'processing';
  }

  /** Gives that place back while the body arrives and takes one among the arriving ones, or refuses. */
  receiveBody(exchange: Exchange): void {
    this.leave(exchange);
    if (this.#bodies >= this.settings.maxPendingBodies) throw this.#overloaded();
    this.#bodies++;
    exchange.slot = 'body';
  }

  leave(exchange: Exchange): void {
    if (exchange.slot === 'processing') this.#processing--;
    else if (exchange.slot === 'body') this.#bodies--;
    exchange.slot = 'none';
  }

  /** The request is over: answered or given up, and no method of it runs. */
  end(exchange: Exchange): void {
    this.leave(exchange);
    const { onEnd } = exchange;
    exchange.onEnd = undefined;
    onEnd?.();
  }

  #overloaded(): BoundaryError {
    return new BoundaryError('overloaded', { retryAfterSeconds: this.settings.retryAfterSeconds });
  }
}
