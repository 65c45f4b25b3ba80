/** An HTTP request that can be changed in one place and sent as bytes. */
import { SPOKEN_REVISION } from '../protocol/revisions.js';

export interface RequestDraft {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly target: string;
  /** In order; names as they are sent. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body?: string;
}

const BOTH = 'application/json, text/event-stream';

/** A request of the profile with nothing wrong in it. */
export function draft(
  method: RequestDraft['method'],
  { token, session, message }: { token: string; session?: string | undefined; message?: object },
): RequestDraft {
  const headers: Array<readonly [string, string]> = [['Authorization', `Bearer ${token}`]];
  if (method !== 'DELETE') headers.push(['Accept', method === 'POST' ? BOTH : 'text/event-stream']);
  if (message !== undefined) headers.push(['Content-Type', 'application/json']);
  if (session !== undefined) {
    headers.push(['MCP-Protocol-Version', SPOKEN_REVISION], ['MCP-Session-Id', session]);
  }
  return { method, target: '/mcp', headers, ...(message && { body: JSON.stringify(message) }) };
}

/** The draft with one header set to another value, or left out. */
export function withHeader(request: RequestDraft, name: string, value: string | undefined): RequestDraft {
  const others = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}

/** As bytes for one exchange on a connection of its own. */
export function bytesOf({ method, target, headers, body }: RequestDraft, host: string): Uint8Array {
  const length = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const];
  const lines = [['Host', host] as const, ...headers, ...length, ['Connection', 'close'] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}
