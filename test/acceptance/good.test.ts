import { afterAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { accept } from '../../src/acceptance/accept.js';
import type { AcceptanceRecord } from '../../src/acceptance/record/record.js';
import { RECORD_SCHEMA } from '../../src/acceptance/record/schema.js';
import { MODERN_REVISION, STATEFUL_REVISION } from '../../src/acceptance/revision.js';
import { runAccept } from '../../src/cli/accept-run.js';
import { canRunBehind } from '../support/machine-programs.js';
import { failing, judgeBed, stopOwnServer, withBed } from './judge-bed.js';

afterAll(stopOwnServer);

describe('the good bed passes', () => {
  const beds = [
    ['embedded', 'http'],
    ['embedded', 'tool'],
    ['nginx', 'http'],
    ['nginx', 'tool'],
  ] as const;
  test.concurrent.each(beds.filter(([proxy]) => canRunBehind(proxy)))(
    'every check, through the %s proxy, with the witness over %s',
    async (proxy, witness) => {
      const result = await judgeBed({ proxy, witness });
      // A witness that is a tool is called through the proxy, so that no answers are lost by it.
      expect(failing(result)).toEqual([]);
      expect(result.record.verdict.name).toBe('PASS');
    },
    60_000,
  );
});

describe('the good bed of the stateful revision passes', () => {
  test.concurrent.each((['embedded', 'nginx'] as const).filter(canRunBehind))(
    'every check, through the %s proxy',
    async (proxy) => {
      const result = await judgeBed({ proxy, revision: STATEFUL_REVISION });
      expect(failing(result)).toEqual([]);
      expect(result.record.verdict.name).toBe('PASS');
    },
    60_000,
  );
});

describe('the record', () => {
  test.concurrent.each((['embedded', 'nginx'] as const).filter(canRunBehind))(
    'of two runs on the same bed differs only in times, ids and measurements (%s)',
    async (proxy) => {
      await withBed({ proxy }, async (_bed, config) => {
        const [first, second] = [
          await accept(config, MODERN_REVISION),
          await accept(config, MODERN_REVISION),
        ];
        expect(withoutMeasurements(second.record)).toEqual(withoutMeasurements(first.record));
      });
    },
    60_000,
  );

  test('fits its schema, with findings and without', async () => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(RECORD_SCHEMA);
    for (const fault of [undefined, 'accepts-expired']) {
      const { file } = await judgeBed({ proxy: 'embedded', fault });
      validate(JSON.parse(file));
      expect(validate.errors).toBeNull();
    }
  }, 60_000);
});

describe('no secret leaves', () => {
  const beds = [
    ['embedded', undefined],
    ['nginx', undefined],
    ['embedded', 'echoes-token'],
    ['embedded', 'takes-token-from-query'],
    ['embedded', 'logs-authorization'],
  ] as const;
  test.concurrent.each(beds.filter(([proxy]) => canRunBehind(proxy)))(
    'record, page and progress hold no part and no hash of any token (%s, fault %s)',
    async (proxy, fault) => {
      const directory = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
      try {
        await withBed({ proxy, fault }, async (bed, config) => {
          const [out, html] = [join(directory, 'record.json'), join(directory, 'record.html')];
          const said = new PassThrough();
          const io = { stdin: new PassThrough(), stdout: said, stderr: said, isTerminal: false };
          const args = {
            config: bed.configPath,
            out,
            html,
            strict: false,
            revision: MODERN_REVISION,
          } as const;
          await runAccept(args, io, {});
          const written = [readFileSync(out, 'utf8'), readFileSync(html, 'utf8'), String(said.read())];
          // The log is the proxy's, and a good proxy's log is clean as well.
          if (fault !== 'logs-authorization')
            written.push(...config.logs.map((path) => readFileSync(path, 'utf8')));
          for (const text of written) {
            expect(text.length).toBeGreaterThan(100);
            expect(bed.secrets.filter((secret) => leaks(text, secret))).toEqual([]);
          }
        });
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
    60_000,
  );
});

/** Any eight characters of it in a row, or a digest of it. */
function leaks(text: string, secret: string): boolean {
  for (let at = 0; at + 8 <= secret.length; at += 1) if (text.includes(secret.slice(at, at + 8))) return true;
  return (['sha1', 'sha256', 'sha512', 'md5'] as const).some((algorithm) => {
    const digest = createHash(algorithm).update(secret);
    const bytes = digest.digest();
    return [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')].some((form) =>
      text.includes(form.slice(0, 16)),
    );
  });
}

function withoutMeasurements({ run: _run, ...record }: AcceptanceRecord): object {
  return { ...record, checks: record.checks.map(({ measured: _measured, ...check }) => check) };
}
