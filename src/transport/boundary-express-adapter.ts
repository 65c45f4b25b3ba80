/**
 * Nest's Express adapter on our own HTTP server, with a short way for the boundary's own routes: they are found
 * in a Map by method and target and handed to Nest's handler before Express sees the request. Express changes the
 * prototypes of request and response of every request, which costs more than all gates together. What follows:
 * Express middleware, body parsers among it, does not run on these routes. Everything else goes to Express as
 * ever, but, in the standalone server, for targets that it cannot route (another form than a path, broken
 * percent-encoding): it would answer them by itself, so they go to the handler for every path.
 */
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { settingsFrom } from '../config/environment.js';
import type { BoundarySettings, SettingsInput } from '../config/settings.js';
import { exchangeOf } from '../exchange/exchange.js';
import { isDirectRoute } from './direct-route.js';
import { createBoundaryHttpServer } from './http-server.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

/** An Express application, as far as it is used here: a request handler that holds the prototypes it gives. */
interface ExpressApplication {
  (request: IncomingMessage, response: ServerResponse): void;
  readonly request: object;
  readonly response: object;
}

/** The pattern that leads every path to one handler, `/` among them. */
export const ANY_PATH = '{*rest}';

const ANY_METHOD = '*';
/** Node's default. The gates time the bodies of the endpoint; an upload to another route may take its time. */
const HOST_REQUEST_TIMEOUT_MS = 300_000;

/**
 * `NestFactory.create(AppModule, new BoundaryExpressAdapter(settings))`: gives an application that imports
 * `BoundaryModule` the HTTP server of the standalone one, and keeps its body parser away from the MCP endpoint.
 */
export class BoundaryExpressAdapter extends ExpressAdapter {
  readonly #settings: BoundarySettings;
  /** Handlers by path and method; see ANY_METHOD. */
  readonly #direct = new Map<string, Map<string, Handler>>();
  #anywhere: Handler | undefined;
  #dresses = false;

  /**
   * @param settings of the HTTP server; the same that `BoundaryModule` gets
   * @param express an Express application of your own; default: a new one
   * @throws SettingsError
   */
  constructor(settings: SettingsInput = {}, express?: unknown) {
    super(express);
    this.#settings = settingsFrom(settings);
  }

  override initHttpServer(options: NestApplicationOptions = {}): void {
    if (options.httpsOptions !== undefined) {
      throw new Error(
        'BoundaryExpressAdapter speaks plain HTTP: leave httpsOptions out and put a TLS proxy before it',
      );
    }
    const express = this.getInstance<ExpressApplication>();
    const server = createBoundaryHttpServer(this.#settings, (request, response) => {
      const handler = this.#handlerOf(request);
      if (handler === undefined) {
        this.#continueForeign(request, response);
        express(request, response);
        return;
      }
      if (this.#dresses) dress(request, response, express);
      void handler(request, response, unreachable);
    });
    server.once('listening', () => {
      if (this.#anywhere === undefined) server.requestTimeout = HOST_REQUEST_TIMEOUT_MS;
    });
    this.httpServer = server;
  }

  /** From now on the handlers' requests and responses have Express's methods: global guards may call them. */
  dressRequestsAsExpress(): void {
    this.#dresses = true;
  }

  override get(...args: unknown[]): unknown {
    this.#remember('GET', args);
    return super.get(...(args as Parameters<ExpressAdapter['get']>));
  }

  override post(...args: unknown[]): unknown {
    this.#remember('POST', args);
    return super.post(...(args as Parameters<ExpressAdapter['post']>));
  }

  override delete(...args: unknown[]): unknown {
    this.#remember('DELETE', args);
    return super.delete(...(args as Parameters<ExpressAdapter['delete']>));
  }

  override all(...args: unknown[]): unknown {
    this.#remember(ANY_METHOD, args);
    return super.all(...(args as Parameters<ExpressAdapter['all']>));
  }

  /** Plain responses do not have Express's `status()`. */
  override status(response: ServerResponse, statusCode: number): ServerResponse {
    response.statusCode = statusCode;
    return response;
  }

  override setHeader(response: ServerResponse, name: string, value: string): ServerResponse {
    return response.setHeader(name, value);
  }

  #remember(method: string, [path, handler]: unknown[]): void {
    if (typeof path !== 'string' || typeof handler !== 'function' || !isDirectRoute(handler)) return;
    if (path === `/${ANY_PATH}`) {
      this.#anywhere = handler as Handler;
      return;
    }
    const byMethod = this.#direct.get(path) ?? new Map<string, Handler>();
    // As in Express, the first one that is registered serves.
    if (!byMethod.has(method)) byMethod.set(method, handler as Handler);
    this.#direct.set(path, byMethod);
  }

  #handlerOf({ method = '', url = '' }: IncomingMessage): Handler | undefined {
    const byMethod = this.#direct.get(url);
    if (byMethod !== undefined) return byMethod.get(method) ?? byMethod.get(ANY_METHOD);
    return isPath(url) ? undefined : this.#anywhere;
  }

  /** The application's own routes do not know that the gates would have sent `100 Continue`. */
  #continueForeign(request: IncomingMessage, response: ServerResponse): void {
    const exchange = exchangeOf(request);
    if (!exchange.expectsContinue || this.#anywhere !== undefined) return;
    const path = (request.url ?? '').split('?', 1)[0]?.replace(/\/$/, '').toLowerCase();
    for (const own of this.#direct.keys()) if (own.toLowerCase() === path) return;
    exchange.expectsContinue = false;
    response.writeContinue();
  }
}

/** What Express does to a request before its first middleware, without a middleware. */
function dress(request: IncomingMessage, response: ServerResponse, express: ExpressApplication): void {
  Object.setPrototypeOf(request, express.request);
  Object.setPrototypeOf(response, express.response);
  Object.assign(request, { res: response, originalUrl: request.url });
  Object.assign(response, { locals: Object.create(null) as object });
}

/** What sends Express's parser to the deprecated `url.parse`, which warns, and throws where warnings do. */
const UNPARSED = /[#\s\u00a0\ufeff]/;

/** Whether Express can find the path of a target and decode it. */
function isPath(target: string): boolean {
  if (!target.startsWith('/') || UNPARSED.test(target)) return false;
  if (!target.includes('%')) return true;
  try {
    decodeURIComponent(target.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function unreachable(): void {
  throw new Error('a route of the boundary passed its request on');
}
