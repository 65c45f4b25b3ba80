/** Opens live sessions, each initialized and ready, before anything is measured. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { TOKEN } from '../credentials.mjs';
import { INITIALIZE_PARAMS } from '../workloads.mjs';
import { AnswerReader } from './answer-reader.mjs';
import { requestText } from './request-bytes.mjs';

const SESSION = /\r\nmcp-session-id: ([!-~]+)\r\n/i;
const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE_PARAMS };
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/**
 * @param {number} port
 * @param {number} count
 * @param {number} connections
 * @returns {Promise<string[]>} their ids
 */
export async function openSessions(port, count, connections) {
  /** @type {string[]} */
  const ids = [];
  let left = count;
  async function work() {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    while (left > 0) {
      left -= 1;
      ids.push(await openSession(socket, port));
    }
    socket.destroy();
  }
  await Promise.all(Array.from({ length: Math.min(connections, count) }, work));
  return ids;
}

/**
 * @param {import('node:net').Socket} socket
 * @param {number} port
 */
async function openSession(socket, port) {
  const opened = await ask(socket, requestText(port, { token: TOKEN }, INITIALIZE));
  const session = SESSION.exec(opened.head)?.[1];
  if (opened.status !== 200 || session === undefined)
    throw new Error(`initialize: ${opened.status} ${opened.body}`);
  const ready = await ask(socket, requestText(port, { token: TOKEN, session }, INITIALIZED));
  if (ready.status !== 202) throw new Error(`notifications/initialized: ${ready.status} ${ready.body}`);
  return session;
}

/**
 * @param {import('node:net').Socket} socket
 * @param {string} text
 * @returns {Promise<import('./answer-reader.mjs').Answer>}
 */
function ask(socket, text) {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader();
    socket.on('data', onData).once('close', onClose).once('error', settleBad);
    socket.write(text, 'latin1');

    /** @param {Buffer} chunk */
    function onData(chunk) {
      const answer = reader.push(chunk);
      if (answer === undefined) return;
      settle();
      resolve(answer);
    }
    function onClose() {
      settleBad(new Error('the connection was closed while sessions were opened'));
    }
    /** @param {Error} error */
    function settleBad(error) {
      settle();
      reject(error);
    }
    function settle() {
      socket.off('data', onData).off('close', onClose).off('error', settleBad);
    }
  });
}
