/**
 * What waits for the GET stream of one session, and the ids of its events. An id is
 * `<stream kind>-<namespace>-<number>`: the kind tells a POST stream from the GET stream, the random
 * namespace one session from another, so that a foreign id can be refused without asking anybody
 * (2025-11-25 transports, "Resumability and Redelivery").
 */
import { BoundaryError } from '../errors/boundary-error.js';

export interface LoggedEvent {
  readonly id: string;
  /** A JSON-RPC notification, serialized. */
  readonly data: string;
}

interface NumberedEvent extends LoggedEvent {
  readonly number: number;
}

export class EventLog {
  readonly #events: NumberedEvent[] = [];
  #lastNumber = 0;
  #lastPostNumber = 0;
  /** Everything up to this number has been handed to a GET stream once. */
  #delivered = 0;
  /** Events up to this number may be gone. */
  #forgotten = 0;

  /**
   * @param namespace random, per session, without `-`
   * @param maxEvents kept at once, delivered or not
   */
  constructor(
    private readonly namespace: string,
    private readonly maxEvents: number,
  ) {}

  /**
   * Queues one event. An event that was delivered makes room for a new one; one that still waits never does:
   * then this throws `event_capacity_exceeded`.
   */
  append(data: string): void {
    const [oldest] = this.#events;
    if (oldest !== undefined && this.#events.length >= this.maxEvents) {
      if (oldest.number > this.#delivered) throw new BoundaryError('event_capacity_exceeded');
      this.#events.shift();
      this.#forgotten = oldest.number;
    }
    const number = ++this.#lastNumber;
    this.#events.push({ number, id: this.#getId(number), data });
  }

  /**
   * What a GET stream delivers now. Without `lastEventId`: what no stream has delivered yet. With it: all
   * that came after that event. Throws `invalid_last_event_id` for anything but an id of this GET stream
   * whose followers are all still here.
   */
  deliver(lastEventId?: string): readonly LoggedEvent[] {
    const after = lastEventId === undefined ? this.#delivered : this.#numberOf(lastEventId);
    const due = this.#events.filter((event) => event.number > after);
    this.#delivered = this.#lastNumber;
    return due;
  }

  /** A fresh id of the GET stream, for an event that only moves the client's cursor and is not kept. */
  nextGetId(): string {
    const number = ++this.#lastNumber;
    this.#delivered = number;
    return this.#getId(number);
  }

  /** A fresh id for an event on a POST stream; such events are never kept. */
  nextPostId(): string {
    return `post-${this.namespace}-${++this.#lastPostNumber}`;
  }

  #getId(number: number): string {
    return `get-${this.namespace}-${number}`;
  }

  #numberOf(id: string): number {
    const prefix = this.#getId(0).slice(0, -1);
    const digits = id.startsWith(prefix) ? id.slice(prefix.length) : '';
    const number = /^[1-9][0-9]{0,15}$/.test(digits) ? Number(digits) : 0;
    if (number === 0 || number > this.#lastNumber || number < this.#forgotten) {
      throw new BoundaryError('invalid_last_event_id');
    }
    return number;
  }
}
