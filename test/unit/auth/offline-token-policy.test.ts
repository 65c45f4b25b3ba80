/** The order of judgement of contract section 6, each refusal by its name, and what a swapped book changes. */
import { describe, expect, test } from '@jest/globals';
import { OfflineTokenPolicy } from '../../../src/auth/offline-token-policy.js';
import {
  buildTokenBook,
  tokenDigest,
  type TokenBookSource,
  type TokenClaims,
} from '../../../src/auth/token-book.js';
import { TokenPolicy } from '../../../src/auth/token-policy.js';
import { Clock } from '../../../src/config/clock.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
const OTHER = 'http://127.0.0.1:3001/mcp';
const ISSUER = 'https://issuer.example';
const TOKEN = 'token-of-ada';
const EXPIRES_AT = 2_000_000;

class SetClock extends Clock {
  constructor(public time: number) {
    super();
  }
  now(): number {
    return this.time;
  }
}

function claims(changes: Partial<TokenClaims> = {}): TokenClaims {
  return {
    digest: tokenDigest(TOKEN),
    tokenId: 'id-1',
    subject: 'ada',
    tenant: 'acme',
    scopes: ['mcp:connect', 'mcp:use'],
    authorizationRevision: '7',
    expiresAt: EXPIRES_AT,
    ...changes,
  };
}

function book(changes: Partial<TokenClaims> = {}, more: Partial<TokenBookSource> = {}) {
  return buildTokenBook({ issuer: ISSUER, tokens: [claims(changes)], ...more });
}

function policyFor(changes: Partial<TokenClaims> = {}, more: Partial<TokenBookSource> = {}, now = 1_000_000) {
  return new OfflineTokenPolicy(book(changes, more), new SetClock(now));
}

function reasonOf(policy: OfflineTokenPolicy, token = TOKEN, resource = RESOURCE): string {
  const verdict = policy.authenticate(token, resource);
  return verdict.ok ? 'accepted' : `${verdict.code}: ${verdict.reason}`;
}

function principal(policy: OfflineTokenPolicy) {
  const verdict = policy.authenticate(TOKEN, RESOURCE);
  return verdict.ok ? verdict.principal : undefined;
}

type Case = readonly [name: string, changes: Partial<TokenClaims>, more?: Partial<TokenBookSource>];
type Refusal = readonly [expected: string, ...Case];

// Jest takes a parameter that a row leaves out for a `done` callback, so rows go to it as objects.
const accepted = (...rows: Case[]) => rows.map(([name, changes, more]) => ({ name, changes, more }));
const refusals = (...rows: Refusal[]) =>
  rows.map(([expected, name, changes, more]) => ({ expected, name, changes, more }));

describe('what is accepted', () => {
  const ownBindings = {
    audience: RESOURCE,
    resource: RESOURCE,
    authorizationResource: RESOURCE,
    tokenResource: RESOURCE,
  };
  test.each(
    accepted(
      ['a record whose bindings are left out', {}],
      ['a record whose four bindings are spelled out', ownBindings],
      ['a record that names the issuer of the book', { issuer: ISSUER }],
      ['a record that is active in so many words', { active: true }],
      ['a record without scopes: they are judged elsewhere', { scopes: [] }],
      [
        'the current revision of this subject and tenant',
        {},
        { revisions: [{ subject: 'ada', tenant: 'acme', revision: '7' }] },
      ],
      ['a tenant that the list allows', {}, { allowedTenants: new Map([['ada', ['other', 'acme']]]) }],
      ['revocations of other token ids', {}, { revoked: ['id-2', 'id-1 ', 'ID-1'] }],
      [
        'a subject that bears the name of an inherited member',
        { subject: '__proto__', tenant: 'constructor' },
      ],
      [
        'Unicode identities, listed everywhere',
        { subject: '租户/甲?#', tenant: '租户/乙?#' },
        {
          revisions: [{ subject: '租户/甲?#', tenant: '租户/乙?#', revision: '7' }],
          allowedTenants: new Map([['租户/甲?#', ['租户/乙?#']]]),
        },
      ],
    ),
  )('$name', ({ changes, more }) => {
    expect(reasonOf(policyFor(changes, more))).toBe('accepted');
  });
});

