/** The tokens file: what it may say, everything that can be wrong with it, and that no value is ever told. */
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { OfflineTokenPolicy } from '../../../src/auth/offline-token-policy.js';
import { parseRfc3339 } from '../../../src/auth/rfc3339.js';
import { tokenDigest, type TokenBook } from '../../../src/auth/token-book.js';
import { readTokensFile, TokensFileError } from '../../../src/auth/tokens-file.js';
import { Clock } from '../../../src/config/clock.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
const NOW = Date.UTC(2030, 0, 1);

class SetClock extends Clock {
  constructor(public time = NOW) {
    super();
  }
  now(): number {
    return this.time;
  }
}

type Members = Record<string, unknown>;

function record(changes: Members = {}): Members {
  return {
    token: 'token-of-ada',
    token_id: 'id-1',
    subject: 'ada',
    tenant: 'acme',
    scopes: ['mcp:connect', 'mcp:use'],
    authorization_revision: '7',
    expires_in: 60,
    ...changes,
  };
}

function document(changes: Members = {}, ...records: Members[]): Members {
  return { issuer: 'https://issuer.example', tokens: records.length > 0 ? records : [record()], ...changes };
}

/** Members whose value is undefined are left out, as JSON.stringify does it. */
function read(value: unknown, previous?: TokenBook, clock = new SetClock()) {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return readTokensFile(bytes, { clock, previous });
}

function problemsOf(value: unknown): string[] {
  const result = read(value);
  return result.ok ? [] : result.problems.map(({ path, problem }) => `${path} ${problem}`);
}

function bookOf(value: unknown, previous?: TokenBook, clock?: SetClock): TokenBook {
  const result = read(value, previous, clock);
  if (!result.ok) throw new TokensFileError(result.problems);
  return result.book;
}

function verdictOf(value: unknown, token = 'token-of-ada'): string {
  const verdict = new OfflineTokenPolicy(bookOf(value), new SetClock()).authenticate(token, RESOURCE);
  return verdict.ok ? 'accepted' : verdict.reason;
}

const CLAIM = 'must be a string of 1 to 2048 bytes in UTF-8';
const INSTANT = 'must be a real date and time with offset (RFC 3339), e.g. 2030-01-31T12:00:00Z';
const SECONDS = 'must be a whole number of seconds, 1 to 2147483647';
const SCOPE = 'each must be a scope: visible ASCII without space, quote or backslash (RFC 6749 section 3.3)';
const BEARER = 'must be 1 to 65529 characters that a Bearer header can carry (RFC 6750 section 2.1)';
const WITHHELD = 'has a member that is not known here (its name is withheld, it may be a secret)';

describe('what the file may say', () => {
  test.each([
    ['the least there is', document()],
    ['no tokens at all', document({ tokens: [] })],
    [
      'a digest in lower case',
      document({}, record({ token: undefined, token_sha256: tokenDigest('token-of-ada') })),
    ],
    [
      'a digest in upper case',
      document({}, record({ token: undefined, token_sha256: tokenDigest('token-of-ada').toUpperCase() })),
    ],
    [
      'expires_at',
      document({}, record({ expires_in: undefined, expires_at: '2030-01-01T01:00:00.5+01:00' })),
    ],
    ['a token of all characters that token68 has', document({}, record({ token: 'Az09-._~+/==' }))],
    ['no scopes', document({}, record({ scopes: [] }))],
    ['claims of 2048 bytes', document({}, record({ subject: '甲'.repeat(682) + 'ab' }))],
    [
      'all the optional members',
      document(
        { revisions: [], allowed_tenants: {}, revoked: ['gone-long-ago', 'gone-long-ago'] },
        record({
          active: false,
          issuer: 'i',
          audience: 'a',
          resource: 'r',
          authorization_resource: 'ar',
          token_resource: 'tr',
        }),
      ),
    ],
  ])('%s', (_, value) => {
    expect(problemsOf(value)).toEqual([]);
  });

  test('the example file', () => {
    const bytes = readFileSync(new URL('../../../examples/tokens.json', import.meta.url));
    const book = bookOf(bytes.toString());
    const policy = new OfflineTokenPolicy(book, new SetClock());
    for (const token of ['learner-token-replace-me', 'reader-token-replace-me']) {
      expect(policy.authenticate(token, RESOURCE)).toMatchObject({ ok: true });
    }
  });
});

