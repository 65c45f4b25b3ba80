/**
 * Gate 4: DNS rebinding (2025-11-25 transports, "Security Warning"). A request without Origin does not come
 * from a browser and goes on. A refusal never carries a challenge.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { Endpoint } from '../config/endpoint.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { exchangeOf, shown } from '../exchange/exchange.js';

@Injectable()
export class OriginGuard implements CanActivate {
  constructor(private readonly endpoint: Endpoint) {}

  canActivate(context: ExecutionContext): boolean {
    const { origin } = shown(exchangeOf(context.getArgByIndex<IncomingMessage>(0)).head, 'head');
    if (origin !== undefined && !this.endpoint.isAllowedOrigin(origin))
      throw new BoundaryError('invalid_origin');
    return true;
  }
}
