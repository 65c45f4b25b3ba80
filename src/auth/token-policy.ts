import type { Awaitable } from '../exchange/awaitable.js';
import type { Principal } from '../exchange/principal.js';

/**
 * Why a token was refused. Callers see only the code; the reason goes to the log.
 * `invalid_token`: the token itself does not hold here, for whatever reason (401, one answer for all).
 * `forbidden`: the token holds, but its subject may not act for its tenant (403, no challenge).
 */
export type TokenRefusal =
  | {
      readonly ok: false;
      readonly code: 'invalid_token';
      readonly reason:
        | 'malformed'
        | 'unknown'
        | 'inactive'
        | 'expired'
        | 'revoked'
        | 'wrong_issuer'
        | 'wrong_audience'
        | 'wrong_resource'
        | 'wrong_authorization_resource'
        | 'wrong_token_resource'
        | 'stale_revision'
        | (string & {});
    }
  | { readonly ok: false; readonly code: 'forbidden'; readonly reason: 'tenant_not_allowed' };

export type TokenVerdict = { readonly ok: true; readonly principal: Principal } | TokenRefusal;

/**
 * The port that decides bearer tokens: abstract class = type and injection token in one. A real OAuth module
 * provides this and nothing else. It is asked anew on every request.
 */
export abstract class TokenPolicy {
  /**
   * @param token the bearer token as it came, already of the token68 shape (RFC 6750 section 2.1)
   * @param resource the canonical URI of this protected resource (RFC 8707): what audience must equal
   */
  abstract authenticate(token: string, resource: string): Awaitable<TokenVerdict>;

  /** `stale` while the policy runs on older data than its source has; shown by readiness. */
  state(): 'current' | 'stale' {
    return 'current';
  }
}
