import { Injectable } from '@nestjs/common';
import { tenantHandbookUri } from '../protocol/resource-uri.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { McpMethod, type MethodContext } from './mcp-method.js';
import { refuseParams } from './params.js';

/** `resources/list` (2025-11-25 server/resources): the handbook of the caller's tenant, and no other. */
@Injectable()
export class ResourcesListMethod {
  @McpMethod('resources/list', { scope: 'resources:read', answer: 'sse', replaceable: true })
  list(params: JsonObject, { principal }: MethodContext): JsonObject {
    refuseParams(params);
    return {
      resources: [{ uri: tenantHandbookUri(principal.tenant), name: 'handbook', mimeType: 'text/markdown' }],
    };
  }
}
