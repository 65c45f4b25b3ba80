/**
 * Counts what is under way at once. Requests whose body is still arriving are counted apart from those being
 * processed, so that slow senders cannot starve the rest. Owns the numbers; the gates ask.
 */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import type { Exchange, SlotOwner } from '../exchange/exchange.js';

@Injectable()
export class Capacity implements SlotOwner, OnModuleDestroy {
  #processing = 0;
  #bodies = 0;
  #closing = false;

  constructor(private readonly settings: BoundarySettings) {}

  /** The server is stopping: from now on every new request is refused; one whose body arrives may go on. */
  close(): void {
    this.#closing = true;
  }

  /** In an application around the boundary nobody else says so. */
  onModuleDestroy(): void {
    this.close();
  }

  /** No request is under way: a stop need wait no longer. */
  get isIdle(): boolean {
    return this.#processing === 0 && this.#bodies === 0;
  }

  /** Takes a place among the processed ones, or refuses with 503 `overloaded`. */
  process(exchange: Exchange): void {
    const isRefused = this.#closing && exchange.slot === 'none';
    this.leave(exchange);
    const isFull = exchange.overCapacity || this.#processing >= this.settings.maxConcurrentRequests;
    if (isRefused || isFull) throw this.overloaded();
    this.#processing++;
    exchange.slot = 'processing';
    exchange.slotOwner = this;
  }

  get hasRoomForBody(): boolean {
    return this.#bodies < this.settings.maxPendingBodies;
  }

  /** Gives that place back while the body arrives and takes one among the arriving ones. */
  receiveBody(exchange: Exchange): void {
    this.leave(exchange);
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

  overloaded(): BoundaryError {
    return new BoundaryError('overloaded', { retryAfterSeconds: this.settings.retryAfterSeconds });
  }
}
