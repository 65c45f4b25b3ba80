/** Gate 2: the head within its bounds and by its grammar, read once for all later gates. */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { exchangeOf } from '../exchange/exchange.js';
import { readHead } from '../protocol/header-fields.js';

/** Express keeps the target as it came here when a router was mounted under a path. */
type MaybeExpress = IncomingMessage & { readonly originalUrl?: string };

@Injectable()
export class HeadGuard implements CanActivate {
  constructor(private readonly settings: BoundarySettings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.getArgByIndex<MaybeExpress>(0);
    const target = request.originalUrl ?? request.url ?? '';
    const result = readHead(request.method ?? '', target, request.rawHeaders, this.settings);
    if (!result.ok)
      throw new BoundaryError(result.code, result.reason === undefined ? {} : { reason: result.reason });
    // The parser also takes 0.9 (no version at all) and 2.0, which nobody else on the way reads as HTTP/1.
    if (request.httpVersionMajor !== 1) throw new BoundaryError('invalid_header', { reason: 'http_version' });
    exchangeOf(request).head = result.head;
    return true;
  }
}
