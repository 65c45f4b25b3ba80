/**
 * Gate 6: what the caller can take and what it sends. Both types in Accept are a MUST of 2025-11-25
 * ("Sending Messages to the Server"); the check of Content-Type is this server's own hardening.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../errors/boundary-error.js';
import { exchangeOf, shown } from '../exchange/exchange.js';
import { accepts, isJsonContentType } from '../protocol/media-types.js';

@Injectable()
export class MediaGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, accept, contentType } = shown(
      exchangeOf(context.getArgByIndex<IncomingMessage>(0)).head,
      'head',
    );
    if (method === 'DELETE') return true;
    if (!accepts(accept, 'text/event-stream')) throw new BoundaryError('not_acceptable');
    if (method === 'GET') return true;
    if (!accepts(accept, 'application/json')) throw new BoundaryError('not_acceptable');
    if (contentType === undefined || !isJsonContentType(contentType))
      throw new BoundaryError('unsupported_media_type');
    return true;
  }
}