describe('what the file means', () => {
  const pair = { subject: 'ada', tenant: 'acme' };
  test.each([
    ['nothing optional', 'accepted', {}, {}],
    ['the revision of the record', 'accepted', { revisions: [{ ...pair, revision: '7' }] }, {}],
    ['another revision', 'stale_revision', { revisions: [{ ...pair, revision: '8' }] }, {}],
    ['revisions without this subject', 'stale_revision', { revisions: [] }, {}],
    ['the tenant of the record', 'accepted', { allowed_tenants: { ada: ['acme'] } }, {}],
    ['another tenant', 'tenant_not_allowed', { allowed_tenants: { ada: ['x'] } }, {}],
    ['allowed_tenants without this subject', 'tenant_not_allowed', { allowed_tenants: {} }, {}],
    ['a revoked token id', 'revoked', { revoked: ['id-1'] }, {}],
    ['active: false', 'inactive', {}, { active: false }],
    ['an issuer of its own', 'wrong_issuer', {}, { issuer: 'x' }],
    ['another audience', 'wrong_audience', {}, { audience: 'x' }],
    ['another resource', 'wrong_resource', {}, { resource: 'x' }],
    ['another authorization_resource', 'wrong_authorization_resource', {}, { authorization_resource: 'x' }],
    ['another token_resource', 'wrong_token_resource', {}, { token_resource: 'x' }],
    ['a past', 'expired', {}, { expires_in: undefined, expires_at: '2030-01-01T00:00:00Z' }],
  ])('%s: %s', (_, expected, changes, recordChanges) => {
    expect(verdictOf(document(changes, record(recordChanges)))).toBe(expected);
  });

  test.each(['租户/甲?#', '__proto__', 'constructor', 'hasOwnProperty', '7'])(
    'a subject and tenant called %s, in every list',
    (name) => {
      const value = document(
        { revisions: [{ subject: name, tenant: name, revision: '7' }], revoked: ['other'] },
        record({ subject: name, tenant: name }),
      );
      // Written as text: `{ __proto__: … }` in a program is no member.
      const text = JSON.stringify(value).replace(
        /\}$/,
        `,"allowed_tenants":{${JSON.stringify(name)}:[${JSON.stringify(name)}]}}`,
      );
      expect(verdictOf(text)).toBe('accepted');
    },
  );

  test('expires_in counts from loading, and scopes lose their duplicates', () => {
    const found = bookOf(document({}, record({ scopes: ['b', 'a', 'b'] }))).records.get(
      tokenDigest('token-of-ada'),
    );
    expect(found?.principal).toMatchObject({ expiresAt: NOW + 60_000, scopes: ['b', 'a'] });
  });
});

