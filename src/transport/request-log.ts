/**
 * One line per request: method, path without query, status, public code, duration, and correlation names of
 * token and session. Never a token, session id, claim or body.
 */
import { Injectable, Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundarySettings } from '../config/settings.js';
import { type Exchange, exchangeOf } from '../exchange/exchange.js';
import { readBearer } from '../protocol/bearer.js';
import { Correlation } from './correlation.js';

const MAX_LOGGED_PATH = 128;
const MAX_SEGMENT = 32;
const MAX_PLAIN_PATH = 24;

@Injectable()
export class RequestLog {
  readonly #logger = new Logger('Request');
  readonly #isOn: boolean;

  constructor(
    private readonly correlation: Correlation,
    settings: BoundarySettings,
  ) {
    this.#isOn = settings.logLevel === 'info' || settings.logLevel === 'debug';
  }

  /** Called when the response is closed. */
  write(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isOn) return;
    const exchange = exchangeOf(request);
    this.#logger.log({
      msg: 'request',
      method: request.method,
      path: pathOf(request.url ?? ''),
      status: response.headersSent ? response.statusCode : 0,
      code: exchange.code,
      reason: exchange.reason,
      durationMs: Math.round((performance.now() - exchange.startedAt) * 1000) / 1000,
      token: this.#tokenName(exchange),
      session: this.#sessionName(exchange),
    });
  }

  #tokenName({ head, principal }: Exchange): string | undefined {
    const known = this.correlation.known(principal);
    if (known !== undefined) return known;
    const bearer = readBearer(head?.authorization);
    return bearer.kind === 'token' ? this.correlation.ofToken(bearer.token, principal) : undefined;
  }

  #sessionName({ head, session }: Exchange): string | undefined {
    const known = this.correlation.known(session);
    if (known !== undefined) return known;
    const id = session?.id ?? head?.sessionId;
    return id === undefined ? undefined : this.correlation.ofSession(id, session);
  }
}

/**
 * The path for the log: cut at a query or fragment, where credentials wrongly travel, and with `…` for any other
 * form of target and for segments as long as a credential.
 */
function pathOf(target: string): string {
  if (target.length <= MAX_PLAIN_PATH && target.startsWith('/') && !/[?#]/.test(target)) return target;
  const [path = ''] = target.split(/[?#]/, 1);
  if (!path.startsWith('/')) return '…';
  const segments = path.split('/').map((segment) => (segment.length > MAX_SEGMENT ? '…' : segment));
  return segments.join('/').slice(0, MAX_LOGGED_PATH);
}
