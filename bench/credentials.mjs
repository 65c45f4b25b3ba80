/** The one caller of the benchmark, known to every peer: a made-up token and the scopes that each peer asks for. */

export const TOKEN = 'bench-token-0123456789-0123456789-0123456789';
export const WRONG_TOKEN = 'bench-token-of-nobody-0123456789-0123456789-';
export const SCOPES = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read'];
/** Longer than any run. */
export const LIFETIME_MS = 24 * 60 * 60 * 1000;
