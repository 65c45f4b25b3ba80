/**
 * Sessions as the gates and methods see them: opened, found for their owner only, made ready, ended; and
 * what belongs to a live session in this process, its event log and its running requests. Where sessions
 * are kept is the store's business.
 */
import { Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock } from '../config/clock.js';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { maskedError } from '../errors/masked-error.js';
import type { Awaitable } from '../exchange/awaitable.js';
import type { Session, SessionOwner } from '../exchange/session.js';
import type { JsonRpcId } from '../protocol/json-rpc.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { EventLog, type LoggedEvent } from './event-log.js';
import { SessionStore } from './session-store.js';

/** Something that `notifications/cancelled` can stop. */
export interface Cancellable {
  cancel(): void;
}

/** What lives only in this process, made when it is first needed: an idle session costs nothing here. */
interface Runtime {
  expiresAt: number;
  /** Requests of this session that are under way; counted with an idle lifetime only. */
  inFlight: number;
  events: EventLog | undefined;
  running: Map<JsonRpcId, Cancellable> | undefined;
}

@Injectable()
export class SessionService {
  readonly #logger = new Logger('Boundary');
  readonly #runtimes = new Map<string, Runtime>();

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly settings: BoundarySettings,
  ) {}

  /** Opens a session for its owner; refuses with `session_capacity_exceeded` when as many as allowed live. */
  async open(owner: SessionOwner): Promise<Session> {
    const session = await this.store.create({
      id: randomBytes(32).toString('base64url'),
      owner,
      expiresAt: this.#expiryFromNow(),
    });
    if (session === undefined) {
      throw new BoundaryError('session_capacity_exceeded', {
        retryAfterSeconds: this.settings.retryAfterSeconds,
      });
    }
    return session;
  }

  /** The session of that id if it is this owner's; unknown, expired, ended and foreign ones look alike. */
  findFor(owner: SessionOwner, id: string): Awaitable<Session | undefined> {
    const found = this.store.find(id);
    return found instanceof Promise
      ? found.then((session) => this.#ofOwner(owner, id, session))
      : this.#ofOwner(owner, id, found);
  }

  /** Whether a session lives from the end of its last request, so that requests must `hold` and `release` it. */
  get isIdleExpiry(): boolean {
    return this.settings.sessionExpiry === 'idle';
  }

  /** A request of this session begins; the session lives until as many `release` as `hold` were called. */
  hold(session: Session): Awaitable<void> {
    const runtime = this.#runtimeOf(session);
    runtime.inFlight++;
    if (runtime.inFlight === 1) return this.store.hold(session.id);
  }

  /** A request of this session has ended; when it was the last one, the idle time of the session begins. */
  release({ id }: Session): void {
    const runtime = this.#runtimes.get(id);
    // The session has been ended meanwhile.
    if (runtime === undefined || runtime.inFlight === 0) return;
    runtime.inFlight--;
    if (runtime.inFlight > 0) return;
    runtime.expiresAt = this.#expiryFromNow();
    this.#runtimes.delete(id);
    if (runtime.events !== undefined) this.#runtimes.set(id, runtime);
    const released = this.store.release(id, runtime.expiresAt);
    if (released instanceof Promise) {
      released.catch((error: unknown) => {
        this.#logger.error({ msg: 'a session could not be released', err: maskedError(error, undefined) });
      });
    }
  }

  /**
   * `notifications/initialized`: once, from `created` to `ready`, with the notification that announces it
   * queued; else `invalid_lifecycle`, or `event_capacity_exceeded`.
   */
  async makeReady(session: Session, announcement: string): Promise<void> {
    const ready = await this.store.transition(session.id, 'created', 'ready');
    if (ready === undefined) throw new BoundaryError('invalid_lifecycle');
    try {
      await this.notify(session.id, announcement);
    } catch (error) {
      // What is refused has no effect: the caller may send it again.
      await this.store.transition(session.id, 'ready', 'created');
      throw error;
    }
  }

  /** Ends a session for ever and cancels what still runs in it. */
  async end(session: Session): Promise<void> {
    const runtime = this.#runtimes.get(session.id);
    this.#runtimes.delete(session.id);
    await this.store.delete(session.id);
    for (const running of runtime?.running?.values() ?? []) running.cancel();
  }

  /**
   * Queues one server notification for the session's GET stream; throws `event_capacity_exceeded` when as
   * many undelivered ones as allowed wait, `session_not_found` when the session is over.
   */
  async notify(sessionId: string, method: string, params?: JsonObject): Promise<void> {
    const session = await this.store.find(sessionId);
    if (session === undefined) throw new BoundaryError('session_not_found');
    const notification =
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
    this.#eventsOf(session).append(JSON.stringify(notification));
  }

  /** What the GET stream delivers now; never empty: with nothing queued one event without data moves the cursor. */
  deliver(session: Session, lastEventId: string | undefined): ReadonlyArray<{ id: string; data?: string }> {
    const log = this.#eventsOf(session);
    const due: readonly LoggedEvent[] = log.deliver(lastEventId);
    return due.length > 0 ? due : [{ id: lastEventId ?? log.nextGetId() }];
  }

  /** A fresh event id for an answer on a POST stream. */
  nextPostEventId(session: Session): string {
    return this.#eventsOf(session).nextPostId();
  }

  /** Makes a running request reachable for `notifications/cancelled` of its own session. */
  register(session: Session, id: JsonRpcId, running: Cancellable): void {
    const runtime = this.#runtimeOf(session);
    (runtime.running ??= new Map()).set(id, running);
  }

  unregister(session: Session, id: JsonRpcId, running: Cancellable): void {
    const byId = this.#runtimes.get(session.id)?.running;
    if (byId?.get(id) === running) byId.delete(id);
  }

  /** Cancels that request of this session, if it runs; else nothing. */
  cancel(session: Session, id: JsonRpcId): void {
    this.#runtimes.get(session.id)?.running?.get(id)?.cancel();
  }

  #expiryFromNow(): number {
    return this.clock.now() + this.settings.sessionTtlSeconds * 1000;
  }

  #ofOwner(owner: SessionOwner, id: string, session: Session | undefined): Session | undefined {
    if (session === undefined) {
      this.#runtimes.delete(id);
      return undefined;
    }
    const { subject, tenant, authorizationRevision } = session.owner;
    return subject === owner.subject &&
      tenant === owner.tenant &&
      authorizationRevision === owner.authorizationRevision
      ? session
      : undefined;
  }

  #eventsOf(session: Session): EventLog {
    const runtime = this.#runtimeOf(session);
    return (runtime.events ??= new EventLog(
      randomBytes(9).toString('hex'),
      this.settings.maxEventsPerSession,
    ));
  }

  #runtimeOf(session: Session): Runtime {
    const known = this.#runtimes.get(session.id);
    if (known !== undefined) return known;
    this.#dropExpired();
    const runtime: Runtime = {
      expiresAt: this.isIdleExpiry ? this.#expiryFromNow() : session.expiresAt,
      inFlight: 0,
      events: undefined,
      running: undefined,
    };
    this.#runtimes.set(session.id, runtime);
    return runtime;
  }

  /** Nobody asks for an expired session again; what belonged to it goes when another session needs a place. */
  #dropExpired(): void {
    const now = this.clock.now();
    for (const [id, { expiresAt, inFlight }] of this.#runtimes) {
      if (expiresAt > now || inFlight > 0) return;
      this.#runtimes.delete(id);
    }
  }
}
