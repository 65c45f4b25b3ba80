/**
 * The order in which a request is judged, in one place. A gate that refuses answers at once and nothing
 * after it runs, so the order is cheap before dear and anonymous before identified: nobody's body is read
 * before head, host, origin, path and media type are right, no token is judged before the message is one,
 * no session is looked up before the caller is known.
 */
import type { CanActivate, Type } from '@nestjs/common';
import { BearerGuard } from '../auth/bearer.guard.js';
import { OriginGuard } from '../auth/origin.guard.js';
import { MethodScopeGuard, ScopeGuard } from '../auth/scope.guard.js';
import { TenantDataGuard } from '../auth/tenant-directory.js';
import type { PublicCode } from '../errors/catalog.js';
import { SessionGuard } from '../sessions/session.guard.js';
import { BodyGuard } from './body.guard.js';
import { CapacityGuard } from './capacity.guard.js';
import { HeadGuard } from './head.guard.js';
import { HostGuard } from './host.guard.js';
import { MediaGuard } from './media.guard.js';
import { RouteGuard } from './route.guard.js';

export interface Gate {
  /** Its number in the contract; two guards may share one. */
  readonly number: number;
  readonly guard: Type<CanActivate>;
  /** What it asks of a request. */
  readonly asks: string;
  /** What it refuses with. */
  readonly codes: readonly PublicCode[];
}

const gate = (number: number, guard: Type<CanActivate>, asks: string, codes: readonly PublicCode[]): Gate =>
  Object.freeze({ number, guard, asks, codes });

// prettier-ignore
export const GATES: readonly Gate[] = [
  gate(1, CapacityGuard, 'is there room for one more request, body and connection', ['overloaded']),
  gate(2, HeadGuard, 'is the head legal HTTP and within its bounds', [
    'uri_too_long', 'too_many_headers', 'header_too_large', 'headers_too_large', 'query_not_allowed',
    'duplicate_header', 'invalid_header', 'expectation_failed',
  ]),
  gate(3, HostGuard, 'is Host one of ours', ['invalid_host']),
  gate(4, OriginGuard, 'is Origin, if there is one, on the allowlist', ['invalid_origin']),
  gate(5, RouteGuard, 'do path and method exist, byte for byte', ['not_found', 'method_not_allowed']),
  gate(6, MediaGuard, 'can the caller take what is answered, and is the body JSON', [
    'not_acceptable', 'unsupported_media_type',
  ]),
  gate(7, BodyGuard, 'does the body arrive whole and in time, and is it one JSON-RPC message in strict JSON', [
    'transfer_encoding_not_supported', 'length_required', 'invalid_content_length', 'empty_body', 'body_too_large',
    'truncated_body', 'request_timeout', 'body_already_consumed', 'invalid_utf8', 'json_depth_exceeded',
    'invalid_json', 'invalid_jsonrpc',
  ]),
  gate(8, BearerGuard, 'is the bearer token good here, and its tenant allowed', [
    'authorization_required', 'invalid_token', 'forbidden',
  ]),
  gate(8, ScopeGuard, 'has the token the base scope', ['insufficient_scope']),
  gate(9, SessionGuard, 'are revision, session and lifecycle right', [
    'initialization_must_not_reuse_session', 'missing_protocol_version', 'unsupported_protocol_version',
    'missing_or_invalid_session', 'session_not_found', 'invalid_lifecycle',
  ]),
  gate(10, MethodScopeGuard, 'has the token the scope of the JSON-RPC method', ['insufficient_scope']),
  gate(10, TenantDataGuard, 'has the tenant such data', ['forbidden']),
];

const LAST_OF_EVERY_PATH = 5;

/** Gates 1 to 5: every path of this server. */
export const FIRST_GATES = GATES.filter(({ number }) => number <= LAST_OF_EVERY_PATH).map(
  ({ guard }) => guard,
);

/** Gates 1 to 10: the MCP endpoint. */
export const RECEIVE_ORDER = GATES.map(({ guard }) => guard);
