/**
 * Gate 5. Nest has routed before its guards run, and Express compares paths loosely; so whatever handler a
 * request reached, it goes on only if its path and method exist exactly as they stand.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { exchangeOf, shown } from '../exchange/exchange.js';
import { RouteTable } from './route-table.js';

@Injectable()
export class RouteGuard implements CanActivate {
  constructor(private readonly routes: RouteTable) {}

  canActivate(context: ExecutionContext): boolean {
    const { method, target } = shown(exchangeOf(context.getArgByIndex<IncomingMessage>(0)).head, 'head');
    this.routes.check(method, target);
    return true;
  }
}
