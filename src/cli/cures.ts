/** For each public code: what would make the request pass. For people; never sent on the wire. */
import type { PublicCode } from '../errors/catalog.js';

export const CURES = {
  overloaded: 'Wait as long as Retry-After says, then send it again; fewer requests at once.',
  uri_too_long: 'Shorten the path; the endpoint is /mcp.',
  too_many_headers: 'Leave out headers that the server does not need.',
  header_too_large: 'Shorten the longest header; a token this long may need a reference token instead.',
  headers_too_large: 'Leave out or shorten headers; cookies are never needed here.',
  query_not_allowed: 'Take the query and the fragment away; a token goes into Authorization: Bearer ….',
  duplicate_header: 'Send that header once. A proxy or a middleware may add it a second time.',
  invalid_header: 'Send legal HTTP/1.1: one Host, names without spaces, values without control characters.',
  expectation_failed: 'Send no Expect, or Expect: 100-continue.',
  invalid_host: 'Send the Host of the server; behind a proxy set MCP_PUBLIC_URL to the resource URI.',
  invalid_origin:
    'Send no Origin unless you are a browser; for a page, add its origin to MCP_ALLOWED_ORIGINS.',
  not_found: 'Use the path exactly as it is, without a slash at the end: /mcp.',
  method_not_allowed: 'Use one of the methods that Allow names.',
  not_acceptable:
    'POST: Accept: application/json, text/event-stream. GET: Accept: text/event-stream. No wildcards.',
  unsupported_media_type: 'Send Content-Type: application/json.',
  transfer_encoding_not_supported: 'Send the body with Content-Length instead of Transfer-Encoding: chunked.',
  length_required: 'Send Content-Length with the number of bytes of the body.',
  invalid_content_length: 'Send Content-Length as a plain decimal, and no body with GET or DELETE.',
  empty_body: 'Send one JSON-RPC message as the body.',
  body_too_large: 'Send a smaller message, or raise MCP_MAX_BODY_BYTES.',
  truncated_body: 'Send as many bytes as Content-Length says; count bytes of UTF-8, not characters.',
  request_timeout: 'Send head and body without a pause.',
  body_already_consumed: 'On the server: keep body parsers away from the MCP path.',
  invalid_utf8: 'Encode the body as UTF-8.',
  json_depth_exceeded: 'Nest arrays and objects less deeply.',
  invalid_json:
    'Send one strict JSON value: no duplicate keys, no BOM, no NaN, no lone surrogates, nothing after it.',
  invalid_jsonrpc:
    'Send one object with jsonrpc "2.0" and method, id only for a request, params an object; no batch.',
  authorization_required:
    'Send Authorization: Bearer with a token for this resource; resource_metadata says from whom.',
  invalid_token: 'Get a new token for exactly this resource; the reason is in the log of the server only.',
  forbidden: 'Use a token of a tenant that this subject may act for.',
  insufficient_scope: 'Get a token with the scopes that the challenge names.',
  initialization_must_not_reuse_session: 'Send initialize without MCP-Session-Id.',
  missing_protocol_version: 'Send MCP-Protocol-Version: 2025-11-25 with every request after initialize.',
  unsupported_protocol_version:
    'Send MCP-Protocol-Version: 2025-11-25, the revision that initialize answered.',
  missing_or_invalid_session: 'Send MCP-Session-Id with the id that the answer to initialize bore.',
  session_not_found: 'Start a new session with initialize; sessions end by DELETE and by their lifetime.',
  invalid_lifecycle: 'After initialize send notifications/initialized, once, before any request.',
  invalid_initialize: 'Send protocolVersion, capabilities and clientInfo with name and version.',
  unsupported_notification: 'Send only initialized, cancelled, progress and roots/list_changed.',
  unexpected_response: 'Send no responses: this server asks nothing.',
  invalid_last_event_id: 'Send the id of the last event of the GET stream of this session, or none.',
  session_capacity_exceeded: 'End sessions with DELETE when done; or raise MCP_MAX_SESSIONS.',
  event_capacity_exceeded: 'Open the GET stream so that waiting events are delivered.',
  metadata_does_not_accept_credentials: 'Ask for the metadata document without Authorization.',
  internal_error: 'Look into the log of the server.',
} satisfies Record<PublicCode, string>;
