/**
 * Who is measured. Each peer is one module with `start(options)`, run in a process of its own by peer-process.mjs,
 * so that none shares a heap, a core's cache or a patched prototype with another.
 */

/**
 * @typedef {object} Peer
 * @property {string} name as in `--only`
 * @property {string} title as in the table
 * @property {string} module address of the module
 * @property {'silent' | 'info'} log what the peer itself logs; written to the null device
 * @property {readonly string[] | undefined} only the workloads it can answer; undefined = all
 * @property {readonly string[]} lacks workloads that it cannot answer as set up here
 */

/** Floor and yardstick are without sessions, or without the memory of a framework: see their files. */
const STATELESS = ['ping', 'resources-list'];

/** @type {readonly Peer[]} */
export const PEERS = [
  peer('bare', 'bare node:http, no checks', { only: STATELESS }),
  peer('bare-with-checks', 'bare node:http, same checks by hand'),
  // Its Express app checks Host only; Origin is an option of the transport that is deprecated.
  peer('sdk-v1', 'official SDK v1, Express, bearer', { lacks: ['refused-origin'] }),
  peer('sdk-v2', 'official SDK v2, Express, bearer'),
  peer('mcp-nest', '@rekog/mcp-nest, guard'),
  peer('standalone', 'ours, standalone'),
  peer('standalone-logging', 'ours, standalone, request log on', { module: 'standalone', log: 'info' }),
  peer('embedded', 'ours, in a plain Nest Express app'),
];

/**
 * A peer from outside, e.g. `mine=./my-server.mjs`, measured beside the others.
 * @param {string} name
 * @param {URL} module
 * @returns {Peer}
 */
export function guestPeer(name, module) {
  return { name, title: name, module: module.href, log: 'silent', only: undefined, lacks: [] };
}

/**
 * @param {Peer} peer
 * @param {string} workload
 */
export function canAnswer({ only, lacks }, workload) {
  return (only === undefined || only.includes(workload)) && !lacks.includes(workload);
}

/**
 * @param {string} name
 * @param {string} title
 * @param {{ module?: string, log?: 'silent' | 'info', only?: string[], lacks?: string[] }} [more]
 * @returns {Peer}
 */
function peer(name, title, { module = name, log = 'silent', only, lacks = [] } = {}) {
  return { name, title, module: new URL(`./peers/${module}.mjs`, import.meta.url).href, log, only, lacks };
}
