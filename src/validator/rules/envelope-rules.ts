/**
 * Rules about the message as such: strict JSON, the recorded step around it, the JSON-RPC envelope, and which
 * response belongs to which request.
 */

import { defineRules, hardening, must, schema } from './define-rules.js';

export const ENVELOPE_RULES = defineRules({
  'json.too_large': hardening(
    'A message text is at most 2 MB.',
    'The JSON text exceeds the limit of {limit} bytes.',
  ),
  'json.too_deep': hardening(
    'Arrays and objects nest at most 64 deep.',
    'The JSON nesting exceeds {limit} levels.',
  ),
  'json.invalid_utf8': must(
    'RFC 8259 section 8.1',
    'A JSON text is UTF-8.',
    'The JSON text is not valid UTF-8.',
  ),
  'json.invalid': must(
    'RFC 8259, RFC 7493',
    'A message is strict JSON: no duplicate keys, no NaN or Infinity, no lone surrogates, nothing after the value.',
    'The text is invalid JSON at offset {offset}: {problem}.',
  ),
  'step.shape': hardening(
    'A recorded line is an object {direction, message[, transport_context]} or {control_event}.',
    'The step {problem}.',
  ),
  'envelope.not_object': must(
    'basic/index#messages',
    'A message is one JSON object; batch arrays were removed from the protocol.',
    'A JSON-RPC message must be one object, not {actual}.',
  ),
  'envelope.jsonrpc_version': must(
    'basic/index#messages',
    'The member jsonrpc is exactly "2.0".',
    'The member jsonrpc must be exactly "2.0".',
  ),
  'envelope.unknown_member': hardening(
    'A message has no members but jsonrpc, id, method, params, result and error.',
    'The JSON-RPC message has unknown keys: {member}.',
  ),
  'envelope.mixed': must(
    'basic/index#messages',
    'A message is one of request, notification and response, never a mixture.',
    'A message cannot mix a method or params with a result or an error.',
  ),
  'envelope.kind': must(
    'basic/index#messages',
    'A message has a method (request, notification) or a result or error (response).',
    'The message is neither a request, nor a notification, nor a response: a response must contain exactly one of result or error.',
  ),
  'envelope.result_and_error': must(
    'basic/index#responses',
    'A response has exactly one of result and error.',
    'A response must contain exactly one of result or error.',
  ),
  'envelope.id_missing': must(
    'basic/index#responses',
    'A response has the id of the request that it answers.',
    'A response must contain the id of its request.',
  ),
  'envelope.id_type': must(
    'basic/index#requests',
    'An id is a string or an integer; not null, a boolean or a fraction.',
    'The id must be a string or integer, not {actual}.',
  ),
  'envelope.id_precision': hardening(
    'An integer id is within ±(2^53-1), which every JSON parser keeps exactly.',
    'The integer id must be within plus or minus 2^53-1, or peers may echo it changed.',
  ),
  'envelope.id_length': hardening(
    'A string id has at most 1,024 characters.',
    'The string id exceeds {limit} characters.',
  ),
  'envelope.method_type': schema(
    'schema#Request',
    'The method is a non-empty string of at most 256 characters.',
    'The method must be a non-empty string of at most {limit} characters.',
  ),
  'envelope.notification_with_id': must(
    'basic/index#notifications',
    'A notification has no id.',
    'A notification method must not contain id.',
  ),
  'envelope.request_without_id': must(
    'basic/index#requests',
    'A request has an id; only notifications/… methods go without.',
    'The method {method} is a request and must contain an id.',
  ),
  'envelope.params_type': schema(
    'schema#Request',
    'The params, if present, are an object.',
    'The params must be an object, not {actual}.',
  ),
  'envelope.meta_type': schema(
    'basic/index#_meta',
    'A _meta member is an object.',
    'The member _meta must be an object.',
  ),
  'envelope.result_type': schema(
    'basic/index#result-responses',
    'A result is an object.',
    'The result must be an object, not {actual}.',
  ),
  'envelope.error_shape': must(
    'basic/index#error-responses',
    'An error has an integer code, a string message and optionally data.',
    'The error must be an object with an integer code, a string message and optional data, nothing else.',
  ),
  'correlation.duplicate_outstanding_id': must(
    'basic/index#requests',
    'A sender never has two outstanding requests with one id.',
    'The {peer} sent a duplicate outstanding request id.',
  ),
  'correlation.id_reused': must(
    'basic/index#requests',
    'A sender uses an id once in a session, answered or not.',
    'The {peer} used this request id before in the same session.',
  ),
  'correlation.no_matching_request': must(
    'basic/index#responses',
    'A response has the id, in type and value, of an outstanding request of the other side.',
    'There is no matching outstanding request of the {peer} for this response id.',
  ),
  'correlation.too_many_outstanding': hardening(
    'A sender has at most 1,024 outstanding requests.',
    'The {peer} has more than {limit} outstanding requests.',
  ),
  'shape.missing_member': schema(
    'schema',
    'A required member is present.',
    '{member} required: the member is missing in the {what}.',
  ),
  'shape.unknown_member': hardening(
    'Judged objects have only members that the specification names (_meta is always open).',
    'The {what} has unknown keys: {member}.',
  ),
  'shape.type': schema(
    'schema',
    'A member has the type and range of the schema.',
    '{pointer} must be {expected}.',
  ),
  'shape.too_many': hardening(
    'A list has at most the number of items that the profile keeps.',
    '{pointer} has more than {limit} items.',
  ),
});
