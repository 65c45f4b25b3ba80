/**
 * The one kind of address this client goes to. Matched on the text as given, not after a URL parser has been at
 * it: that would turn `127.1`, `0x7f000001` or a host in other digits into 127.0.0.1, and `localhost` is whatever
 * a hosts file says.
 */
import { ClientError } from './client-error.js';

export const LOOPBACK_HOST = '127.0.0.1';

export interface LoopbackAddress {
  readonly port: number;
  /** Absolute, without query and fragment. */
  readonly path: string;
}

// RFC 3986 section 3.3: pchar and slashes; no userinfo, query or fragment.
const LOOPBACK_URL =
  /^http:\/\/127\.0\.0\.1(?::([1-9][0-9]{0,4}))?(\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*)$/;
const HTTP_PORT = 80;
const HIGHEST_PORT = 65_535;

/** @throws ClientError `not_loopback` */
export function parseLoopbackUrl(url: string): LoopbackAddress {
  const [, digits, path] = LOOPBACK_URL.exec(url) ?? [];
  const port = digits === undefined ? HTTP_PORT : Number(digits);
  if (path === undefined || port > HIGHEST_PORT) throw new ClientError('not_loopback');
  return { port, path };
}
