/** The processes of one run: one load generator for all, and one server after the other. */
import { startChild } from './child.mjs';

const SERVER = new URL('./peer-process.mjs', import.meta.url);
const LOAD = new URL('./load/main.mjs', import.meta.url);
const PROFILES = new URL('./results/profiles/', import.meta.url);
/** No workload opens more: the setting's own bound. */
const MAX_SESSIONS = 1_000_000;

/**
 * @typedef {object} Server
 * @property {number} port
 * @property {string} node its version
 * @property {Record<string, string>} versions
 * @property {import('./child.mjs').Child} process
 */

export class BenchProcesses {
  #options;
  #cores;
  #load;

  /**
   * @param {import('./options.mjs').Options} options
   * @param {import('./child.mjs').Cores | undefined} cores
   */
  constructor(options, cores) {
    this.#options = options;
    this.#cores = cores;
    this.#load = startChild({
      name: 'the load generator',
      node: options.node,
      flags: [],
      script: LOAD,
      core: cores?.load,
    });
  }

  get load() {
    return this.#load.call;
  }

  /**
   * @param {import('./peers.mjs').Peer} peer
   * @param {readonly string[]} flags of Node
   * @returns {Promise<Server>}
   */
  async startServer(peer, flags = []) {
    const profiling = this.#options.profile
      ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES.pathname}${peer.name}`]
      : [];
    const process = startChild({
      name: peer.name,
      node: this.#options.node,
      flags: [...flags, ...profiling],
      script: SERVER,
      core: this.#cores?.server,
    });
    try {
      const started = await process.call('start', {
        module: peer.module,
        log: peer.log,
        maxSessions: MAX_SESSIONS,
      });
      return { ...started, process };
    } catch (error) {
      await process.stop();
      throw error;
    }
  }

  async stop() {
    await this.#load.stop();
  }
}
