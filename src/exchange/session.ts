/** Who a session belongs to: never one token, so that a refreshed token of the same identity goes on. */
export interface SessionOwner {
  readonly subject: string;
  readonly tenant: string;
  readonly authorizationRevision: string;
}

/** `created` until `notifications/initialized` arrived once, then `ready`. */
export type SessionState = 'created' | 'ready';

/** One MCP session as a store keeps it: plain data, so that a shared store can hold it. */
export interface Session {
  /** 256 random bits, base64url. Not a credential: every request needs the token too. */
  readonly id: string;
  readonly owner: SessionOwner;
  /** Milliseconds since the epoch; as it was at creation, also when an idle lifetime has moved it since. */
  readonly expiresAt: number;
  readonly state: SessionState;
}
