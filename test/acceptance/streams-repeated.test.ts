/** Stream and cancellation checks twenty times, five at a time on purpose: a noisy machine must not make them fail. */
import { describe, expect, test } from '@jest/globals';
import { CHECKS } from '../../src/acceptance/checks/list.js';
import { MODERN_REVISION } from '../../src/acceptance/revision.js';
import { runChecks } from '../../src/acceptance/run.js';
import { canRunBehind } from '../support/machine-programs.js';
import { withBed } from './judge-bed.js';

const STREAMS = CHECKS[MODERN_REVISION].filter(({ group }) => group === 'stream');
const RUNS = Array.from(
  { length: 20 },
  (_value, index) => [index + 1, index % 2 === 1 && canRunBehind('nginx') ? 'nginx' : 'embedded'] as const,
);

describe('stream and cancellation checks hold when repeated', () => {
  test.concurrent.each(RUNS)(
    'run %i, %s',
    async (_run, proxy) => {
      await withBed({ proxy }, async (_bed, config) => {
        const { results } = await runChecks(config, STREAMS);
        expect(
          results.filter(({ finding }) => finding.outcome !== 'pass').map(({ check }) => check.id),
        ).toEqual([]);
        expect(results.length).toBe(9);
      });
    },
    60_000,
  );
});
