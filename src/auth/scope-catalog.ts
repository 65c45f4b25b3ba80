/** What scopes this server knows: the base scopes of the transport and the scopes of its methods. */
export const BASE_SCOPES = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session'] as const;

/** These and the scope of the shipped methods: what a token of a first try, a demonstration or a lab has. */
export const SHIPPED_SCOPES = [...BASE_SCOPES, 'resources:read'] as const;

export type BaseScope = (typeof BASE_SCOPES)[number];

/** Port, filled by the method table, so that challenges and the metadata document can name scopes. */
export abstract class ScopeCatalog {
  /** Every scope that this server asks for, base scopes first; the order of `scopes_supported`. */
  abstract readonly supported: readonly string[];
  /** The scope that a JSON-RPC request of this method needs beside the base scope. */
  abstract methodScope(method: string): string | undefined;
}
