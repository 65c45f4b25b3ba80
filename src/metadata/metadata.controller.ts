/**
 * `GET /.well-known/oauth-protected-resource` and the same with the path of the endpoint after it: public, so credentials are refused rather than ignored,
 * and not one of their bytes is echoed. The document is serialized once, when the address is known.
 */
import { All, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { IncomingMessage, ServerResponse } from 'node:http';
import { ScopeCatalog } from '../auth/scope-catalog.js';
import { Endpoint } from '../config/endpoint.js';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { BoundaryExceptionFilter } from '../errors/boundary-exception.filter.js';
import { exchangeOf, shown } from '../exchange/exchange.js';
import { sendJson } from '../transport/answer.js';
import { DirectRoute } from '../transport/direct-route.js';
import { FIRST_GATES } from '../transport/receive-order.js';
import { acceptsJson } from './accepts-json.js';
import { protectedResourceMetadata } from './protected-resource-metadata.js';

@UseGuards(...FIRST_GATES)
@UseFilters(BoundaryExceptionFilter)
export class MetadataController {
  #document: string | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly settings: BoundarySettings,
    private readonly catalog: ScopeCatalog,
  ) {}

  @Get()
  @DirectRoute()
  document(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    const head = shown(exchangeOf(request).head, 'head');
    if (head.authorization !== undefined && !this.settings.acceptMetadataCredentials) {
      throw new BoundaryError('metadata_does_not_accept_credentials');
    }
    if (!acceptsJson(head.accept)) throw new BoundaryError('not_acceptable');
    sendJson(response, (this.#document ??= this.#serialize()));
  }

  /** Gives the gates a route for every other HTTP method; the route gate refuses all of them. */
  @All()
  @DirectRoute()
  refuse(): never {
    throw new BoundaryError('method_not_allowed');
  }

  #serialize(): string {
    const { authorizationServers, resourceName } = this.settings;
    return JSON.stringify(
      protectedResourceMetadata(
        this.endpoint.resource,
        authorizationServers,
        this.catalog.supported,
        resourceName,
      ),
    );
  }
}
