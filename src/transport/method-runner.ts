/**
 * Runs the method of a JSON-RPC request and gives its answer as text. From here on every outcome is a
 * JSON-RPC message with the id of the request, whatever the method does; only what a method threw on purpose
 * is shown.
 */
import { Injectable, Logger } from '@nestjs/common';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { maskedError } from '../errors/masked-error.js';
import { type Exchange, shown } from '../exchange/exchange.js';
import { McpMethodError } from '../methods/mcp-method.js';
import type { MethodEntry } from '../methods/method-table.js';
import { JSON_RPC_ERROR, type JsonRpcId } from '../protocol/json-rpc.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { SessionService } from '../sessions/session.service.js';
import { boundedText, errorText, type JsonRpcFailure, resultText } from './answer.js';
import { Capacity } from './capacity.js';
import { RunningRequest } from './running-request.js';

const NO_PARAMS: JsonObject = Object.freeze({});

interface RequestMessage {
  readonly id: JsonRpcId;
  readonly params: JsonObject | undefined;
}

@Injectable()
export class MethodRunner {
  readonly #logger = new Logger('Boundary');

  constructor(
    private readonly sessions: SessionService,
    private readonly settings: BoundarySettings,
    private readonly capacity: Capacity,
  ) {}

  /** The answer at once when the method gives its result at once. */
  run(entry: MethodEntry, { id, params }: RequestMessage, exchange: Exchange): string | Promise<string> {
    const running = new RunningRequest(
      shown(exchange.principal, 'principal'),
      shown(exchange.session, 'session'),
    );
    try {
      const result = entry.handle(params ?? NO_PARAMS, running);
      if (result instanceof Promise) return this.#await(result, id, running, exchange);
      return this.#answer(id, result);
    } catch (exception) {
      return this.#failed(id, exception, running, exchange);
    }
  }

  async #await(
    pending: Promise<JsonObject | void>,
    id: JsonRpcId,
    running: RunningRequest,
    exchange: Exchange,
  ): Promise<string> {
    this.sessions.register(running.session, id, running);
    exchange.running = true;
    try {
      return this.#answer(id, await pending);
    } catch (exception) {
      return this.#failed(id, exception, running, exchange);
    } finally {
      exchange.running = false;
      this.sessions.unregister(running.session, id, running);
      if (exchange.closed) this.capacity.end(exchange);
    }
  }

  #answer(id: JsonRpcId, result: JsonObject | void): string {
    return boundedText(id, resultText(id, result ?? NO_PARAMS), this.settings.maxResponseBytes);
  }

  /** Even what a method throws on purpose may be too large, or data that is no JSON. */
  #failed(id: JsonRpcId, exception: unknown, running: RunningRequest, exchange: Exchange): string {
    try {
      const text = errorText(id, this.#failureOf(exception, running, exchange));
      return boundedText(id, text, this.settings.maxResponseBytes);
    } catch (unwritable) {
      return errorText(id, this.#unforeseen(unwritable, exchange));
    }
  }

  #failureOf(exception: unknown, running: RunningRequest, exchange: Exchange): JsonRpcFailure {
    if (exception instanceof McpMethodError) {
      const { code, message, data } = exception;
      return data === undefined ? { code, message } : { code, message, data };
    }
    if (exception instanceof BoundaryError) {
      return {
        code: JSON_RPC_ERROR.internalError,
        message: 'Internal error',
        data: { code: exception.code },
      };
    }
    if (running.isCancelled) {
      return {
        code: JSON_RPC_ERROR.internalError,
        message: 'Request cancelled',
        data: { code: 'request_cancelled' },
      };
    }
    return this.#unforeseen(exception, exchange);
  }

  #unforeseen(exception: unknown, exchange: Exchange): JsonRpcFailure {
    this.#logger.error({ msg: 'a method failed', err: maskedError(exception, exchange) });
    return { code: JSON_RPC_ERROR.internalError, message: 'Internal error' };
  }
}