describe('what is wrong is said with its place', () => {
  const [first, second] = [record(), record({ token: 'another', token_id: 'id-2' })];
  test.each<[name: string, value: unknown, problems: string[]]>([
    ['an array', [], [' must be an object']],
    ['null', null, [' must be an object']],
    ['an empty object', {}, ['/issuer is missing', '/tokens is missing']],
    ['an unknown member', document({ token: [] }), ['/token is no member that is known here']],
    ['tokens as an object', document({ tokens: { a: 1 } }), ['/tokens must be an array']],
    ['tokens: null', document({ tokens: null }), ['/tokens must be an array']],
    [
      'records that are none',
      document({ tokens: [1, null, [], 'x'] }),
      [0, 1, 2, 3].map((index) => `/tokens/${index} must be an object`),
    ],
    [
      'neither form of token',
      document({}, record({ token: undefined })),
      ['/tokens/0 must have exactly one of token and token_sha256'],
    ],
    [
      'both forms of token',
      document({}, record({ token_sha256: tokenDigest('x') })),
      ['/tokens/0 must have exactly one of token and token_sha256'],
    ],
    [
      'neither form of expiry',
      document({}, record({ expires_in: undefined })),
      ['/tokens/0 must have exactly one of expires_at and expires_in'],
    ],
    [
      'both forms of expiry',
      document({}, record({ expires_at: '2030-01-01T00:00:00Z' })),
      ['/tokens/0 must have exactly one of expires_at and expires_in'],
    ],
    ['a token with a space', document({}, record({ token: 'a b' })), [`/tokens/0/token ${BEARER}`]],
    ['a token with a line end', document({}, record({ token: 'ab\n' })), [`/tokens/0/token ${BEARER}`]],
    ['a token that is padding only', document({}, record({ token: '==' })), [`/tokens/0/token ${BEARER}`]],
    ['an empty token', document({}, record({ token: '' })), [`/tokens/0/token ${BEARER}`]],
    [
      'a token too long for a header',
      document({}, record({ token: 'a'.repeat(65_530) })),
      [`/tokens/0/token ${BEARER}`],
    ],
    [
      'a digest that is none',
      document({}, record({ token: undefined, token_sha256: 'f'.repeat(63) })),
      ['/tokens/0/token_sha256 must be a SHA-256 in 64 hex digits'],
    ],
    ['an empty claim', document({}, record({ subject: '' })), [`/tokens/0/subject ${CLAIM}`]],
    [
      'a claim of 2049 bytes in 683 characters',
      document({}, record({ subject: '甲'.repeat(683) })),
      [`/tokens/0/subject ${CLAIM}`],
    ],
    [
      'a revision as a number',
      document({}, record({ authorization_revision: 7 })),
      [`/tokens/0/authorization_revision ${CLAIM}`],
    ],
    ['an optional claim that is null', document({}, record({ issuer: null })), [`/tokens/0/issuer ${CLAIM}`]],
    ['a claim that is an object', document({}, record({ tenant: { a: 1 } })), [`/tokens/0/tenant ${CLAIM}`]],
    ['active as a word', document({}, record({ active: 'yes' })), ['/tokens/0/active must be true or false']],
    ['active: null', document({}, record({ active: null })), ['/tokens/0/active must be true or false']],
    [
      'scopes as one string',
      document({}, record({ scopes: 'mcp:use' })),
      ['/tokens/0/scopes must be an array'],
    ],
    [
      'scopes that are none',
      document({}, record({ scopes: ['ok', 'a b', '', '甲', 'a"b', 'a\\b', 7, null] })),
      [`/tokens/0/scopes ${SCOPE}; at position 1, 2, 3, 4, 5, 6, 7`],
    ],
    ['no seconds', document({}, record({ expires_in: 0 })), [`/tokens/0/expires_in ${SECONDS}`]],
    ['negative seconds', document({}, record({ expires_in: -1 })), [`/tokens/0/expires_in ${SECONDS}`]],
    ['half a second', document({}, record({ expires_in: 0.5 })), [`/tokens/0/expires_in ${SECONDS}`]],
    ['seconds as a string', document({}, record({ expires_in: '60' })), [`/tokens/0/expires_in ${SECONDS}`]],
    ['too many seconds', document({}, record({ expires_in: 2 ** 31 })), [`/tokens/0/expires_in ${SECONDS}`]],
    [
      'a day that does not exist',
      document({}, record({ expires_in: undefined, expires_at: '2030-02-30T00:00:00Z' })),
      [`/tokens/0/expires_at ${INSTANT}`],
    ],
    [
      'the same token twice, in two forms',
      document(
        {},
        first,
        record({ token: undefined, token_sha256: tokenDigest('token-of-ada'), token_id: 'x' }),
      ),
      ['/tokens/1 has the same token as /tokens/0'],
    ],
    [
      'the same token id twice',
      document({}, first, second, record({ token: 'third', token_id: 'id-2' })),
      ['/tokens/2 has the same token_id as /tokens/1'],
    ],
    ['a revision list that is none', document({ revisions: {} }), ['/revisions must be an array']],
    [
      'revisions with problems',
      document({
        revisions: [7, { subject: 'a', tenant: 'b' }, { subject: 'a', tenant: 'b', revision: 'c', extra: 1 }],
      }),
      [
        '/revisions/0 must be an object',
        '/revisions/1/revision is missing',
        '/revisions/2/extra is no member that is known here',
      ],
    ],
    [
      'two revisions of one subject and tenant',
      document({
        revisions: ['1', '2'].map((revision) => ({ subject: 'a', tenant: 'b', revision })),
      }),
      ['/revisions/1 has the same subject and tenant as /revisions/0'],
    ],
    [
      'allowed tenants as a list',
      document({ allowed_tenants: ['acme'] }),
      ['/allowed_tenants must be an object of arrays'],
    ],
    [
      'allowed tenants with problems',
      document({ allowed_tenants: { a: ['x', 7, ''], '': ['x'], c: 'acme' } }),
      [
        `/allowed_tenants member 0 (from 0, names that are whole numbers first): each ${CLAIM}; at position 1, 2`,
        `/allowed_tenants member 1 (from 0, names that are whole numbers first): its name ${CLAIM}`,
        '/allowed_tenants member 2 (from 0, names that are whole numbers first): must be an array',
      ],
    ],
    ['revoked: null', document({ revoked: null }), ['/revoked must be an array']],
    [
      'many revoked ids that are none',
      document({ revoked: Array.from({ length: 12 }, () => 7) }),
      [`/revoked each ${CLAIM}; at position 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more`],
    ],
    [
      'too many records',
      document({ tokens: Array.from({ length: 10_001 }, () => 0) }),
      ['/tokens has more than 10000 records'],
    ],
  ])('%s', (_, value, problems) => {
    expect(problemsOf(value)).toEqual(problems);
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'])(
    'a member called %s is unknown, in the document, a record and a revision, and confuses nothing',
    (name) => {
      const member = `,${JSON.stringify(name)}:{"issuer":"x","constructor":"y","then":1}}`;
      const withMember = (value: unknown) => JSON.stringify(value).replace(/\}$/, member);
      const revision = { subject: 'a', tenant: 'b', revision: 'c' };
      const text = withMember({ issuer: 'i', tokens: ['R'], revisions: ['V'] })
        .replace('"R"', withMember(record()))
        .replace('"V"', withMember(revision));
      expect(problemsOf(text)).toEqual(
        ['', '/tokens/0', '/revisions/0'].map((path) => `${path}/${name} is no member that is known here`),
      );
      expect(Object.hasOwn(Object.prototype, 'issuer')).toBe(false);
    },
  );

  test('everything at once, in one list', () => {
    const value = document(
      { revoked: 1, revisions: [{}] },
      record({ subject: 7, tenant: '' }),
      record({ token: 'a b', colour: 'red' }),
    );
    expect(problemsOf(value)).toEqual([
      `/revoked must be an array`,
      `/tokens/0/subject ${CLAIM}`,
      `/tokens/0/tenant ${CLAIM}`,
      '/tokens/1/colour is no member that is known here',
      `/tokens/1/token ${BEARER}`,
      '/tokens/1 has the same token_id as /tokens/0',
      '/revisions/0/subject is missing',
      '/revisions/0/tenant is missing',
      '/revisions/0/revision is missing',
    ]);
  });
});

