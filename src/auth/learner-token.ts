/**
 * The policy of a first try: no tokens file, one learner, one random token with every scope, as a notebook
 * server does it. Never in production: whoever composes the application refuses to start there.
 *
 * The token is returned once, for the entry point to print; the book keeps its digest only.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../config/clock.js';
import { SHIPPED_SCOPES } from './scope-catalog.js';
import { buildTokenBook, tokenDigest, type TokenBook } from './token-book.js';

/** A day of learning; after that a restart makes another token. */
const LEARNER_LIFETIME_MS = 24 * 60 * 60 * 1000;
const TOKEN_BYTES = 32;

export interface LearnerOptions {
  readonly clock: Clock;
  /** The issuer that the record names; shows nowhere. */
  readonly issuer: string;
  /** Gives so many unpredictable bytes. */
  readonly random?: (size: number) => Uint8Array;
}

/** @returns the book and, this once, the token itself: 256 random bits in base64url */
export function makeLearnerBook(options: LearnerOptions): {
  readonly book: TokenBook;
  readonly token: string;
} {
  const bytes = (options.random ?? randomBytes)(TOKEN_BYTES);
  const token = Buffer.from(bytes).toString('base64url');
  const book = buildTokenBook({
    issuer: options.issuer,
    tokens: [
      {
        digest: tokenDigest(token),
        tokenId: 'learner-token',
        subject: 'learner',
        tenant: 'learner',
        scopes: SHIPPED_SCOPES,
        authorizationRevision: '1',
        expiresAt: options.clock.now() + LEARNER_LIFETIME_MS,
      },
    ],
  });
  return { book, token };
}
