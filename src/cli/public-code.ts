import type { RawAnswer } from '../client/raw-exchange.js';
import { CATALOG, type PublicCode } from '../errors/catalog.js';

/** The code of a refusal of this server; a JSON-RPC answer, and an answer of anybody else, has none. */
export function publicCodeOf({ status, body }: RawAnswer): PublicCode | undefined {
  const code = status < 400 ? undefined : /^\{"error":"([a-z0-9_]+)"\}$/.exec(body)?.[1];
  return code !== undefined && Object.hasOwn(CATALOG, code) ? (code as PublicCode) : undefined;
}