describe('strict JSON', () => {
  test.each([
    ['a duplicate key', '{"issuer":"a","issuer":"b"}'],
    ['a duplicate key in escapes', '{"issuer":"a","\\u0069ssuer":"b"}'],
    ['a trailing comma', '{"issuer":"a",}'],
    ['a comment', '// tokens\n{}'],
    ['half a file', '{"issuer":"a","tokens":[{"tok'],
    ['an empty file', ''],
    ['a BOM', '\ufeff{}'],
    ['a lone surrogate', '{"issuer":"\\ud800"}'],
    ['nesting without end', '['.repeat(10_000)],
  ])('%s is one problem of the whole', (_, text) => {
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^ is not strict JSON: [a-z0-9_]+, [a-z0-9_]+ at line /),
    ]);
  });

  test('says the line and column', () => {
    expect(problemsOf('{\n  "issuer": oops\n}')).toEqual([expect.stringMatching(/at line 2, column 13$/)]);
  });

  test('bytes that are not UTF-8 have no line', () => {
    const result = readTokensFile(Uint8Array.of(0x7b, 0xff, 0x7d), { clock: new SetClock() });
    expect(result).toMatchObject({
      problems: [{ path: '', problem: 'is not strict JSON: invalid_utf8, malformed_utf8' }],
    });
  });

  test('a file over 4 MiB is not parsed', () => {
    const result = readTokensFile(new Uint8Array(4 * 1024 * 1024 + 1), { clock: new SetClock() });
    expect(result).toMatchObject({ problems: [{ path: '', problem: 'is larger than 4194304 bytes' }] });
  });
});

