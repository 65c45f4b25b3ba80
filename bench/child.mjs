/**
 * Starts one child process on a core of its own, where `taskset` is there and the machine has two cores to give:
 * else a server and the load on it would take turns on one, and the ratio would be one of schedulers.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { callsTo } from './calls.mjs';

/**
 * @typedef {object} Child
 * @property {(command: string, value?: unknown) => Promise<any>} call
 * @property {() => Promise<void>} stop
 */

/** @typedef {{ server: number, load: number }} Cores */

/** @returns {Cores | undefined} two cores that this process may use; undefined where nothing can be pinned */
export function findCores() {
  try {
    const list = /Cpus_allowed_list:\s*(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    const [server, load] = list.split(',').flatMap(expandRange);
    if (server === undefined || load === undefined) return undefined;
    return spawnSync('taskset', ['-c', String(server), 'true']).status === 0 ? { server, load } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.node path of the Node executable
 * @param {readonly string[]} options.flags of Node
 * @param {URL} options.script
 * @param {number | undefined} options.core
 * @returns {Child} its standard output goes to the null device, its standard error to ours
 */
export function startChild({ name, node, flags, script, core }) {
  const command = [node, ...flags, script.pathname];
  const [file = node, ...args] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  /** @type {NodeJS.ProcessEnv} */
  const environment = { ...process.env, NODE_ENV: 'production' };
  delete environment['NODE_OPTIONS'];
  const child = spawn(file, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  return {
    call: callsTo(child, name),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** @param {string} range e.g. `0-3` or `5` */
function expandRange(range) {
  const [first = Number.NaN, last = first] = range.split('-').map(Number);
  return Array.from({ length: Number.isNaN(first) ? 0 : last - first + 1 }, (_, i) => first + i);
}
