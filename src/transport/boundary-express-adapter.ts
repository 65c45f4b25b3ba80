/**
 * Nest's Express adapter on our own HTTP server, with a short way for the static routes that Nest registers:
 * they are found in a Map by method and target and handed to Nest's handler before Express sees the request.
 * Express changes the prototypes of request and response of every request, which costs more than all gates
 * together. What follows: Express middleware does not run on these routes. Everything else goes to Express, but
 * for targets that it cannot route (another form than a path, broken percent-encoding): it would answer them by
 * itself, so they go to the handler for every path.
 */
import { ExpressAdapter } from '@nestjs/platform-express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBoundaryHttpServer, type HttpServerSettings } from './http-server.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;
type ExpressHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The pattern that leads every path to one handler, `/` among them. */
export const ANY_PATH = '{*rest}';

const STATIC_PATH = /^(?:\/[\w.~-]+)+$/;

export class BoundaryExpressAdapter extends ExpressAdapter {
  readonly #direct = new Map<string, Handler>();
  #anywhere: Handler | undefined;

  constructor(private readonly settings: HttpServerSettings) {
    super();
  }

  override initHttpServer(): void {
    const express = this.getInstance<ExpressHandler>();
    this.httpServer = createBoundaryHttpServer(this.settings, (request, response) => {
      const target = request.url ?? '';
      const handler =
        this.#direct.get(`${request.method} ${target}`) ?? (isPath(target) ? undefined : this.#anywhere);
      if (handler === undefined) express(request, response);
      else void handler(request, response, unreachable);
    });
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
    const [path, handler] = args;
    if (path === `/${ANY_PATH}` && typeof handler === 'function') this.#anywhere = handler as Handler;
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
    if (typeof path === 'string' && typeof handler === 'function' && STATIC_PATH.test(path)) {
      this.#direct.set(`${method} ${path}`, handler as Handler);
    }
  }
}

/** Whether Express can find the path of a target and decode it. */
function isPath(target: string): boolean {
  if (!target.startsWith('/')) return false;
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
