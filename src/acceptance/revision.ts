/*
 * The names that revision 2026-07-28 puts on the wire, as data. Only what the pack sends or reads; what a
 * value means is judged by the checks.
 */

/** The revision that the pack judges by default. */
export const MODERN_REVISION = '2026-07-28';

/** The stateful revision that `--revision 2025-11-25` judges, and the "older version" of the downgrade checks. */
export const STATEFUL_REVISION = '2025-11-25';

/** A revision nobody has: well formed, in the future. */
export const UNKNOWN_REVISION = '2099-01-01';

/** Which check list a run uses. */
export type JudgedRevision = typeof MODERN_REVISION | typeof STATEFUL_REVISION;

/** Keys of `params._meta` (basic/index#_meta). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** JSON-RPC error codes that the checks expect (basic/index#error-codes). */
export const RPC_CODE = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const;

/** The request header that lets a witness tell which answers it sent for which probe. */
export const NONCE_HEADER = 'X-Acceptance-Nonce';

/** The Base64 sentinel of `Mcp-Name` and `Mcp-Param-*` (transports/streamable-http#value-encoding). */
export function base64Sentinel(value: string): string {
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
