/**
 * Gate 7: framing, then the bytes within their bounds, then strict JSON, then exactly one JSON-RPC message.
 * Nothing of a body that is too large, or that nobody asked for, is kept or parsed.
 */
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { type Exchange, exchangeOf, shown } from '../exchange/exchange.js';
import type { Head } from '../protocol/header-fields.js';
import { type JsonRpcMessage, parseEnvelope } from '../protocol/json-rpc.js';
import { parseStrictJsonBytes } from '../protocol/strict-json.js';
import { readArrived, readBody } from './body-reader.js';
import { Capacity } from './capacity.js';

const PLAIN_DECIMAL = /^[0-9]+$/;

@Injectable()
export class BodyGuard implements CanActivate {
  readonly #logger = new Logger('Boundary');
  #hasWarned = false;

  constructor(
    private readonly settings: BoundarySettings,
    private readonly capacity: Capacity,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.getArgByIndex<IncomingMessage>(0);
    const exchange = exchangeOf(request);
    const head = shown(exchange.head, 'head');
    const length = bodyLength(head, this.settings.maxBodyBytes);
    if (length === 0) return true;
    if (isConsumed(request)) return this.#refuseConsumed();
    const bytes = readArrived(request, length);
    if (bytes === undefined) return this.#receive(request, exchange, length, context.getArgByIndex(1));
    this.#parse(bytes, exchange);
    return true;
  }

  async #receive(
    request: IncomingMessage,
    exchange: Exchange,
    length: number,
    response: ServerResponse,
  ): Promise<boolean> {
    // On somebody else's server the parser may still be amid what came with the head.
    await Promise.resolve();
    let bytes = readArrived(request, length);
    if (bytes === undefined) {
      // Only who is waited for needs a place among the pending: slow senders never keep out whole requests.
      if (!this.capacity.hasRoomForBody) throw this.capacity.overloaded();
      this.capacity.receiveBody(exchange);
      if (exchange.expectsContinue) {
        exchange.expectsContinue = false;
        response.writeContinue();
      }
      bytes = await readBody(request, length, this.settings.bodyTimeoutMs);
      this.capacity.process(exchange);
    }
    this.#parse(bytes, exchange);
    return true;
  }

  #parse(bytes: Uint8Array, exchange: Exchange): void {
    exchange.bodyRead = true;
    exchange.message = messageOf(bytes, this.settings.maxJsonDepth);
  }

  #refuseConsumed(): never {
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      this.#logger.error({
        msg:
          'something has read the body before the MCP endpoint could, most likely express.json(): create the ' +
          'application with NestFactory.create(AppModule, new BoundaryExpressAdapter()), or with ' +
          '{ bodyParser: false } and express.json() on your own paths only',
      });
    }
    throw new BoundaryError('body_already_consumed');
  }
}

/** Whether a body parser or another reader was here before: no byte of the body would ever come. */
function isConsumed(request: IncomingMessage & { readonly body?: unknown }): boolean {
  return request.body !== undefined || request.readableDidRead || request.readableEnded;
}

/** Announced length of the body; 0 when there is none and none is needed (GET, DELETE). */
function bodyLength(head: Head, maxBytes: number): number {
  if (head.transferEncoding !== undefined) throw new BoundaryError('transfer_encoding_not_supported');
  const isPost = head.method === 'POST';
  if (head.contentLength === undefined) {
    if (isPost) throw new BoundaryError('length_required');
    return 0;
  }
  if (!PLAIN_DECIMAL.test(head.contentLength)) throw new BoundaryError('invalid_content_length');
  const length = Number(head.contentLength);
  if (length > maxBytes) throw new BoundaryError('body_too_large');
  if (!isPost && length > 0)
    throw new BoundaryError('invalid_content_length', { reason: 'body_not_allowed' });
  if (isPost && length === 0) throw new BoundaryError('empty_body');
  return length;
}

function messageOf(bytes: Uint8Array, maxDepth: number): JsonRpcMessage {
  const parsed = parseStrictJsonBytes(bytes, { maxDepth });
  if (!parsed.ok) throw new BoundaryError(parsed.code, { reason: parsed.reason });
  const envelope = parseEnvelope(parsed);
  if (!envelope.ok) throw new BoundaryError(envelope.code, { reason: envelope.reason });
  return envelope.message;
}
