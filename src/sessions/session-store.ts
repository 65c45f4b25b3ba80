/**
 * The port behind which sessions are kept: abstract class = type and injection token. Each call is atomic
 * for its session, so that a shared store can come without touching callers.
 */
import type { Session, SessionOwner, SessionState } from '../exchange/session.js';

/** A value now, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

export interface NewSession {
  readonly id: string;
  readonly owner: SessionOwner;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export abstract class SessionStore {
  /** Keeps a new session in state `created`; `undefined` when as many as allowed are alive. Never evicts. */
  abstract create(session: NewSession): Awaitable<Session | undefined>;
  /** The live session of that id; `undefined` when it is unknown, expired or deleted, all alike. */
  abstract find(id: string): Awaitable<Session | undefined>;
  /** Ends a session; false when it was not there. */
  abstract delete(id: string): Awaitable<boolean>;
  /** Moves a session from one state to another; `undefined` when it is not there or not in `from`. */
  abstract transition(id: string, from: SessionState, to: SessionState): Awaitable<Session | undefined>;
}
