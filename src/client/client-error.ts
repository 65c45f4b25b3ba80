/**
 * Why the client gave up: one class, one union of stable codes. The message is made of the code and of words and
 * numbers that the client has checked; a token or a session id is never in it.
 */

const TEXTS = {
  not_loopback: 'the URL is not http://127.0.0.1:<port>/<path>',
  invalid_token: 'the token does not have the shape of a bearer token',
  invalid_request: 'the request cannot be written as HTTP',
  connection_failed: 'there is no connection, or it broke before the answer',
  timeout: 'the answer was not complete in time',
  redirect_refused: 'the server redirects, and no redirect is followed',
  invalid_http: 'the answer is not HTTP/1.1 as the grammar has it',
  truncated_answer: 'the answer ended before it was complete',
  answer_too_large: 'the answer is larger than the client reads',
  duplicate_header: 'the answer repeats a header that has one value',
  unexpected_encoding: 'the answer is encoded, which was not asked for',
  unexpected_content_type: 'the answer does not have the content type it must have',
  invalid_utf8: 'the answer is not UTF-8',
  invalid_json: 'the answer is not strict JSON',
  invalid_sse: 'the answer is not a strict event stream',
  refused: 'the server refused the request',
  invalid_refusal: 'the server refused the request without a well-formed error body',
  unexpected_status: 'the status is not the one that such a request is answered with',
  invalid_message: 'the answer is not a JSON-RPC message of the expected kind',
  wrong_id: 'the answer does not bear the id of the request',
  rpc_error: 'the answer is a JSON-RPC error',
  invalid_result: 'the result does not have the shape that its method has',
  version_not_accepted: 'the server does not speak the accepted protocol version',
  invalid_session_header: 'the session header is not 1 to 256 visible ASCII characters',
  no_session: 'the handshake was not begun or did not end well',
} as const;

export type ClientErrorCode = keyof typeof TEXTS;

export interface ClientErrorFacts {
  readonly status?: number | undefined;
  /** The server's own code, of a well-formed refusal. */
  readonly publicCode?: string | undefined;
  /** WWW-Authenticate of a refusal; not in the message. */
  readonly challenge?: string | undefined;
  /** Code of a JSON-RPC error. */
  readonly rpcCode?: number | undefined;
  /** A stable word that says more, e.g. of the JSON or SSE reader. */
  readonly reason?: string | undefined;
}

export class ClientError extends Error {
  override readonly name = 'ClientError';

  constructor(
    readonly code: ClientErrorCode,
    readonly facts: ClientErrorFacts = {},
  ) {
    super(messageOf(code, facts));
  }
}

function messageOf(code: ClientErrorCode, { status, publicCode, rpcCode, reason }: ClientErrorFacts): string {
  const details = [status === undefined ? undefined : `HTTP ${status}`, publicCode, rpcCode, reason];
  const known = details.filter((detail) => detail !== undefined);
  return known.length === 0 ? TEXTS[code] : `${TEXTS[code]} (${known.join(', ')})`;
}
