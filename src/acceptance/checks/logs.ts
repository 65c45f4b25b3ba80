/*
 * Group 3, logs: the named log files gained lines during the run and no token (authorization/security-considerations).
 */
import type { Check } from './check.js';
import { NotTestable } from '../report.js';

/** How long a log may take to be written after the last request, in ms. */
const FLUSH_MS = 1500;

/** The check that reads the named log files, last of all. */
export const LOG_CHECKS: readonly Check[] = [
  {
    id: 'audience.no-token-in-logs',
    group: 'audience',
    level: 'MUST',
    section: 'basic/authorization/security-considerations#token-theft',
    title: 'The named log files grew during the run, and none of them holds a token.',
    meaning: 'Everybody who can read a log can act as the callers in it.',
    last: true,
    async run(probe, report) {
      report.expected = { more: ['log files written to, no token in them'] };
      const { logs, secrets } = probe;
      if (logs.paths.length === 0) throw new NotTestable('not-configured', 'no log files are named');
      for (const [index, path] of logs.paths.entries()) {
        let state = logs.scan(path, secrets);
        for (let waited = 0; state === 'not-written' && waited < FLUSH_MS; waited += 100) {
          await probe.pause(100);
          state = logs.scan(path, secrets);
        }
        report.notes.push(`log file ${index + 1}: ${state}`);
        report.demand(state !== 'has-secret', 'token-in-log');
        report.demand(state !== 'unreadable', 'log-unreadable');
        report.demand(state !== 'not-written', 'log-not-written');
      }
    },
  },
];
