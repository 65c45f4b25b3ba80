/** The tokens that HTTP tests bear, with claims that would be seen at once if they leaked. */
import type { TokenRecordDocument, TokensDocument } from './harness.mjs';

export const ALL_SCOPES = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read'];

/** Everything in a test's tokens and claims begins so: one search finds any leak. */
export const CANARY = 'canary';

export const ALICE = 'canary-token-alice';
export const BOB = 'canary-token-bob';

export function record(token: string, changes: Partial<TokenRecordDocument> = {}): TokenRecordDocument {
  return {
    token,
    token_id: `${CANARY}-id-of-${token}`,
    subject: `${CANARY}-subject-of-${token}`,
    tenant: `${CANARY}-tenant`,
    scopes: ALL_SCOPES,
    authorization_revision: `${CANARY}-revision-1`,
    expires_in: 3600,
    ...changes,
  };
}

export function tokensOf(...tokens: TokenRecordDocument[]): TokensDocument {
  return { issuer: `https://${CANARY}-issuer.example`, tokens };
}

/** Alice and Bob: same tenant, different subjects, all scopes. */
export const ALICE_AND_BOB: TokensDocument = tokensOf(record(ALICE), record(BOB));
