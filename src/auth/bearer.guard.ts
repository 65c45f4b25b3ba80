/**
 * Gate 8, first half: who comes. Whatever is wrong with a token looks the same from outside; the named
 * reason goes to the log only.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { Endpoint } from '../config/endpoint.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { type Exchange, exchangeOf, shown } from '../exchange/exchange.js';
import { ScopeCatalog } from './scope-catalog.js';
import { readBearer } from '../protocol/bearer.js';
import { neededScopes } from './needed-scopes.js';
import { TokenPolicy, type TokenVerdict } from './token-policy.js';

@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly policy: TokenPolicy,
    private readonly endpoint: Endpoint,
    private readonly catalog: ScopeCatalog,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeOf(context.getArgByIndex<IncomingMessage>(0));
    const bearer = readBearer(shown(exchange.head, 'head').authorization);
    if (bearer.kind === 'none') {
      throw new BoundaryError('authorization_required', {
        scopes: neededScopes(context, exchange, this.catalog),
      });
    }
    if (bearer.kind === 'malformed') {
      return this.#judge(context, exchange, { ok: false, code: 'invalid_token', reason: 'malformed' });
    }
    const verdict = this.policy.authenticate(bearer.token, this.endpoint.resource);
    return verdict instanceof Promise
      ? verdict.then((settled) => this.#judge(context, exchange, settled))
      : this.#judge(context, exchange, verdict);
  }

  #judge(context: ExecutionContext, exchange: Exchange, verdict: TokenVerdict): boolean {
    if (verdict.ok) {
      exchange.principal = verdict.principal;
      return true;
    }
    const { code, reason } = verdict;
    if (code === 'forbidden') throw new BoundaryError(code, { reason });
    throw new BoundaryError(code, { reason, scopes: neededScopes(context, exchange, this.catalog) });
  }
}
