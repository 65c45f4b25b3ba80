/**
 * One round of one peer under one workload: a fresh process, sessions opened, warmed up, measured. What was wrong
 * is kept, never repaired: whoever reports refuses the row.
 */

/**
 * @typedef {object} Round
 * @property {number} requests
 * @property {number} perSecond
 * @property {number} cpuMicroseconds of the server, for each request
 * @property {number} busy share of a core that the server took
 * @property {number} loadBusy share of a core that the load took
 * @property {number} p50 milliseconds
 * @property {number} p99 milliseconds
 * @property {number} non2xx
 * @property {number} wrong
 * @property {string[]} problems
 */

/**
 * @param {import('./bench-processes.mjs').BenchProcesses} processes
 * @param {import('./peers.mjs').Peer} peer
 * @param {import('./workloads.mjs').Workload} workload
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<{ round: Round, node: string, versions: Record<string, string> }>}
 */
export async function measure(processes, peer, workload, { seconds, warmUp, warmUpRequests, connections }) {
  const { port, node, versions, process } = await processes.startServer(peer);
  try {
    const isSessionless = peer.only !== undefined;
    if (workload.sessions !== 0) {
      const count = workload.sessions === 'one each' ? connections : workload.sessions;
      if (isSessionless) await processes.load('pretend');
      else await processes.load('open', { port, count, connections });
    }
    const target = { port, workload: workload.name, connections };
    const warm = await processes.load('run', { ...target, seconds: warmUp, atLeast: warmUpRequests });
    const before = await process.call('usage');
    const run = await processes.load('run', { ...target, seconds });
    const after = await process.call('usage');
    const cpu = after.cpuMicroseconds - before.cpuMicroseconds;
    const round = {
      requests: run.requests,
      perSecond: run.requests / run.seconds,
      cpuMicroseconds: cpu / Math.max(1, run.requests),
      busy: cpu / 1e6 / run.seconds,
      loadBusy: run.loadBusy,
      p50: run.p50,
      p99: run.p99,
      non2xx: run.non2xx,
      wrong: warm.wrong + run.wrong,
      problems: [...new Set([...warm.problems, ...run.problems])],
    };
    return { round, node, versions };
  } finally {
    await process.stop();
  }
}
