/**
 * What is asked and what a right answer is. Read by the load generator, which asks and judges, and by the main
 * process, which plans; knows no socket and no peer.
 */
import { TOKEN, WRONG_TOKEN } from './credentials.mjs';

export const PROTOCOL_VERSION = '2025-11-25';

/**
 * @typedef {object} Workload
 * @property {string} name as in `--workload`
 * @property {string} title
 * @property {number | 'one each'} sessions live ones that the requests are spread over; `one each` = one per connection
 * @property {string} token
 * @property {Readonly<Record<string, string>>} headers beside the usual ones
 * @property {boolean} closes whether each request has a connection of its own
 * @property {string} method
 * @property {object | undefined} params
 * @property {number} status
 * @property {RegExp | undefined} head what the head must match beside the status
 * @property {(result: any) => boolean} isRight judges the result; of refusals only status and head are judged
 */

export const INITIALIZE_PARAMS = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

const PING = {
  sessions: /** @type {const} */ ('one each'),
  token: TOKEN,
  headers: {},
  closes: false,
  method: 'ping',
  params: undefined,
  status: 200,
  head: undefined,
  isRight: (/** @type {any} */ result) => isObject(result) && Object.keys(result).length === 0,
};
const CLOSING = { ...PING, closes: true, headers: { Connection: 'close' } };

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  { ...PING, name: 'ping', title: 'ping' },
  {
    ...PING,
    name: 'resources-list',
    title: 'resources/list',
    method: 'resources/list',
    isRight: (result) =>
      Array.isArray(result?.resources) &&
      result.resources.length === 1 &&
      result.resources[0].name === 'handbook' &&
      typeof result.resources[0].uri === 'string',
  },
  {
    ...PING,
    name: 'initialize',
    title: 'initialize, each a new session',
    sessions: 0,
    method: 'initialize',
    params: INITIALIZE_PARAMS,
    head: /\r\nmcp-session-id: [!-~]+\r\n/i,
    isRight: (result) => result?.protocolVersion === PROTOCOL_VERSION && isObject(result.serverInfo),
  },
  { ...CLOSING, name: 'accepted-close', title: 'accepted ping, Connection: close' },
  {
    ...CLOSING,
    name: 'refused-token',
    title: 'refused: bad token, Connection: close',
    token: WRONG_TOKEN,
    status: 401,
    head: /\r\nwww-authenticate: Bearer/i,
  },
  {
    ...CLOSING,
    name: 'refused-origin',
    title: 'refused: bad Origin, Connection: close',
    headers: { ...CLOSING.headers, Origin: 'https://elsewhere.example' },
    status: 403,
  },
  { ...PING, name: 'sessions-10', title: 'ping over 10 live sessions', sessions: 10 },
  { ...PING, name: 'sessions-10000', title: 'ping over 10,000 live sessions', sessions: 10_000 },
];

/** Measured in another way than by throughput: see memory.mjs. */
export const MEMORY = 'memory';

/** @param {string} name */
export function workloadNamed(name) {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`no workload is called ${name}`);
  return found;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
