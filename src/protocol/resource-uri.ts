/**
 * URIs of what this server offers, and of itself: a tenant's handbook (RFC 3986), the canonical resource URI that
 * tokens are bound to (RFC 8707 section 2), and where its metadata stands (RFC 9728 section 3.1).
 *
 * Who may see a resource is not decided here; a URI is a name and never a key.
 */

/** A tenant that has no URI. The message never holds the tenant. */
export class ResourceUriError extends Error {
  override readonly name = 'ResourceUriError';
}

const METADATA_ROOT = '/.well-known/oauth-protected-resource';

// What a URI may be made of (RFC 3986 appendix A) less `?`, `#` and user information: the host first, then a path.
const RESOURCE_URI =
  /^https?:\/\/[A-Za-z0-9\-._~[\]:]+(?<path>(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})*)*)$/i;

/**
 * `kb://tenant/<tenant>/handbook`, the tenant as one segment: everything but the unreserved characters of RFC
 * 3986 section 2.3 is percent-encoded, so two tenants never share a URI and none can reach out of its segment.
 *
 * The tenants `.` and `..` have their dots encoded too. As URIs that are compared as they are (section 6.2.1) that
 * is all they need. A reader that normalises takes `%2E%2E` for `..` (section 6.2.2.2; WHATWG URL does so) and ends
 * at `kb://tenant/handbook`, which is nobody's: it loses the resource but never finds another tenant's.
 *
 * @throws ResourceUriError for the empty tenant, and for one with a lone surrogate, which UTF-8 cannot hold.
 */
export function tenantHandbookUri(tenant: string): string {
  return `kb://tenant/${encodeSegment(tenant)}/handbook`;
}

/**
 * Whether a configured value can be the canonical URI of a protected resource: absolute, http or https, with a
 * host, without user information, query or fragment, and without dot segments, which would give it a second name.
 */
export function isAbsoluteResourceUri(value: string): boolean {
  const path = RESOURCE_URI.exec(value)?.groups?.path;
  if (path === undefined) return false;
  try {
    // The parser judges host and port, and its path differs if there was a dot segment.
    return new URL(value).pathname === (path === '' ? '/' : path);
  } catch {
    return false;
  }
}

/**
 * Path of the metadata for a resource at the given path: the well-known part goes before it, and the slash that
 * only ends the host is dropped (RFC 9728 section 3.1). `/mcp` gives `/.well-known/oauth-protected-resource/mcp`.
 */
export function protectedResourceMetadataPath(resourcePath: string): string {
  return resourcePath === '/' ? METADATA_ROOT : `${METADATA_ROOT}${resourcePath}`;
}

/** RFC 3986 section 2.3 without the dot, of which a segment may be made that means something else. */
const UNRESERVED = /^[\w~-]+$/;

function encodeSegment(segment: string): string {
  if (UNRESERVED.test(segment)) return segment;
  if (segment === '') throw new ResourceUriError('empty segment');
  if (segment === '.') return '%2E';
  if (segment === '..') return '%2E%2E';
  try {
    // encodeURIComponent keeps five characters that RFC 3986 reserves.
    return encodeURIComponent(segment).replace(/[!'()*]/g, percentEncode);
  } catch {
    throw new ResourceUriError('not Unicode text');
  }
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
