/** What Node's HTTP parser refuses before any gate, as public codes. */
import type { PublicCode } from '../errors/catalog.js';

const CODE_OF_PARSER_ERROR: ReadonlyMap<string, PublicCode> = new Map([
  ['HPE_UNEXPECTED_CONTENT_LENGTH', 'duplicate_header'],
  ['HPE_INVALID_CONTENT_LENGTH', 'invalid_content_length'],
  ['HPE_INVALID_TRANSFER_ENCODING', 'transfer_encoding_not_supported'],
  ['HPE_INVALID_CHUNK_SIZE', 'transfer_encoding_not_supported'],
  ['HPE_INVALID_EOF_STATE', 'truncated_body'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** @param error as `clientError` gives it; `undefined` when the connection itself is gone */
export function publicCodeOf(error: NodeJS.ErrnoException): PublicCode | undefined {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return undefined;
  return CODE_OF_PARSER_ERROR.get(error.code ?? '') ?? 'invalid_header';
}
