/**
 * Gate 10, tenant data: whether this tenant has anything here that the method could act on. A port of its own
 * because the token policy knows who may act for a tenant, not what a tenant owns.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../errors/boundary-error.js';
import type { Awaitable } from '../exchange/awaitable.js';
import { exchangeOf, shown } from '../exchange/exchange.js';
import type { Principal } from '../exchange/principal.js';
import { ScopeCatalog } from './scope-catalog.js';
import { methodScopeOf } from './needed-scopes.js';

export abstract class TenantDirectory {
  /** False refuses with 403 `forbidden`. Asked for methods that need a scope of their own. */
  abstract hasData(principal: Principal, method: string): Awaitable<boolean>;
}

/** The default: every tenant that the token policy admits has its data. */
export class EveryTenant extends TenantDirectory {
  override hasData(): boolean {
    return true;
  }
}

@Injectable()
export class TenantDataGuard implements CanActivate {
  constructor(
    private readonly tenants: TenantDirectory,
    private readonly catalog: ScopeCatalog,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeOf(context.getArgByIndex<IncomingMessage>(0));
    const { message } = exchange;
    if (message?.kind !== 'request' || methodScopeOf(exchange, this.catalog) === undefined) return true;
    const has = this.tenants.hasData(shown(exchange.principal, 'principal'), message.method);
    return has instanceof Promise ? has.then(admit) : admit(has);
  }
}

function admit(hasData: boolean): boolean {
  if (!hasData) throw new BoundaryError('forbidden', { reason: 'no_tenant_data' });
  return true;
}
