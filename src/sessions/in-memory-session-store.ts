/**
 * Sessions of one process. With a fixed lifetime the order of creation is the order of expiry, and a Map
 * keeps it: making room looks at the expired ones and the first live one, never at all of them.
 */
import type { Clock } from '../config/clock.js';
import type { Session, SessionState } from '../exchange/session.js';
import { type NewSession, SessionStore } from './session-store.js';

export class InMemorySessionStore extends SessionStore {
  readonly #sessions = new Map<string, Session>();

  constructor(
    private readonly clock: Clock,
    private readonly maxSessions: number,
  ) {
    super();
  }

  create({ id, owner, expiresAt }: NewSession): Session | undefined {
    this.#dropExpired();
    if (this.#sessions.size >= this.maxSessions) return undefined;
    const session: Session = { id, owner, expiresAt, state: 'created' };
    this.#sessions.set(id, session);
    return session;
  }

  find(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.expiresAt > this.clock.now()) return session;
    this.#sessions.delete(id);
    return undefined;
  }

  delete(id: string): boolean {
    return this.find(id) !== undefined && this.#sessions.delete(id);
  }

  transition(id: string, from: SessionState, to: SessionState): Session | undefined {
    const session = this.find(id);
    if (session === undefined || session.state !== from) return undefined;
    // Setting an existing key keeps its place in the Map, and with it the order of expiry.
    const moved: Session = { ...session, state: to };
    this.#sessions.set(id, moved);
    return moved;
  }

  #dropExpired(): void {
    const now = this.clock.now();
    for (const session of this.#sessions.values()) {
      if (session.expiresAt > now) return;
      this.#sessions.delete(session.id);
    }
  }
}
