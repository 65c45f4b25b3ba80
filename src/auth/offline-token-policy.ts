/**
 * The default token policy: judges a bearer token by the records of a {@link TokenBook}, at once and without
 * asking anybody. It proves the order of judgement, not a signature: nothing is verified here but that the
 * book knows the token's digest.
 *
 * The book is asked anew on every request, so a revocation or a new revision holds from the next request on.
 * Scopes are judged by the ScopeGuard; reading the book from a file is the loader's work.
 */
import type { Clock } from '../config/clock.js';
import { tokenDigest, type TokenBook, type TokenRecord } from './token-book.js';
import { TokenPolicy, type TokenRefusal, type TokenVerdict } from './token-policy.js';

type Reason = Extract<TokenRefusal, { code: 'invalid_token' }>['reason'];

export class OfflineTokenPolicy extends TokenPolicy {
  #book: TokenBook;
  #stale = false;
  readonly #clock: Clock;

  constructor(book: TokenBook, clock: Clock) {
    super();
    this.#book = book;
    this.#clock = clock;
  }

  /** Answers at once. The token is hashed and forgotten: a digest takes under a microsecond, a cache would keep it. */
  override authenticate(token: string, resource: string): TokenVerdict {
    const book = this.#book;
    const record = book.records.get(tokenDigest(token));
    return record ? judge(record, book.issuer, resource, this.#clock.now()) : refused('unknown');
  }

  /** Puts another book in place of this one, whole; the policy is current again. */
  replace(book: TokenBook): void {
    this.#book = book;
    this.#stale = false;
  }

  /** Says that the source has changed in a way that could not be read; the last good book goes on. */
  markStale(): void {
    this.#stale = true;
  }

  override state(): 'current' | 'stale' {
    return this.#stale ? 'stale' : 'current';
  }
}

/**
 * The order is part of the contract: what the token is, whom it was issued by and for, whether its subject's
 * rights are still those, and only then, for a token that holds, whether the tenant is allowed. So `forbidden`
 * tells nothing to whoever holds a token that is no longer good.
 */
function judge(record: TokenRecord, issuer: string, resource: string, now: number): TokenVerdict {
  const { principal } = record;
  if (!record.active) return refused('inactive');
  if (now >= principal.expiresAt) return refused('expired');
  if (record.revoked) return refused('revoked');

  if (record.issuer !== issuer) return refused('wrong_issuer');
  if ((record.audience ?? resource) !== resource) return refused('wrong_audience');
  if ((record.resource ?? resource) !== resource) return refused('wrong_resource');
  if ((record.authorizationResource ?? resource) !== resource) return refused('wrong_authorization_resource');
  if ((record.tokenResource ?? resource) !== resource) return refused('wrong_token_resource');

  if (record.currentRevision !== principal.authorizationRevision) return refused('stale_revision');
  if (!record.tenantAllowed) return { ok: false, code: 'forbidden', reason: 'tenant_not_allowed' };
  return { ok: true, principal };
}

function refused(reason: Reason): TokenRefusal {
  return { ok: false, code: 'invalid_token', reason };
}
