/**
 * The port behind which sessions are kept: abstract class = type and injection token. Each call is atomic
 * for its session, so that a shared store can come without touching callers.
 */
import type { Awaitable } from '../exchange/awaitable.js';
import type { Session, SessionOwner, SessionState } from '../exchange/session.js';

export interface NewSession {
  readonly id: string;
  readonly owner: SessionOwner;
  /** Milliseconds since the epoch; with an idle lifetime, until it is released for the first time. */
  readonly expiresAt: number;
}

export abstract class SessionStore {
  /**
   * Keeps a new session in state `created`; `undefined` when as many as allowed are alive, in all or of its
   * subject (how many is the store's own business). Never evicts.
   */
  abstract create(session: NewSession): Awaitable<Session | undefined>;
  /** The live session of that id; `undefined` when it is unknown, expired or deleted, all alike. */
  abstract find(id: string): Awaitable<Session | undefined>;
  /** Ends a session; false when it was not there. */
  abstract delete(id: string): Awaitable<boolean>;
  /** Moves a session from one state to another; `undefined` when it is not there or not in `from`. */
  abstract transition(id: string, from: SessionState, to: SessionState): Awaitable<Session | undefined>;

  /**
   * Only with an idle lifetime (setting `sessionExpiry`): a process begins to use this session. It must not expire
   * before every hold has been released. Does nothing for a session that is not there. A store that several
   * processes share gives a hold a time of its own, so that a process that died does not hold for ever.
   */
  hold(_id: string): Awaitable<void> {
    throw new Error('this SessionStore cannot hold sessions: sessionExpiry must be fixed');
  }

  /**
   * That process has ended its last request of this session, which lives until `expiresAt` (milliseconds since the
   * epoch) from now on, unless others hold it. Does nothing for a session that is not there.
   */
  release(_id: string, _expiresAt: number): Awaitable<void> {
    throw new Error('this SessionStore cannot release sessions: sessionExpiry must be fixed');
  }
}