describe('no value is ever told', () => {
  const canary = 'CANARY-4f0c9d52e1b84c';
  // A canary in one place of an otherwise good document, each place made wrong in turn.
  const places: [string, unknown][] = [
    ...['token', 'token_sha256', 'expires_at', 'expires_in', 'active', 'scopes'].map(
      (name): [string, unknown] => [
        `${name} as a string with a quote`,
        document({}, record({ [name]: `${canary} "` })),
      ],
    ),
    ...Object.keys(record()).map((name): [string, unknown] => [
      `${name} as an array`,
      document({}, record({ [name]: [`${canary} "`] })),
    ]),
    ...Object.keys(record()).map((name): [string, unknown] => [
      `${name} as an object`,
      document({}, record({ [name]: { [canary]: canary } })),
    ]),
    ['a claim too long', document({}, record({ subject: canary.repeat(200) }))],
    ['a name of a member', document({ [canary]: 1 })],
    ['a name of a member of a record', document({}, record({ [canary]: canary }))],
    ['a subject of allowed_tenants', document({ allowed_tenants: { [canary]: canary } })],
    ['a tenant of allowed_tenants', document({ allowed_tenants: { a: [canary, [canary]] } })],
    ['revoked', document({ revoked: [[canary]] })],
    ['revisions', document({ revisions: [canary, { subject: canary, tenant: [canary] }] })],
    [
      'two records alike',
      document({}, record({ token: canary, token_id: canary }), record({ token: canary, token_id: canary })),
    ],
    ['the whole document', canary],
    ['a duplicate key', `{"${canary}":1,"${canary}":2}`],
    ['half a string', `{"tokens":[{"token":"${canary}`],
    ['a word that is no JSON', `{"issuer": ${canary}}`],
  ];
  test.each(places)('%s', (_, value) => {
    const result = read(value);
    const problems = result.ok ? [] : result.problems;
    expect(problems).not.toEqual([]);
    expect(new TokensFileError(problems).message + JSON.stringify(problems)).not.toMatch(/CANARY|4f0c9d52/);
  });

  test('an unknown member is named when its name looks like a field, else its name is withheld', () => {
    expect(problemsOf(document({ expiresAt: 1 }))).toEqual(['/expiresAt is no member that is known here']);
    expect(problemsOf(document({ [canary]: 1 }))).toEqual([` ${WITHHELD}`]);
  });

  test('the book keeps no raw token', () => {
    const { records, lifetimes } = bookOf(document({}, record({ token: canary })));
    expect(JSON.stringify([[...records], [...lifetimes]])).not.toContain(canary);
  });
});

