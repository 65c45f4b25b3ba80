/**
 * Requests as text: valid by default, wrong in just the way that a test asks for. Every character is one byte
 * (bodies are UTF-8 encoded first), so that a text goes to `RawConnection.send` as it is.
 */
import { RawConnection, type RawAnswer } from './raw-http.js';
import { ALICE } from './tokens.js';

export const PROTOCOL_VERSION = '2025-11-25';
export const BOTH_TYPES = 'application/json, text/event-stream';

/** A list sends the field once per value; `undefined` leaves out a field that is there by default. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RequestOverrides {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Over the defaults, by name in any case. */
  readonly headers?: Fields;
  /** Whole lines after the fields, without line end, exactly as given. */
  readonly lines?: readonly string[];
  /** `null` sends no Authorization. */
  readonly token?: string | null;
  /** Adds MCP-Session-Id and MCP-Protocol-Version. */
  readonly session?: string;
}

interface Target {
  readonly port: number;
}

/** A JSON-RPC request. */
export function call(id: string | number, method: string, params?: object): object {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** A JSON-RPC notification. */
export function notification(method: string, params?: object): object {
  return { jsonrpc: '2.0', method, ...(params && { params }) };
}

export const INITIALIZE = call(0, 'initialize', {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

/** @param body an object is serialized, text is UTF-8 encoded, bytes are sent as they are */
export function post(
  server: Target,
  body: object | string | Uint8Array,
  overrides: RequestOverrides = {},
): string {
  const bytes = bytesOf(body);
  const defaults = {
    Host: `127.0.0.1:${server.port}`,
    Accept: BOTH_TYPES,
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
  };
  return requestText('POST', defaults, overrides) + bytes.toString('latin1');
}

export function get(server: Target, overrides: RequestOverrides = {}): string {
  const defaults = { Host: `127.0.0.1:${server.port}`, Accept: 'text/event-stream' };
  return requestText('GET', defaults, overrides);
}

export function del(server: Target, overrides: RequestOverrides = {}): string {
  return requestText('DELETE', { Host: `127.0.0.1:${server.port}` }, overrides);
}

/** Sends one request on a connection of its own. */
export async function ask(server: Target, text: string | Uint8Array, timeoutMs?: number): Promise<RawAnswer> {
  const connection = await RawConnection.open(server.port);
  try {
    connection.send(text);
    return await connection.answer(timeoutMs);
  } finally {
    connection.destroy();
  }
}

/** A session that `initialize` has made and nobody has called initialized. */
export async function openSession(server: Target, token: string = ALICE): Promise<string> {
  const answer = await ask(server, post(server, INITIALIZE, { token }));
  const session = answer.headers.get('mcp-session-id');
  if (answer.status !== 200 || session === undefined) throw new Error(`no session: ${answer.text}`);
  return session;
}

/** A session that takes requests. */
export async function openReadySession(server: Target, token: string = ALICE): Promise<string> {
  const session = await openSession(server, token);
  const answer = await ask(
    server,
    post(server, notification('notifications/initialized'), { token, session }),
  );
  if (answer.status !== 202) throw new Error(`not ready: ${answer.text}`);
  return session;
}

/** Looks until `condition` holds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 8000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function bytesOf(body: object | string | Uint8Array): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
}

function requestText(method: string, defaults: Fields, overrides: RequestOverrides): string {
  const { token = ALICE, session } = overrides;
  const fields = new Map<string, readonly [name: string, values: readonly string[]]>();
  const put = (added: Fields): void => {
    for (const [name, value] of Object.entries(added)) {
      const values = value === undefined ? [] : typeof value === 'string' ? [value] : value;
      fields.set(name.toLowerCase(), [name, values]);
    }
  };
  put(defaults);
  if (token !== null) put({ Authorization: `Bearer ${token}` });
  if (session !== undefined) put({ 'MCP-Session-Id': session, 'MCP-Protocol-Version': PROTOCOL_VERSION });
  put(overrides.headers ?? {});
  const lines = [...fields.values()].flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  const { target = '/mcp', version = 'HTTP/1.1' } = overrides;
  const start = `${overrides.method ?? method} ${target} ${version}`;
  return [start, ...lines, ...(overrides.lines ?? []), '', ''].join('\r\n');
}