describe('every refusal by its name', () => {
  test.each(
    refusals(
      ['invalid_token: inactive', 'a record switched off', { active: false }],
      ['invalid_token: expired', 'a record past its expiry', { expiresAt: 1 }],
      ['invalid_token: revoked', 'a token id on the revocation list', {}, { revoked: ['x', 'id-1'] }],
      ['invalid_token: wrong_issuer', 'another issuer', { issuer: 'https://other.example' }],
      ['invalid_token: wrong_issuer', 'an issuer with a slash more', { issuer: `${ISSUER}/` }],
      ['invalid_token: wrong_audience', 'another audience', { audience: OTHER }],
      ['invalid_token: wrong_audience', 'an audience in another case', { audience: RESOURCE.toUpperCase() }],
      ['invalid_token: wrong_resource', 'another resource', { resource: OTHER }],
      ['invalid_token: wrong_authorization_resource', 'issued for another', { authorizationResource: OTHER }],
      ['invalid_token: wrong_token_resource', 'fetched for another', { tokenResource: `${RESOURCE}/` }],
      [
        'invalid_token: stale_revision',
        'a newer revision of the subject',
        {},
        { revisions: [{ subject: 'ada', tenant: 'acme', revision: '8' }] },
      ],
      [
        'invalid_token: stale_revision',
        'a revision of the subject in another tenant only',
        {},
        { revisions: [{ subject: 'ada', tenant: 'umbrella', revision: '7' }] },
      ],
      [
        'invalid_token: stale_revision',
        'a revision list that does not name the subject',
        {},
        { revisions: [] },
      ],
      [
        'forbidden: tenant_not_allowed',
        'a tenant not on the list',
        {},
        { allowedTenants: new Map([['ada', ['x']]]) },
      ],
      [
        'forbidden: tenant_not_allowed',
        'a subject without allowed tenants',
        {},
        { allowedTenants: new Map([['ada', []]]) },
      ],
      [
        'forbidden: tenant_not_allowed',
        'a list that does not name the subject',
        {},
        { allowedTenants: new Map() },
      ],
    ),
  )('$expected: $name', ({ expected, changes, more }) => {
    expect(reasonOf(policyFor(changes, more))).toBe(expected);
  });

  test.each([
    ['another token', 'token-of-eve'],
    ['the token in another case', TOKEN.toUpperCase()],
    ['the token with padding', `${TOKEN}=`],
    ['the digest of the token instead of the token', tokenDigest(TOKEN)],
    ['the token id instead of the token', 'id-1'],
    ['an empty token', ''],
    ['the name of an inherited member', '__proto__'],
  ])('invalid_token: unknown: %s', (_, token) => {
    expect(reasonOf(policyFor(), token)).toBe('invalid_token: unknown');
  });

  test('a binding left out follows the resource that asks, a given one does not', () => {
    expect(reasonOf(policyFor(), TOKEN, OTHER)).toBe('accepted');
    expect(reasonOf(policyFor({ audience: RESOURCE }), TOKEN, OTHER)).toBe('invalid_token: wrong_audience');
  });
});

