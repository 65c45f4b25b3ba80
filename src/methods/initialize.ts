/**
 * `initialize` (2025-11-25 basic/lifecycle): judges the shape of its params, opens the session, answers with
 * the one revision that is spoken here, whatever was proposed. Not an `@McpMethod`: it runs before there is
 * a session, and its answer bears a header.
 */
import { Injectable } from '@nestjs/common';
import { BoundaryError } from '../errors/boundary-error.js';
import type { Principal } from '../exchange/principal.js';
import type { Session } from '../exchange/session.js';
import { SPOKEN_REVISION } from '../protocol/revisions.js';
import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { SessionService } from '../sessions/session.service.js';
import { SERVER_INFO } from './server-info.js';

const MAX_REVISION_LENGTH = 64;

const RESULT: JsonObject = {
  protocolVersion: SPOKEN_REVISION,
  capabilities: { resources: { listChanged: true } },
  serverInfo: { ...SERVER_INFO },
};

@Injectable()
export class InitializeMethod {
  constructor(private readonly sessions: SessionService) {}

  /** Refuses with 400 `invalid_initialize` or 503 `session_capacity_exceeded`. */
  async initialize(
    params: JsonObject | undefined,
    { subject, tenant, authorizationRevision }: Principal,
  ): Promise<{ session: Session; result: JsonObject }> {
    if (!isInitializeParams(params)) throw new BoundaryError('invalid_initialize');
    return { session: await this.sessions.open({ subject, tenant, authorizationRevision }), result: RESULT };
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members beyond the three are the specification's business (title, icons, `_meta` …) and are borne. */
function isInitializeParams(params: JsonObject | undefined): boolean {
  if (params === undefined) return false;
  const { protocolVersion, capabilities, clientInfo } = params;
  return (
    typeof protocolVersion === 'string' &&
    protocolVersion.length > 0 &&
    protocolVersion.length <= MAX_REVISION_LENGTH &&
    isObject(capabilities) &&
    isObject(clientInfo) &&
    typeof clientInfo['name'] === 'string' &&
    typeof clientInfo['version'] === 'string'
  );
}
