/**
 * The two scope gates: ScopeGuard asks for the base scope of the HTTP handler (gate 8), MethodScopeGuard for
 * the scope of the JSON-RPC method (gate 10). Both read metadata and name in the challenge what the whole
 * operation needs, so that a client asks its authorization server once.
 */
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../errors/boundary-error.js';
import { exchangeOf, shown } from '../exchange/exchange.js';
import { ScopeCatalog } from './scope-catalog.js';
import type { ChallengeScope } from '../config/settings.js';
import { baseScopeOf, methodScopeOf, neededScopes } from './needed-scopes.js';

/** Injection token of the effective `challengeScope`. */
export const CHALLENGE_SCOPE = Symbol('CHALLENGE_SCOPE');

/**
 * Scopes for the challenge of a 403: what is needed, or, `granted-and-needed`, joined with what the token has
 * and this server knows, in `scopes_supported` order. Without the union the official client asks its
 * authorization server for the new scope alone, loses the old one, and logs in for ever.
 */
export function challengeScopes(
  needed: readonly string[],
  granted: readonly string[],
  supported: readonly string[],
  mode: ChallengeScope,
): readonly string[] {
  if (mode === 'needed') return needed;
  return supported.filter((scope) => needed.includes(scope) || granted.includes(scope));
}

abstract class RequiredScopeGuard implements CanActivate {
  constructor(
    protected readonly catalog: ScopeCatalog,
    private readonly mode: ChallengeScope,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeOf(context.getArgByIndex<IncomingMessage>(0));
    const granted = shown(exchange.principal, 'principal').scopes;
    const required = this.required(context);
    if (required === undefined || granted.includes(required)) return true;
    const needed = neededScopes(context, exchange, this.catalog);
    throw new BoundaryError('insufficient_scope', {
      scopes: challengeScopes(needed, granted, this.catalog.supported, this.mode),
    });
  }

  protected abstract required(context: ExecutionContext): string | undefined;
}

@Injectable()
export class ScopeGuard extends RequiredScopeGuard {
  constructor(catalog: ScopeCatalog, @Inject(CHALLENGE_SCOPE) mode: ChallengeScope) {
    super(catalog, mode);
  }

  protected override required(context: ExecutionContext): string {
    return baseScopeOf(context, exchangeOf(context.getArgByIndex<IncomingMessage>(0)));
  }
}

@Injectable()
export class MethodScopeGuard extends RequiredScopeGuard {
  constructor(catalog: ScopeCatalog, @Inject(CHALLENGE_SCOPE) mode: ChallengeScope) {
    super(catalog, mode);
  }

  protected override required(context: ExecutionContext): string | undefined {
    return methodScopeOf(exchangeOf(context.getArgByIndex<IncomingMessage>(0)), this.catalog);
  }
}
