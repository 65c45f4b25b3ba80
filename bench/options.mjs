/** The command line. Every problem is told at once, with what would have been right. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { guestPeer, PEERS } from './peers.mjs';
import { MEMORY, WORKLOADS } from './workloads.mjs';

/**
 * @typedef {object} Options
 * @property {number} rounds
 * @property {number} seconds measured in each round
 * @property {number} warmUp seconds before
 * @property {number} warmUpRequests served in them at least: code is compiled by use, not by time
 * @property {number} connections
 * @property {readonly import('./peers.mjs').Peer[]} peers
 * @property {readonly string[]} workloads
 * @property {string} node
 * @property {string} json where the results go
 * @property {boolean} soak
 * @property {boolean} profile
 */

export const HELP = `Usage: npm run bench -- [options]

  --rounds <n>           rounds, of which the median is told (3)
  --seconds <n>          measured in each round (3)
  --warm-up <n>          seconds before (6): until the code is compiled
  --warm-requests <n>    requests in them at least (3000)
  --connections <n>      open at once, one request under way on each (32)
  --only <peer,…>        ${PEERS.map(({ name }) => name).join(', ')}
  --workload <name,…>    ${[...WORKLOADS.map(({ name }) => name), MEMORY].join(', ')}
  --guest <name=file>    one more peer: a module with start(options), see bench/peers/bare.mjs
  --node <file>          the Node that runs servers and load (this one)
  --json <file>          results (bench/results/<time>.json)
  --soak                 also: no growth of live heap over 1,000,000 pings on one session
  --profile              CPU profiles of the servers into bench/results/profiles/ (slower)
`;

const NUMBERS = /** @type {const} */ (['rounds', 'seconds', 'warm-up', 'warm-requests', 'connections']);

/**
 * @param {readonly string[]} args
 * @param {Date} now for the name of the file
 * @returns {Options | undefined} undefined when help was asked for
 */
export function readOptions(args, now) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      'warm-up': { type: 'string', default: '6' },
      'warm-requests': { type: 'string', default: '3000' },
      connections: { type: 'string', default: '32' },
      only: { type: 'string' },
      workload: { type: 'string' },
      guest: { type: 'string', multiple: true, default: [] },
      node: { type: 'string', default: process.execPath },
      json: { type: 'string' },
      soak: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  /** @type {string[]} */
  const problems = [];
  for (const name of NUMBERS) {
    if (!(Number(values[name]) > 0)) problems.push(`--${name} is not a number above 0`);
  }
  const peers = [...PEERS, ...values.guest.map(readGuest)];
  const peerNames = chosen(
    values.only,
    peers.map(({ name }) => name),
    'peer',
    problems,
  );
  const workloads = chosen(
    values.workload,
    [...WORKLOADS.map(({ name }) => name), MEMORY],
    'workload',
    problems,
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return {
    rounds: Math.ceil(Number(values.rounds)),
    seconds: Number(values.seconds),
    warmUp: Number(values['warm-up']),
    warmUpRequests: Number(values['warm-requests']),
    connections: Math.ceil(Number(values.connections)),
    peers: peers.filter(({ name }) => peerNames.includes(name)),
    workloads,
    node: resolve(values.node),
    json: resolve(values.json ?? defaultFile(now)),
    soak: values.soak,
    profile: values.profile,
  };
}

/**
 * @param {string | undefined} list
 * @param {readonly string[]} known
 * @param {string} kind
 * @param {string[]} problems
 */
function chosen(list, known, kind, problems) {
  const names = list?.split(',').map((name) => name.trim()) ?? known;
  for (const name of names) {
    if (!known.includes(name)) problems.push(`no ${kind} is called ${name}; there are ${known.join(', ')}`);
  }
  return known.filter((name) => names.includes(name));
}

/** @param {string} text */
function readGuest(text) {
  const [name = '', ...file] = text.split('=');
  return guestPeer(name, pathToFileURL(resolve(file.join('='))));
}

/** @param {Date} now */
function defaultFile(now) {
  const stamp = now.toISOString().replaceAll(':', '').slice(0, 17);
  return new URL(`./results/${stamp}.json`, import.meta.url).pathname;
}