describe('expires_in over a reload', () => {
  const LATER = 20_000;
  function expiryAfter(before: Members, after: Members | string): number {
    const previous = bookOf(document({}, before));
    const text = typeof after === 'string' ? after : document({}, after);
    const [found] = bookOf(text, previous, new SetClock(NOW + LATER)).records.values();
    return (found?.principal.expiresAt ?? 0) - NOW;
  }
  const reversed = Object.fromEntries(Object.entries(record()).toReversed());
  const digestForm = record({ token: undefined, token_sha256: tokenDigest('token-of-ada').toUpperCase() });

  test.each<[string, Members | string]>([
    ['the same record', record()],
    ['its members in another order', reversed],
    ['other white space', JSON.stringify(document(), null, 8)],
    ['its digest instead of the token', digestForm],
    ['its defaults in so many words', record({ active: true })],
    ['other lists beside it', JSON.stringify(document({ revoked: ['x'], revisions: undefined }))],
  ])('%s: not extended', (_, after) => {
    expect(expiryAfter(record(), after)).toBe(60_000);
  });

  test.each<[string, Members, number]>([
    ['another lifetime', record({ expires_in: 90 }), 90_000],
    ['another token', record({ token: 'rotated' }), 60_000],
    ['other scopes', record({ scopes: ['mcp:use'] }), 60_000],
    ['another revision', record({ authorization_revision: '8' }), 60_000],
  ])('%s: counted from the reload', (_, after, lifetime) => {
    expect(expiryAfter(record(), after)).toBe(LATER + lifetime);
  });

  test('holds over many reloads, past the expiry too', () => {
    const clock = new SetClock();
    let book = bookOf(document(), undefined, clock);
    for (let reload = 0; reload < 5; reload += 1) {
      clock.time += 30_000;
      book = bookOf(document(), book, clock);
    }
    const policy = new OfflineTokenPolicy(book, clock);
    expect(policy.authenticate('token-of-ada', RESOURCE)).toMatchObject({ reason: 'expired' });
  });

  test('one record changed leaves the others as they were', () => {
    const other = record({ token: 'other', token_id: 'id-2' });
    const previous = bookOf(document({}, record(), other));
    const next = bookOf(document({}, record({ tenant: 'new' }), other), previous, new SetClock(NOW + LATER));
    expect(next.records.get(tokenDigest('other'))?.principal.expiresAt).toBe(NOW + 60_000);
    expect(next.records.get(tokenDigest('token-of-ada'))?.principal.expiresAt).toBe(NOW + LATER + 60_000);
  });
});

describe('RFC 3339', () => {
  test.each([
    ['2030-01-01T00:00:00Z', NOW],
    ['2030-01-01t00:00:00z', NOW],
    ['2030-01-01T00:00:00.5Z', NOW + 500],
    ['2030-01-01T00:00:00.123999999Z', NOW + 123],
    ['2030-01-01T05:30:00+05:30', NOW],
    ['2029-12-31T16:00:00-08:00', NOW],
    ['2030-01-01T00:00:00-00:00', NOW],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['0099-01-01T00:00:00Z', Date.parse('0099-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('%s is an instant', (text, instant) => {
    expect(parseRfc3339(text)).toBe(instant);
  });

  test.each([
    '2030-02-30T00:00:00Z',
    '2029-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2030-04-31T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T23:59:60Z',
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-01-01T00:00Z',
    '2030-01-01',
    '2030-01-01T00:00:00.Z',
    '2030-01-01T00:00:00+0100',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01T00:00:00+01:60',
    '2030-01-01T00:00:00Z\n',
    ' 2030-01-01T00:00:00Z',
    '+12030-01-01T00:00:00Z',
    '٢٠٣٠-01-01T00:00:00Z',
    '',
  ])('%j is none', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });
});

describe('whatever the file contains', () => {
  test('a result comes back, and a refused one has problems', () => {
    const name = fc.constantFrom(
      ...Object.keys(record()).concat(
        [
          'token_sha256',
          'expires_at',
          'active',
          'issuer',
          'tokens',
          'revisions',
          'allowed_tenants',
          'revoked',
        ],
        ['__proto__', 'constructor', 'then', 'hasOwnProperty', 'toJSON'],
      ),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(null, true, 'a', 60)),
        fc.array(tie('json'), { maxLength: 4 }),
        fc
          .array(fc.tuple(name, tie('json')), { maxLength: 8 })
          .map((members) => Object.defineProperties({}, Object.fromEntries(members.map(own)))),
      ),
    }));
    const property = fc.property(
      json,
      json,
      (value, entry) =>
        sound(value) && sound(document({ tokens: [value], revisions: [entry], allowed_tenants: entry })),
    );
    expect(fc.check(property, { numRuns: 500 })).toMatchObject({ failed: false });
  });
});

function own([name, value]: [string, unknown]): [string, PropertyDescriptor] {
  return [name, { value, enumerable: true, configurable: true, writable: true }];
}

function sound(value: unknown): boolean {
  const result = read(value);
  return result.ok || result.problems.length > 0;
}
