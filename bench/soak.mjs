/**
 * A million pings on one session: live heap after collections, at ten points. The first tenth is warm-up; what a
 * server keeps for each request would show as growth from there on.
 */

const REQUESTS = 1_000_000;
const POINTS = 10;
const SECONDS_PER_POINT = 600;

/**
 * @param {import('./bench-processes.mjs').BenchProcesses} processes
 * @param {import('./peers.mjs').Peer} peer
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<{ requests: number, live: number[], bytesPerRequest: number }>} `live` at each point
 */
export async function soak(processes, peer, { connections }) {
  const { port, process } = await processes.startServer(peer, ['--expose-gc']);
  try {
    await processes.load('open', { port, count: 1, connections });
    /** @type {number[]} */
    const live = [];
    for (let point = 0; point < POINTS; point++) {
      const run = await processes.load('run', {
        port,
        workload: 'ping',
        connections,
        seconds: SECONDS_PER_POINT,
        atMost: REQUESTS / POINTS,
      });
      if (run.wrong > 0) throw new Error(run.problems.join('; '));
      live.push((await process.call('memory')).live);
    }
    const growth = (live.at(-1) ?? 0) - (live[0] ?? 0);
    return { requests: REQUESTS, live, bytesPerRequest: growth / (REQUESTS - REQUESTS / POINTS) };
  } finally {
    await process.stop();
  }
}
