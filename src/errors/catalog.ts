/**
 * Every public code with the HTTP status that bears it and the challenge it carries. Codes are API: they
 * never change meaning. The table is complete by type; the one exception filter renders from it, and
 * nothing else decides a status.
 */

/** What goes into `WWW-Authenticate` beside the refusal (RFC 6750 section 3, RFC 9728 section 5.1). */
export type ChallengeKind = 'none' | 'authorization_required' | 'invalid_token' | 'insufficient_scope';

export interface CatalogEntry {
  /** HTTP status code of the refusal. */
  readonly status: number;
  readonly challenge: ChallengeKind;
  /** One sentence for the README table and for people who debug a 4xx. Never sent on the wire. */
  readonly meaning: string;
}

export type PublicCode =
  | 'overloaded'
  | 'uri_too_long'
  | 'too_many_headers'
  | 'header_too_large'
  | 'headers_too_large'
  | 'query_not_allowed'
  | 'duplicate_header'
  | 'invalid_header'
  | 'expectation_failed'
  | 'invalid_host'
  | 'invalid_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'unsupported_media_type'
  | 'transfer_encoding_not_supported'
  | 'length_required'
  | 'invalid_content_length'
  | 'empty_body'
  | 'body_too_large'
  | 'truncated_body'
  | 'request_timeout'
  | 'body_already_consumed'
  | 'invalid_utf8'
  | 'json_depth_exceeded'
  | 'invalid_json'
  | 'invalid_jsonrpc'
  | 'authorization_required'
  | 'invalid_token'
  | 'forbidden'
  | 'insufficient_scope'
  | 'initialization_must_not_reuse_session'
  | 'missing_protocol_version'
  | 'unsupported_protocol_version'
  | 'missing_or_invalid_session'
  | 'session_not_found'
  | 'invalid_lifecycle'
  | 'invalid_initialize'
  | 'unsupported_notification'
  | 'unexpected_response'
  | 'invalid_last_event_id'
  | 'session_capacity_exceeded'
  | 'event_capacity_exceeded'
  | 'metadata_does_not_accept_credentials'
  | 'internal_error';

const entry = (status: number, meaning: string, challenge: ChallengeKind = 'none'): CatalogEntry =>
  Object.freeze({ status, challenge, meaning });

export const CATALOG = Object.freeze({
  overloaded: entry(
    503,
    'Too many requests, bodies or connections at once; try again after Retry-After seconds.',
  ),
  uri_too_long: entry(414, 'The request target is longer than the limit.'),
  too_many_headers: entry(431, 'More header fields than the limit.'),
  header_too_large: entry(431, 'One header value is longer than the limit.'),
  headers_too_large: entry(431, 'All header fields together are larger than the limit.'),
  query_not_allowed: entry(
    400,
    'The request target has a query or a fragment; a token must never travel in a URI.',
  ),
  duplicate_header: entry(400, 'A header that may appear once appears twice.'),
  invalid_header: entry(400, 'The head is not legal HTTP, or Host is missing.'),
  expectation_failed: entry(417, 'Expect asks for something other than 100-continue.'),
  invalid_host: entry(403, 'Host is not one of this server.'),
  invalid_origin: entry(403, 'Origin is not on the allowlist.'),
  not_found: entry(404, 'No such path; paths are compared byte for byte.'),
  method_not_allowed: entry(405, 'The path exists, but not with this method; see Allow.'),
  not_acceptable: entry(406, 'Accept does not list the media types that this endpoint answers with.'),
  unsupported_media_type: entry(415, 'Content-Type is not application/json (optionally with charset=utf-8).'),
  transfer_encoding_not_supported: entry(400, 'Transfer-Encoding is not accepted; send Content-Length.'),
  length_required: entry(411, 'POST without Content-Length.'),
  invalid_content_length: entry(
    400,
    'Content-Length is not a plain decimal, or a body came with GET or DELETE.',
  ),
  empty_body: entry(400, 'POST with Content-Length: 0.'),
  body_too_large: entry(413, 'The body is larger than the limit.'),
  truncated_body: entry(400, 'The connection ended before the announced body was complete.'),
  request_timeout: entry(408, 'The head or the body did not arrive in time.'),
  body_already_consumed: entry(
    500,
    'Something before this endpoint has already read the body; see the log for the cure.',
  ),
  invalid_utf8: entry(400, 'The body is not UTF-8.'),
  json_depth_exceeded: entry(400, 'The body is nested deeper than the limit.'),
  invalid_json: entry(400, 'The body is not one strict JSON value.'),
  invalid_jsonrpc: entry(400, 'The body is not exactly one JSON-RPC 2.0 request, notification or response.'),
  authorization_required: entry(401, 'No bearer token came with the request.', 'authorization_required'),
  invalid_token: entry(401, 'The token is not valid here (one answer for every reason).', 'invalid_token'),
  forbidden: entry(403, 'The subject may not act for this tenant, or the tenant has no such data.'),
  insufficient_scope: entry(403, 'The token lacks a scope that this operation needs.', 'insufficient_scope'),
  initialization_must_not_reuse_session: entry(400, 'initialize came with a session header.'),
  missing_protocol_version: entry(400, 'MCP-Protocol-Version is missing.'),
  unsupported_protocol_version: entry(400, 'MCP-Protocol-Version names a revision that is not spoken here.'),
  missing_or_invalid_session: entry(
    400,
    'MCP-Session-Id is missing or not 1 to 256 visible ASCII characters.',
  ),
  session_not_found: entry(404, 'No such session for this caller; start a new one with initialize.'),
  invalid_lifecycle: entry(
    400,
    'A request came before notifications/initialized, or that notification came twice.',
  ),
  invalid_initialize: entry(400, 'The params of initialize do not have the required shape.'),
  unsupported_notification: entry(400, 'This notification is not part of the profile.'),
  unexpected_response: entry(400, 'A JSON-RPC response, but this server never asks anything.'),
  invalid_last_event_id: entry(400, 'Last-Event-ID is not an event of the GET stream of this session.'),
  session_capacity_exceeded: entry(
    503,
    'As many sessions as allowed are alive; none is evicted for a new one.',
  ),
  event_capacity_exceeded: entry(503, 'As many undelivered events as allowed wait in this session.'),
  metadata_does_not_accept_credentials: entry(
    400,
    'The metadata document is public; do not send credentials to it.',
  ),
  internal_error: entry(500, 'An unforeseen failure; the cause is in the log only.'),
} satisfies Record<PublicCode, CatalogEntry>);
