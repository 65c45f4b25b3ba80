/**
 * What the project set out to reach, each as a ratio within one run, and whether this run reached it. For reading,
 * not a gate: a busy machine may miss what a quiet one reaches.
 */
import { fasterOf, ratio, SDKS, YARDSTICK } from './rows.mjs';

/** @typedef {import('./rows.mjs').Row} Row */

/**
 * @typedef {object} Results
 * @property {number} nodeMajor
 * @property {ReadonlyMap<string, readonly Row[]>} rows by workload
 * @property {ReadonlyMap<string, import('./memory.mjs').Memory>} memory by peer
 * @property {{ bytesPerRequest: number } | undefined} soak
 */

/**
 * @typedef {object} Goal
 * @property {string} text
 * @property {'reached' | 'not reached' | 'not measured'} verdict
 * @property {string} found
 */

const OURS = 'standalone';
/** Two equal things measured twice differ by so much. */
const MEASURING_ERROR = 0.03;
const MAX_SESSION_BYTES = 1.5 * 1024;
/** Over 900,000 requests this is 0.9 MB: less than the collector itself leaves from one time to the next. */
const MAX_SOAK_BYTES_PER_REQUEST = 1;

/**
 * @param {Results} results
 * @returns {Goal[]}
 */
export function goalsOf(results) {
  const { nodeMajor, memory, soak } = results;
  const isOld = nodeMajor < 22;
  const toYardstick = isOld ? 0.6 : 0.75;
  const toPeers = isOld ? 6 : 4;
  const idle = memory.get(OURS);
  // Sessions first fill pages that the process already had, so RSS alone may say too little.
  const perSession = idle && Math.max(idle.rssPerSession, idle.livePerSession);
  return [
    ...['ping', 'resources-list'].flatMap((workload) => [
      atLeast(
        results,
        `${workload}: ours to bare-with-checks`,
        toYardstick,
        [workload, OURS],
        [workload, YARDSTICK],
      ),
      atLeast(
        results,
        `${workload}: ours to the faster official SDK`,
        toPeers,
        [workload, OURS],
        [workload, ...SDKS],
      ),
      atLeast(results, `${workload}: ours to mcp-nest`, toPeers, [workload, OURS], [workload, 'mcp-nest']),
    ]),
    ...(isOld
      ? [
          atLeast(
            results,
            'ping: embedded to the faster official SDK',
            1.8,
            ['ping', 'embedded'],
            ['ping', ...SDKS],
          ),
        ]
      : []),
    ...['refused-token', 'refused-origin'].map((workload) => noDearer(results, workload, 'accepted-close')),
    atLeast(results, '10,000 sessions to 10', 0.9, ['sessions-10000', OURS], ['sessions-10', OURS]),
    atMost(
      'KiB for each idle session, RSS or live bytes, whichever is more',
      MAX_SESSION_BYTES / 1024,
      perSession && perSession / 1024,
    ),
    atMost(
      'bytes of live heap kept for each of 1,000,000 pings',
      MAX_SOAK_BYTES_PER_REQUEST,
      soak?.bytesPerRequest,
    ),
  ];
}

/**
 * @param {Results} results
 * @param {string} what
 * @param {number} least
 * @param {readonly [workload: string, peer: string]} own
 * @param {readonly [workload: string, ...peers: string[]]} others of which the fastest counts
 * @returns {Goal}
 */
function atLeast(results, what, least, own, others) {
  const found = ratioOf(results, own, others);
  return { text: `${what} >= ${least}`, ...verdictOf(found?.byThroughput, least), found: textOf(found) };
}

/**
 * By CPU time: with a connection for each request the load may be the limit, and then all throughputs are alike.
 * @param {Results} results
 * @param {string} workload
 * @param {string} other
 * @returns {Goal}
 */
function noDearer(results, workload, other) {
  const text = `${workload}: no dearer than ${other}`;
  const found = ratioOf(results, [workload, OURS], [other, OURS]);
  return { text, ...verdictOf(found?.byCpu, 1 - MEASURING_ERROR), found: textOf(found) };
}

/**
 * @param {string} what
 * @param {number} most
 * @param {number | undefined} value
 * @returns {Goal}
 */
function atMost(what, most, value) {
  const text = `${what} <= ${most}`;
  if (value === undefined) return { text, verdict: 'not measured', found: '' };
  return { text, verdict: value <= most ? 'reached' : 'not reached', found: value.toFixed(2) };
}

/**
 * @param {Results} results
 * @param {readonly [workload: string, peer: string]} own
 * @param {readonly [workload: string, ...peers: string[]]} others
 * @returns {import('./rows.mjs').Ratio | undefined}
 */
function ratioOf({ rows }, [ownWorkload, own], [workload, ...peers]) {
  const measured = (/** @type {string} */ of) =>
    new Map((rows.get(of) ?? []).flatMap((row) => (row.numbers ? [[row.peer, row.rounds]] : [])));
  const ownRounds = measured(ownWorkload).get(own);
  const other = fasterOf(peers, measured(workload));
  const otherRounds = other === undefined ? undefined : measured(workload).get(other);
  return ownRounds && otherRounds && ratio(ownRounds, otherRounds);
}

/**
 * @param {number | undefined} value
 * @param {number} least
 * @returns {Pick<Goal, 'verdict'>}
 */
function verdictOf(value, least) {
  if (value === undefined) return { verdict: 'not measured' };
  return { verdict: value >= least ? 'reached' : 'not reached' };
}

/** @param {import('./rows.mjs').Ratio | undefined} found */
function textOf(found) {
  return found === undefined
    ? ''
    : `${found.byThroughput.toFixed(2)} by throughput, ${found.byCpu.toFixed(2)} by CPU time`;
}
