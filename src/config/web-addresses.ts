/** Shapes of the addresses that settings may hold: origins (RFC 6454), issuers, the canonical resource URI. */
import { isAbsoluteResourceUri } from '../protocol/resource-uri.js';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

function parse(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function isBare(url: URL, value: string): boolean {
  return url.username === '' && url.password === '' && !/[?#@\\\s]/.test(value);
}

const ENDPOINT_PATH = /^(?:\/[\w.~-]+)+$/;

/** A path that stands for itself, byte for byte, in every router and proxy: nothing encoded, no dot segments. */
export function isEndpointPath(value: string): boolean {
  return ENDPOINT_PATH.test(value) && !value.startsWith('/.well-known/') && !/\/\.{1,2}(?:\/|$)/.test(value);
}

/** `scheme://host[:port]` in the very form a browser sends, so that the comparison can be byte for byte. */
export function isOrigin(value: string): boolean {
  const url = parse(value);
  return url !== undefined && isHttp(url) && url.origin === value;
}

/** An issuer (RFC 8414): https, or http on a loopback name; no query, no fragment. */
export function isAuthorizationServer(value: string): boolean {
  const url = parse(value);
  if (url === undefined || !isBare(url, value)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_NAMES.has(url.hostname));
}

/** The canonical URI of a protected resource (RFC 8707 section 2), already in normal form. */
export function isPublicUrl(value: string): boolean {
  return isAbsoluteResourceUri(value) && (parse(value)?.href === value || parse(value)?.href === `${value}/`);
}
