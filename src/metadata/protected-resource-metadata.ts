/**
 * The document that tells a client where to get a token (shape of RFC 9728 section 2). Over plain HTTP on
 * loopback this is the shape only, not conformance: the RFC wants https and a URL that matches.
 */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ['header'];
  readonly resource_name: string;
}

export function protectedResourceMetadata(
  resource: string,
  authorizationServers: readonly string[],
  scopes: readonly string[],
  resourceName: string,
): ProtectedResourceMetadata {
  return {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: resourceName,
  };
}
