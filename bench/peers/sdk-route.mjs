/**
 * The POST route of a server with sessions, as the official SDKs write it in their examples: a Map from session id
 * to transport, a new transport for each `initialize`. Both generations of the SDK are composed by it.
 */
import { RESOURCE } from './answers.mjs';

/**
 * @typedef {object} Transport
 * @property {(request: any, response: any, body: unknown) => Promise<void>} handleRequest
 */

/**
 * @param {(message: any) => boolean} isInitialize
 * @param {(keep: (session: string, transport: Transport) => void) => Promise<Transport>} openTransport connected;
 * it says when its session has an id
 */
export function sdkRoute(isInitialize, openTransport) {
  /** @type {Map<string, Transport>} */
  const transports = new Map();
  /**
   * @param {any} request
   * @param {any} response
   */
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = transports.get(id);
    if (known !== undefined) {
      await known.handleRequest(request, response, request.body);
    } else if (id === undefined && isInitialize(request.body)) {
      const transport = await openTransport((session, opened) => transports.set(session, opened));
      await transport.handleRequest(request, response, request.body);
    } else {
      const error = { code: -32001, message: 'Session not found' };
      response.status(404).json({ jsonrpc: '2.0', error, id: null });
    }
  };
}

/** @param {{ registerResource(name: string, uri: string, config: any, read: any): unknown }} server */
export function registerHandbook(server) {
  const { name, uri, mimeType } = RESOURCE;
  server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, text: '' }] }));
}