describe('identities are compared exactly, whatever characters they contain', () => {
  test.each([
    ['precomposed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['a Kelvin sign and a K', '\u212a', 'K'],
    ['a trailing space', '租户', '租户 '],
    ['upper and lower case', 'Ada', 'ada'],
  ])('%s are two subjects', (_, inRecord, inList) => {
    const revisions = [{ subject: inList, tenant: 'acme', revision: '7' }];
    const allowedTenants = new Map([[inList, ['acme']]]);
    expect(reasonOf(policyFor({ subject: inRecord }, { revisions }))).toBe('invalid_token: stale_revision');
    expect(reasonOf(policyFor({ subject: inRecord }, { allowedTenants }))).toBe(
      'forbidden: tenant_not_allowed',
    );
  });

  test('no separator lets one pair of subject and tenant pass for another', () => {
    const revisions = [{ subject: 'a","b', tenant: 'c', revision: '7' }];
    expect(reasonOf(policyFor({ subject: 'a', tenant: 'b","c' }, { revisions }))).toBe(
      'invalid_token: stale_revision',
    );
  });
});

describe('the order of judgement when several things are wrong', () => {
  const steps: readonly Case[] = [
    ['invalid_token: inactive', { active: false }],
    ['invalid_token: expired', { expiresAt: 1 }],
    ['invalid_token: revoked', {}, { revoked: ['id-1'] }],
    ['invalid_token: wrong_issuer', { issuer: 'x' }],
    ['invalid_token: wrong_audience', { audience: 'x' }],
    ['invalid_token: wrong_resource', { resource: 'x' }],
    ['invalid_token: wrong_authorization_resource', { authorizationResource: 'x' }],
    ['invalid_token: wrong_token_resource', { tokenResource: 'x' }],
    ['invalid_token: stale_revision', {}, { revisions: [] }],
    ['forbidden: tenant_not_allowed', {}, { allowedTenants: new Map() }],
  ];
  test.each(steps.map(([reason], index) => [reason, index] as const))(
    '%s hides all after it',
    (reason, i) => {
      const wrong = steps.slice(i);
      const changes = Object.assign({}, ...wrong.map((step) => step[1])) as Partial<TokenClaims>;
      const more = Object.assign({}, ...wrong.map((step) => step[2])) as Partial<TokenBookSource>;
      expect(reasonOf(policyFor(changes, more))).toBe(reason);
    },
  );

  test('an unknown token is unknown, whatever its neighbours are', () => {
    expect(reasonOf(policyFor({ active: false }, { revoked: ['id-1'] }), 'nobody')).toBe(
      'invalid_token: unknown',
    );
  });
});

describe('expiry', () => {
  test.each([
    [EXPIRES_AT - 1, 'accepted'],
    [EXPIRES_AT, 'invalid_token: expired'],
    [EXPIRES_AT + 1, 'invalid_token: expired'],
  ])('at %d the token is %s', (now, expected) => {
    expect(reasonOf(policyFor({}, {}, now))).toBe(expected);
  });

  test('the clock is asked on every request', () => {
    const clock = new SetClock(EXPIRES_AT - 1);
    const policy = new OfflineTokenPolicy(book(), clock);
    expect(reasonOf(policy)).toBe('accepted');
    clock.time = EXPIRES_AT;
    expect(reasonOf(policy)).toBe('invalid_token: expired');
  });
});

describe('the principal', () => {
  test('says who, where, what, and until when', () => {
    expect(principal(policyFor({ scopes: ['b', 'a', 'b'] }))).toEqual({
      subject: 'ada',
      tenant: 'acme',
      scopes: ['b', 'a'],
      authorizationRevision: '7',
      tokenId: 'id-1',
      expiresAt: EXPIRES_AT,
    });
  });

  test('is the same object for the same record on every request', () => {
    const policy = policyFor();
    expect(principal(policy)).toBe(principal(policy));
  });

  test('is frozen, its scopes too, and does not follow the array it was made from', () => {
    const scopes = ['mcp:use'];
    const found = principal(policyFor({ scopes }));
    scopes.push('admin');
    expect(found?.scopes).toEqual(['mcp:use']);
    expect(Object.isFrozen(found)).toBe(true);
    expect(Object.isFrozen(found?.scopes)).toBe(true);
  });

  test('bears neither the token nor its digest', () => {
    const text = JSON.stringify(principal(policyFor()));
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(tokenDigest(TOKEN));
  });
});

describe('swapping the book', () => {
  test.each(
    refusals(
      ['invalid_token: revoked', 'a revocation', {}, { revoked: ['id-1'] }],
      [
        'invalid_token: stale_revision',
        'a new revision',
        {},
        { revisions: [{ subject: 'ada', tenant: 'acme', revision: '8' }] },
      ],
      ['invalid_token: inactive', 'a record switched off', { active: false }],
      ['invalid_token: unknown', 'a record taken out', { digest: tokenDigest('another') }],
      [
        'forbidden: tenant_not_allowed',
        'a tenant taken away',
        {},
        { allowedTenants: new Map([['ada', ['umbrella']]]) },
      ],
    ),
  )('the next request after $name gets $expected', ({ expected, changes, more }) => {
    const policy = policyFor();
    expect(reasonOf(policy)).toBe('accepted');
    policy.replace(book(changes, more));
    expect(reasonOf(policy)).toBe(expected);
  });

  test('a stale policy goes on with its last book, a new book makes it current', () => {
    const policy = policyFor();
    expect(policy.state()).toBe('current');
    policy.markStale();
    expect(policy.state()).toBe('stale');
    expect(reasonOf(policy)).toBe('accepted');
    policy.replace(book());
    expect(policy.state()).toBe('current');
  });
});

describe('the port', () => {
  test('is a TokenPolicy, and answers at once', () => {
    const policy = policyFor();
    expect(policy).toBeInstanceOf(TokenPolicy);
    expect(policy.authenticate(TOKEN, RESOURCE)).not.toBeInstanceOf(Promise);
  });

  test.each<readonly [string, readonly TokenClaims[]]>([
    ['the same token', [claims(), claims({ tokenId: 'id-2' })]],
    ['the same token id', [claims(), claims({ digest: tokenDigest('another') })]],
  ])('a book does not come to be with two records of %s', (name, tokens) => {
    expect(() => buildTokenBook({ issuer: ISSUER, tokens })).toThrow(`two token records have ${name}`);
  });

  test('an empty book knows nobody', () => {
    const policy = new OfflineTokenPolicy(buildTokenBook({ issuer: ISSUER, tokens: [] }), new SetClock(0));
    expect(reasonOf(policy)).toBe('invalid_token: unknown');
  });
});
