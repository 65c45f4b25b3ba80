/**
 * The load process: raw sockets, so that it costs less than what it measures. Told over IPC what to do; keeps the
 * sessions that it opened, since nobody else needs their ids.
 */
import { answerCalls } from '../calls.mjs';
import { workloadNamed } from '../workloads.mjs';
import { openSessions } from './open-sessions.mjs';
import { Run } from './run.mjs';

const PRETENDED = '0123456789012345678901234567890123456789012';

/** @type {string[]} */
let sessions = [];

answerCalls({
  /** @param {{ port: number, count: number, connections: number }} options */
  async open({ port, count, connections }) {
    sessions = await openSessions(port, count, connections);
  },
  /** For a server without sessions, that the requests be alike for all. */
  pretend() {
    sessions = [PRETENDED];
  },
  /** @param {{ port: number, workload: string, connections: number, seconds: number, atLeast?: number, atMost?: number }} options */
  run({ workload, atLeast = 0, atMost = Infinity, ...options }) {
    return new Run({ ...options, workload: workloadNamed(workload), atLeast, atMost, sessions }).result();
  },
});
