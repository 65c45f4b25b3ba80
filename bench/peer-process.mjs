/**
 * A server process: starts the one peer it is told to and answers for its own CPU time and memory, by
 * `process.cpuUsage` (user and system time of all its threads).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerCalls } from './calls.mjs';

const GC_ROUNDS = 4;
/** Finalizers and the sweeper run between two collections. */
const GC_PAUSE_MS = 50;

answerCalls({
  /** @param {{ module: string, log: 'silent' | 'info', maxSessions: number }} options */
  async start({ module, ...options }) {
    const { start } = await import(module);
    return { node: process.version, ...(await start(options)) };
  },
  usage() {
    const { user, system } = process.cpuUsage();
    return { cpuMicroseconds: user + system };
  },
  /** After collections, so that what remains is alive; needs --expose-gc. */
  async memory() {
    if (globalThis.gc === undefined) throw new Error('memory is measured with --expose-gc only');
    for (let round = 0; round < GC_ROUNDS; round++) {
      globalThis.gc();
      await sleep(GC_PAUSE_MS);
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, live: heapUsed + external };
  },
});
