/** Gate 3: Host is one of ours, so that a name that was rebound to this address is refused. */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { Endpoint } from '../config/endpoint.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { exchangeOf, shown } from '../exchange/exchange.js';

@Injectable()
export class HostGuard implements CanActivate {
  constructor(private readonly endpoint: Endpoint) {}

  canActivate(context: ExecutionContext): boolean {
    const { host } = shown(exchangeOf(context.getArgByIndex<IncomingMessage>(0)).head, 'head');
    if (host === undefined || !this.endpoint.isOwnHost(host)) throw new BoundaryError('invalid_host');
    return true;
  }
}
