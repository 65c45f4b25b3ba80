/*
 * Group 7, no way around: the server behind the gateway refuses the same valid request when it comes directly.
 * A connection that cannot be made is a refusal too; which one it was is kept.
 */
import type { Check } from './check.js';
import { NotTestable } from '../report.js';
import { expectNothingRan, proveTwin } from './refusal.js';

/** How long a direct request may stay unanswered before that counts as refused. */
const CONNECT_MS = 10_000;

/** The check of group 7. */
export const BYPASS_CHECKS: readonly Check[] = [
  {
    id: 'bypass.direct',
    group: 'bypass',
    level: 'MUST',
    section: 'basic/transports/streamable-http#security--endpoint',
    title: 'The direct upstream refuses a valid request, and nothing runs.',
    meaning: 'Whoever reaches the network of the server walks past the gateway and all that it decides.',
    blocks: { ground: 'direct-way-open', on: ['direct-open', 'tool-ran', 'tool-ran-later'] },
    async run(probe, report) {
      report.expected = { status: [401, 403, 404, 421], runs: 0, more: ['or no connection'] };
      const url = probe.config.directUpstream;
      if (url === undefined) throw new NotTestable('not-configured', 'directUpstream is not configured');
      await proveTwin(probe, report);
      const request = { ...probe.call(probe.tool('counting')), url };
      const seen = await probe.send('the same valid request, sent directly', request, {
        // A firewall that drops packets is a refusal as well; it must not use up the time of the check.
        until: AbortSignal.timeout(Math.min(CONNECT_MS, probe.config.limits.checkMs / 2)),
      });
      await expectNothingRan(probe, report, seen);
      if (seen.failure !== undefined)
        report.notes.push(`no answer from the direct upstream: ${seen.failure}`);
      const refused = seen.failure !== undefined || (seen.answer?.status ?? 0) >= 400;
      report.demand(refused, 'direct-open');
    },
  },
];
