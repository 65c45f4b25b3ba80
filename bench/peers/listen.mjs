/** A server on any free loopback port, for all peers alike. */
import { once } from 'node:events';

/**
 * @typedef {object} PeerOptions
 * @property {'silent' | 'info'} log
 * @property {number} maxSessions no peer may refuse a session before
 */

/**
 * @typedef {object} Started
 * @property {number} port
 * @property {Record<string, string>} versions of what is measured
 */

/** @param {import('node:http').Server} server */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

/** @param {import('node:http').Server} server that listens */
export function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
