/**
 * What an idle session keeps: resident and live bytes of a server with 10,000 ready sessions, less those of the
 * same process before, which had served as many requests on one session, so that its code is compiled and its heap
 * has its working size.
 */

const SESSIONS = 10_000;
/** Two requests open a session. */
const WARM_UP_REQUESTS = 2 * SESSIONS;
const WARM_UP_SECONDS = 60;

/**
 * @typedef {object} Memory
 * @property {number} sessions
 * @property {number} rssPerSession bytes
 * @property {number} livePerSession bytes of heap and external memory
 */

/**
 * @param {import('./bench-processes.mjs').BenchProcesses} processes
 * @param {import('./peers.mjs').Peer} peer
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<Memory>}
 */
export async function measureMemory(processes, peer, { connections }) {
  const { port, process } = await processes.startServer(peer, ['--expose-gc']);
  try {
    await processes.load('open', { port, count: 1, connections });
    const warm = await processes.load('run', {
      port,
      workload: 'ping',
      connections,
      seconds: WARM_UP_SECONDS,
      atMost: WARM_UP_REQUESTS,
    });
    if (warm.wrong > 0) throw new Error(warm.problems.join('; '));
    const before = await process.call('memory');
    await processes.load('open', { port, count: SESSIONS, connections });
    const after = await process.call('memory');
    return {
      sessions: SESSIONS,
      rssPerSession: (after.rss - before.rss) / SESSIONS,
      livePerSession: (after.live - before.live) / SESSIONS,
    };
  } finally {
    await process.stop();
  }
}
