/** Time as a dependency: what expires is asked of this, so that tests turn the clock instead of sleeping. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
