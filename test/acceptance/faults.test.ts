import { afterAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CHECKS } from '../../src/acceptance/checks/list.js';
import { MODERN_REVISION, STATEFUL_REVISION, type JudgedRevision } from '../../src/acceptance/revision.js';
import { PROXY_FAULTS, STATEFUL_FAULTS, UPSTREAM_FAULTS } from '../../src/acceptance/testbed/faults.js';
import { NGINX_FAULTS } from '../../src/acceptance/testbed/nginx-faults.js';
import {
  FAULT_TABLE,
  NEEDS_NO_TWIN,
  STATEFUL_FAULT_TABLE,
  TOTAL_FAULTS,
  type FaultRow,
} from './fault-table.js';
import { failing, judgeBed, stopOwnServer } from './judge-bed.js';
import { canRunBehind } from '../support/machine-programs.js';

afterAll(stopOwnServer);

const idsOf = (revision: JudgedRevision): string[] => CHECKS[revision].map(({ id }) => id);
const IDS = idsOf(MODERN_REVISION);
const TABLES = [
  [MODERN_REVISION, FAULT_TABLE],
  [STATEFUL_REVISION, STATEFUL_FAULT_TABLE],
] as const;
const CASES = TABLES.flatMap(([revision, table]) =>
  table.map((row) => [revision, row.proxy, row.fault, row] as const),
);

function wanted({ proves, drags = [] }: FaultRow): string[] {
  return [...proves, ...drags].toSorted();
}

describe.each(TABLES)('the table of faults for %s', (revision, table) => {
  test('has a fault for every check', () => {
    const proved = new Set(table.flatMap(({ proves }) => proves));
    expect(idsOf(revision).filter((id) => !proved.has(id))).toEqual([]);
  });

  test('names only checks that exist', () => {
    expect(table.flatMap(wanted).filter((id) => !idsOf(revision).includes(id))).toEqual([]);
  });

  test('says why wherever a fault drags other checks along', () => {
    expect(table.filter(({ drags, because }) => drags !== undefined && because === undefined)).toEqual([]);
  });
});

test('every fault of the bed is used', () => {
  const used = new Set<string>(
    [...FAULT_TABLE, ...STATEFUL_FAULT_TABLE, ...TOTAL_FAULTS].map(({ fault }) => fault),
  );
  const all = [...PROXY_FAULTS, ...STATEFUL_FAULTS, ...UPSTREAM_FAULTS, ...Object.keys(NGINX_FAULTS)];
  expect(all.filter((fault) => !used.has(fault))).toEqual([]);
});

describe('each fault fails exactly its checks', () => {
  test.concurrent.each(CASES.filter(([, , , row]) => row.isolated === undefined && canRunBehind(row.proxy)))(
    '%s, %s: %s',
    async (revision, proxy, fault, row) => {
      expect(failing(await judgeBed({ revision, proxy, fault }))).toEqual(wanted(row));
    },
    60_000,
  );

  test.concurrent.each(
    TOTAL_FAULTS.filter(({ proxy }) => canRunBehind(proxy)).map(
      ({ proxy, fault }) => [proxy, fault] as const,
    ),
  )(
    '%s: %s lets nothing through, and nothing passes for that reason',
    async (proxy, fault) => {
      const failed = failing(await judgeBed({ proxy, fault }));
      expect(IDS.filter((id) => !failed.includes(id)).toSorted()).toEqual([...NEEDS_NO_TWIN]);
    },
    60_000,
  );
});

describe('each fault that needs a process of its own fails exactly its checks', () => {
  test.each(CASES.filter(([, , , row]) => row.isolated))(
    '%s, %s: %s',
    async (_revision, _proxy, fault, row) => {
      const directory = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
      try {
        const code = await runCli(['accept', 'testbed', '--fault', fault], directory);
        const { record } = JSON.parse(readFileSync(join(directory, 'acceptance-record.json'), 'utf8')) as {
          record: { checks: { id: string; status: string }[] };
        };
        expect(code).toBe(1);
        expect(record.checks.filter(({ status }) => status !== 'pass').map(({ id }) => id)).toEqual(
          wanted(row),
        );
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
    60_000,
  );
});

function runCli(args: readonly string[], cwd: string): Promise<number> {
  return new Promise((done) => {
    execFile(process.execPath, [resolve('dist/cli/main.js'), ...args], { cwd }, (error) => {
      done(error === null ? 0 : Number(error.code ?? -1));
    });
  });
}
