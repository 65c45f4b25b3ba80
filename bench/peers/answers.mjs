/** What the peers without a library answer: the same bytes and header fields as ours. */
export const PROTOCOL_VERSION = '2025-11-25';
export const RESOURCE = { uri: 'kb://tenants/bench/handbook', name: 'handbook', mimeType: 'text/markdown' };
export const INITIALIZE_RESULT = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: { resources: { listChanged: true } },
  serverInfo: { name: 'bench', version: '1' },
};

const COMMON = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];

/**
 * @param {import('node:http').ServerResponse} response
 * @param {string | number} id
 * @param {object} result
 * @param {string[]} [more] header fields
 */
export function sendResult(response, id, result, more = []) {
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`;
  send(response, 200, 'application/json', text, more);
}

/**
 * One event, then the end of the stream.
 * @param {import('node:http').ServerResponse} response
 * @param {string} eventId
 * @param {string | number} id
 * @param {object} result
 */
export function sendEvent(response, eventId, id, result) {
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`;
  send(response, 200, 'text/event-stream', `id: ${eventId}\ndata: ${text}\n\n`, []);
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} type
 * @param {string} text
 * @param {string[]} more
 */
export function send(response, status, type, text, more) {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, ['Content-Type', type, 'Content-Length', length, ...COMMON, ...more]);
  response.end(text);
}
