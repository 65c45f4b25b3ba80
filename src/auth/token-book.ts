/**
 * The offline policy's records, ready to be judged: one immutable book, replaced whole and never edited, so
 * that a request sees either the old book or the new one and nothing between.
 *
 * Raw tokens are not in it, only their SHA-256: whoever reads this memory or a heap dump of it can't send one.
 * What does not depend on the request (is the id revoked, which revision is current, is the tenant allowed) is
 * looked up once, here. Where the records come from (a file, one learner, a test) is for others.
 */
import { hash } from 'node:crypto';
import type { Principal } from '../exchange/principal.js';

/** What the issuer recorded about one token. A binding left out means the resource of the server that asks. */
export interface TokenClaims {
  /** {@link tokenDigest} of the token. */
  readonly digest: string;
  readonly tokenId: string;
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly authorizationRevision: string;
  /** Milliseconds since the epoch; at this instant the token is expired. */
  readonly expiresAt: number;
  /** Left out: true. */
  readonly active?: boolean | undefined;
  /** Left out: the book's issuer. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly resource?: string | undefined;
  /** RFC 8707 `resource` of the authorization request that led to this token. */
  readonly authorizationResource?: string | undefined;
  /** RFC 8707 `resource` of the token request that brought this token. */
  readonly tokenResource?: string | undefined;
}

/** The subject's revision within one tenant: a token issued under another one is stale. */
export interface CurrentRevision {
  readonly subject: string;
  readonly tenant: string;
  readonly revision: string;
}

export interface TokenBookSource {
  readonly issuer: string;
  readonly tokens: readonly TokenClaims[];
  /** Left out: each record's own revision is current. Given: a subject and tenant not listed has none (stale). */
  readonly revisions?: readonly CurrentRevision[] | undefined;
  /** Left out: each record's tenant is allowed. Given: a subject not listed may act for no tenant. */
  readonly allowedTenants?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Token ids; one that no record bears is fine, for revocation lists outlive what they revoke. */
  readonly revoked?: readonly string[] | undefined;
  /** Kept for the loader, see {@link TokenBook.lifetimes}. */
  readonly lifetimes?: ReadonlyMap<string, number> | undefined;
}

/** One record with everything resolved that a request can't change. */
export interface TokenRecord {
  readonly active: boolean;
  readonly revoked: boolean;
  readonly issuer: string;
  readonly audience: string | undefined;
  readonly resource: string | undefined;
  readonly authorizationResource: string | undefined;
  readonly tokenResource: string | undefined;
  /** Undefined when a revision list was given and does not name this subject and tenant. */
  readonly currentRevision: string | undefined;
  readonly tenantAllowed: boolean;
  /** Frozen, and the same object as long as the book stands. */
  readonly principal: Principal;
}

export interface TokenBook {
  readonly issuer: string;
  /** By {@link tokenDigest}. */
  readonly records: ReadonlyMap<string, TokenRecord>;
  /** Records that were given a lifetime in seconds: digest of the record's content → when it ends, in ms. */
  readonly lifetimes: ReadonlyMap<string, number>;
}

/** SHA-256 of a token, in lower-case hex: the key of its record. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * Resolves a source into a book.
 * @throws Error when two records share a token or a token id, without naming either. Loaders look for that
 * first, to list it among their other problems.
 */
export function buildTokenBook(source: TokenBookSource): TokenBook {
  const revoked = new Set(source.revoked);
  const revisions = source.revisions && new Map(source.revisions.map((r) => [pairKey(r), r.revision]));
  const records = new Map<string, TokenRecord>();
  const tokenIds = new Set<string>();
  for (const claims of source.tokens) {
    if (records.has(claims.digest)) throw new Error('two token records have the same token');
    if (tokenIds.has(claims.tokenId)) throw new Error('two token records have the same token id');
    tokenIds.add(claims.tokenId);
    records.set(claims.digest, {
      active: claims.active ?? true,
      revoked: revoked.has(claims.tokenId),
      issuer: claims.issuer ?? source.issuer,
      audience: claims.audience,
      resource: claims.resource,
      authorizationResource: claims.authorizationResource,
      tokenResource: claims.tokenResource,
      currentRevision: revisions ? revisions.get(pairKey(claims)) : claims.authorizationRevision,
      tenantAllowed: source.allowedTenants
        ? (source.allowedTenants.get(claims.subject)?.includes(claims.tenant) ?? false)
        : true,
      principal: principalOf(claims),
    });
  }
  return { issuer: source.issuer, records, lifetimes: source.lifetimes ?? new Map() };
}

/** One key for a subject within a tenant that no other pair shares, whatever characters the two contain. */
export function pairKey(pair: { readonly subject: string; readonly tenant: string }): string {
  return JSON.stringify([pair.subject, pair.tenant]);
}

function principalOf(claims: TokenClaims): Principal {
  return Object.freeze({
    subject: claims.subject,
    tenant: claims.tenant,
    scopes: Object.freeze([...new Set(claims.scopes)]),
    authorizationRevision: claims.authorizationRevision,
    tokenId: claims.tokenId,
    expiresAt: claims.expiresAt,
  });
}
