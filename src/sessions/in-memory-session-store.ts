/**
 * Sessions of one process. No request looks at all of them: those that nobody uses stand in a Map in the order in
 * which they expire, so that making room looks at the expired ones and the first live one. With a fixed lifetime
 * that is the order of creation; with an idle lifetime a session leaves the Map while it is used and comes back
 * at its end. Sessions are counted by subject as they come and go.
 */
import type { Clock } from '../config/clock.js';
import type { Session, SessionState } from '../exchange/session.js';
import { type NewSession, SessionStore } from './session-store.js';

interface Kept {
  session: Session;
  expiresAt: number;
  /** Requests of this session that are under way; it does not expire before they have ended. */
  holds: number;
}

export class InMemorySessionStore extends SessionStore {
  readonly #idle = new Map<string, Kept>();
  readonly #held = new Map<string, Kept>();
  readonly #countBySubject = new Map<string, number>();

  /**
   * @param maxSessions alive at once
   * @param maxSessionsPerSubject of those, of one subject
   */
  constructor(
    private readonly clock: Clock,
    private readonly maxSessions: number,
    private readonly maxSessionsPerSubject: number = maxSessions,
  ) {
    super();
  }

  create({ id, owner, expiresAt }: NewSession): Session | undefined {
    this.#dropExpired();
    const ofSubject = this.#countBySubject.get(owner.subject) ?? 0;
    if (this.#idle.size + this.#held.size >= this.maxSessions) return undefined;
    if (ofSubject >= this.maxSessionsPerSubject) return undefined;
    const session: Session = { id, owner, expiresAt, state: 'created' };
    this.#idle.set(id, { session, expiresAt, holds: 0 });
    this.#countBySubject.set(owner.subject, ofSubject + 1);
    return session;
  }

  find(id: string): Session | undefined {
    return this.#find(id)?.session;
  }

  delete(id: string): boolean {
    const kept = this.#find(id);
    if (kept !== undefined) this.#drop(kept);
    return kept !== undefined;
  }

  transition(id: string, from: SessionState, to: SessionState): Session | undefined {
    const kept = this.#find(id);
    if (kept === undefined || kept.session.state !== from) return undefined;
    kept.session = { ...kept.session, state: to };
    return kept.session;
  }

  override hold(id: string): void {
    const kept = this.#find(id);
    if (kept === undefined) return;
    kept.holds++;
    this.#idle.delete(id);
    this.#held.set(id, kept);
  }

  override release(id: string, expiresAt: number): void {
    const kept = this.#held.get(id);
    if (kept === undefined) return;
    kept.holds--;
    if (kept.holds > 0) return;
    kept.expiresAt = expiresAt;
    this.#held.delete(id);
    this.#idle.set(id, kept);
  }

  #find(id: string): Kept | undefined {
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    const kept = this.#idle.get(id);
    if (kept === undefined || kept.expiresAt > this.clock.now()) return kept;
    this.#drop(kept);
    return undefined;
  }

  #dropExpired(): void {
    const now = this.clock.now();
    for (const kept of this.#idle.values()) {
      if (kept.expiresAt > now) return;
      this.#drop(kept);
    }
  }

  #drop({ session: { id, owner } }: Kept): void {
    this.#idle.delete(id);
    this.#held.delete(id);
    const left = (this.#countBySubject.get(owner.subject) ?? 0) - 1;
    if (left > 0) this.#countBySubject.set(owner.subject, left);
    else this.#countBySubject.delete(owner.subject);
  }
}
