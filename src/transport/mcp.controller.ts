/**
 * The MCP endpoint behind its gates: what is left is to hand the message to its method and write the answer.
 * POST answers raw (JSON, one SSE event or nothing), GET is Nest's `@Sse`, any other HTTP method was refused
 * at gate 5 and never gets here.
 */
import { All, Delete, type MessageEvent, Post, Req, Res, Sse, UseFilters, UseGuards } from '@nestjs/common';
import { IncomingMessage, ServerResponse } from 'node:http';
import { EMPTY, from, type Observable } from 'rxjs';
import { ApplicationConfig } from '@nestjs/core';
import { RequireBaseScope } from '../auth/needed-scopes.js';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { BoundaryExceptionFilter } from '../errors/boundary-exception.filter.js';
import { dropFrameworkHeaders } from '../errors/framework-headers.js';
import { type Exchange, exchangeOf, shown } from '../exchange/exchange.js';
import { InitializeMethod } from '../methods/initialize.js';
import { MethodTable } from '../methods/method-table.js';
import { JSON_RPC_ERROR, type JsonRpcMessage } from '../protocol/json-rpc.js';
import { SessionService } from '../sessions/session.service.js';
import { errorText, resultText, sendEmpty, sendEvent, sendEvents, sendJson } from './answer.js';
import { DirectRoute } from './direct-route.js';
import { hasGlobalInterceptors } from './host-application.js';
import { MethodRunner } from './method-runner.js';
import { RECEIVE_ORDER } from './receive-order.js';
import { RunningRequest } from './running-request.js';

type RequestMessage = Extract<JsonRpcMessage, { kind: 'request' }>;
type NotificationMessage = Extract<JsonRpcMessage, { kind: 'notification' }>;

@UseGuards(...RECEIVE_ORDER)
@UseFilters(BoundaryExceptionFilter)
export class McpController {
  constructor(
    private readonly methods: MethodTable,
    private readonly runner: MethodRunner,
    private readonly initializeMethod: InitializeMethod,
    private readonly sessions: SessionService,
    private readonly settings: BoundarySettings,
    private readonly application: ApplicationConfig,
  ) {}

  @Post()
  @DirectRoute()
  @RequireBaseScope('mcp:use', { initialize: 'mcp:connect' })
  post(@Req() request: IncomingMessage, @Res() response: ServerResponse): void | Promise<void> {
    const exchange = exchangeOf(request);
    const message = shown(exchange.message, 'message');
    if (message.kind === 'request') {
      return message.method === 'initialize'
        ? this.#initialize(message, exchange, response)
        : this.#call(message, exchange, response);
    }
    if (message.kind === 'notification') return this.#accept(message, exchange, response);
    // No server request is ever outstanding here, so a response answers nothing.
    throw new BoundaryError('unexpected_response');
  }

  /**
   * Delivers what is queued for this session and ends; `retry` keeps clients from coming back at once. When the
   * application has global interceptors, Nest would hand them the events: a cache would give one session's events
   * to the next one, a mapper would wrap them. Then they are written here, in the same words, and Nest gets none.
   */
  @Sse()
  @DirectRoute()
  @RequireBaseScope('mcp:stream')
  stream(
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Observable<MessageEvent> {
    const exchange = exchangeOf(request);
    const [first, ...rest] = this.sessions.deliver(
      shown(exchange.session, 'session'),
      exchange.head?.lastEventId,
    );
    const events = [{ ...first, retry: this.settings.streamRetryMs }, ...rest];
    if (hasGlobalInterceptors(this.application)) {
      sendEvents(response, events);
      return EMPTY;
    }
    response.setHeader('X-Content-Type-Options', 'nosniff');
    dropFrameworkHeaders(response);
    return from(events as MessageEvent[]);
  }

  @Delete()
  @DirectRoute()
  @RequireBaseScope('mcp:session')
  async delete(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    await this.sessions.end(shown(exchangeOf(request).session, 'session'));
    sendEmpty(response, 204);
  }

  /** Gives the gates a route for every other HTTP method; the route gate refuses all of them. */
  @All()
  @DirectRoute()
  refuse(): never {
    throw new BoundaryError('method_not_allowed');
  }

  #call(message: RequestMessage, exchange: Exchange, response: ServerResponse): void | Promise<void> {
    const entry = this.methods.request(message.method);
    if (entry === undefined) {
      sendJson(
        response,
        errorText(message.id, { code: JSON_RPC_ERROR.methodNotFound, message: 'Method not found' }),
      );
      return;
    }
    const text = this.runner.run(entry, message, exchange);
    if (text instanceof Promise)
      return text.then((settled) => this.#send(entry.answer, settled, exchange, response));
    this.#send(entry.answer, text, exchange, response);
  }

  #send(answer: 'json' | 'sse', text: string, exchange: Exchange, response: ServerResponse): void {
    if (answer === 'json') sendJson(response, text);
    else sendEvent(response, this.sessions.nextPostEventId(shown(exchange.session, 'session')), text);
  }

  async #initialize(message: RequestMessage, exchange: Exchange, response: ServerResponse): Promise<void> {
    const principal = shown(exchange.principal, 'principal');
    const { session, result } = await this.initializeMethod.initialize(message.params, principal);
    exchange.session = session;
    sendJson(response, resultText(message.id, result), session.id);
  }

  async #accept(message: NotificationMessage, exchange: Exchange, response: ServerResponse): Promise<void> {
    const entry = this.methods.notification(message.method);
    if (entry === undefined) throw new BoundaryError('unsupported_notification');
    const context = new RunningRequest(
      shown(exchange.principal, 'principal'),
      shown(exchange.session, 'session'),
    );
    await entry.handle(message.params ?? {}, context);
    sendEmpty(response, 202);
  }
}
