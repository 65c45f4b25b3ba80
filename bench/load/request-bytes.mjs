/**
 * Requests as bytes, made once: only the id and the session change from one to the next and are written over in
 * place. The head has the fields that Node's own fetch sends, as official clients do.
 */
import { PROTOCOL_VERSION } from '../workloads.mjs';

/** Ids of one width, so that no length changes. */
export const FIRST_ID = 100_000_000;

/**
 * @param {number} port
 * @param {{ token: string, session?: string | undefined, headers?: Readonly<Record<string, string>> }} caller
 * @param {object} message
 */
export function requestText(port, { token, session, headers = {} }, message) {
  const body = JSON.stringify(message);
  const fields = {
    Host: `127.0.0.1:${port}`,
    Connection: 'keep-alive',
    Authorization: `Bearer ${token}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(session !== undefined && { 'MCP-Session-Id': session, 'MCP-Protocol-Version': PROTOCOL_VERSION }),
    'Accept-Language': '*',
    'Sec-Fetch-Mode': 'cors',
    'User-Agent': 'node',
    'Accept-Encoding': 'gzip, deflate',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export class RequestBytes {
  #bytes;
  #idAt;
  #sessionAt;
  #sessionLength;

  /**
   * @param {number} port
   * @param {import('../workloads.mjs').Workload} workload
   * @param {string | undefined} session of any request; all must be of this length
   */
  constructor(port, { token, headers, method, params }, session) {
    const message = { jsonrpc: '2.0', id: FIRST_ID, method, ...(params && { params }) };
    const text = requestText(port, { token, session, headers }, message);
    this.#bytes = Buffer.from(text, 'latin1');
    this.#idAt = text.lastIndexOf(String(FIRST_ID));
    this.#sessionAt = session === undefined ? -1 : text.indexOf(session);
    this.#sessionLength = session?.length ?? 0;
  }

  /**
   * The same bytes each time: the request before must have been answered.
   * @param {string} id
   * @param {string | undefined} session
   */
  with(id, session) {
    this.#bytes.write(id, this.#idAt, 'latin1');
    if (session !== undefined) {
      if (session.length !== this.#sessionLength) throw new Error('session ids of different lengths');
      this.#bytes.write(session, this.#sessionAt, 'latin1');
    }
    return this.#bytes;
  }
}
