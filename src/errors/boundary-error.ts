import { CATALOG, type PublicCode } from './catalog.js';

/**
 * What a refusal needs beside its code so that the filter can render headers. Never sent as it is and never
 * a secret: no token, session id or claim.
 */
export interface RefusalFacts {
  /** Scopes for the challenge, in order, for the codes whose challenge names them. */
  readonly scopes?: readonly string[];
  /** Methods for the `Allow` header (405). */
  readonly allow?: readonly string[];
  /** Seconds for `Retry-After` (503). */
  readonly retryAfterSeconds?: number;
  /** A stable snake_case word for the log that narrows the code down, e.g. `token_expired`. */
  readonly reason?: string;
}

/**
 * The only error whose code a caller may see. Anything else that is thrown is masked as `internal_error`.
 * No stack is captured: a refusal is an ordinary answer, thrown on the hot path, and its place is its code.
 */
export class BoundaryError extends Error {
  override readonly name = 'BoundaryError';
  readonly code: PublicCode;
  readonly facts: RefusalFacts;

  constructor(code: PublicCode, facts: RefusalFacts = {}, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(code, options);
    Error.stackTraceLimit = limit;
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return CATALOG[this.code].status;
  }
}
