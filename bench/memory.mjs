/**
 * What an idle session keeps: resident and live bytes of a server with 20,000 ready sessions, less those of the same
 * process with 10,000. The first 10,000 are not counted: meanwhile code is compiled and the heap, its young half above
 * all, grows to its working size, which Node 24 does by more than they keep.
 */

const SESSIONS = 10_000;

/**
 * @typedef {object} Memory
 * @property {string} node version
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
  const { port, node, process } = await processes.startServer(peer, ['--expose-gc']);
  try {
    await processes.load('open', { port, count: SESSIONS, connections });
    const before = await process.call('memory');
    await processes.load('open', { port, count: SESSIONS, connections });
    const after = await process.call('memory');
    return {
      node,
      sessions: SESSIONS,
      rssPerSession: (after.rss - before.rss) / SESSIONS,
      livePerSession: (after.live - before.live) / SESSIONS,
    };
  } finally {
    await process.stop();
  }
}
