import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { CHECKS } from '../../src/acceptance/checks/list.js';
import { MODERN_REVISION, STATEFUL_REVISION, type JudgedRevision } from '../../src/acceptance/revision.js';
import { wantedRows, writtenRows } from './checks-table.js';

const REVISIONS: readonly JudgedRevision[] = [MODERN_REVISION, STATEFUL_REVISION];

describe.each(REVISIONS)('the checks of %s', (revision) => {
  test('have unique ids that start with their group', () => {
    const ids = CHECKS[revision].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(CHECKS[revision].filter(({ id, group }) => !id.startsWith(`${group}.`))).toEqual([]);
  });

  test('bear a section, a title and a meaning, each one sentence', () => {
    for (const { section, title, meaning } of CHECKS[revision]) {
      expect(section).toMatch(/^(basic|RFC 9110)/);
      expect(title).toMatch(/^\S.*\.$/);
      expect(meaning).toMatch(/^\S.*\.$/);
    }
  });
});

test('ids do not change: they are named in records and exceptions', () => {
  const ids = [...new Set(REVISIONS.flatMap((revision) => CHECKS[revision].map(({ id }) => id)))].toSorted();
  expect(ids).toEqual(IDS);
});

test('the README shows the list as it is', () => {
  const text = readFileSync('README.md', 'utf8');
  for (const revision of REVISIONS) expect(writtenRows(text, revision)).toEqual(wantedRows(revision));
});

const IDS = `
audience.challenge audience.downstream audience.every-post audience.expired audience.made-up-identity
audience.metadata audience.narrow audience.neighbour audience.no-token-in-answers audience.no-token-in-logs
audience.query audience.same-connection audience.valid bypass.direct decision.forbidden-tool decision.hidden-tool
decision.hidden-tool-older decision.missing-version decision.older-version decision.parameter-mismatch
decision.parameter-missing downgrade.initialize downgrade.names-supported downgrade.session-header errors.400
errors.401 errors.403 errors.404 errors.405-delete errors.405-get errors.405-put errors.413 errors.application
session.bound session.required session.survives session.terminated session.version-header stream.buffering-hint
stream.cancel stream.cancel-outcome stream.cancel-unanswered stream.comments-not-data stream.get stream.idle
stream.keep-alive stream.memory stream.progress stream.resume version.body-version-older version.encoded-name
version.header-version-older version.malformed-base64 version.method-mismatch version.missing-method-header
version.missing-name-header version.missing-version-header version.name-mismatch version.repeated-header
version.unsupported
`
  .trim()
  .split(/\s+/);
