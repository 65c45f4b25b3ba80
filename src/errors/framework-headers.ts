import type { ServerResponse } from 'node:http';

/** What no answer of this endpoint bears (contract, section 2), whoever has set it on the way here. */
const UNWANTED = ['X-Powered-By', 'ETag', 'Server', 'Last-Modified', 'Content-Encoding'] as const;

/**
 * Takes from a response what Express or a middleware of the application has put there and the contract forbids.
 * Other headers of the application (Strict-Transport-Security, a request id) stay: they say nothing of the answer.
 */
export function dropFrameworkHeaders(response: ServerResponse): void {
  for (const name of UNWANTED) if (response.hasHeader(name)) response.removeHeader(name);
}
