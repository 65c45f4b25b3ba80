/**
 * Who a verified token speaks for. Made by the token policy, frozen, the same object for the same token as
 * long as the policy stands, so that what is derived from it can be cached by identity.
 */
export interface Principal {
  readonly subject: string;
  readonly tenant: string;
  /** Granted scopes, without duplicates. */
  readonly scopes: readonly string[];
  /** The subject's authorization revision that the token was issued under. */
  readonly authorizationRevision: string;
  /** Names the token in the policy's own records; never sent to callers. */
  readonly tokenId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}
