/*
 * What a check found, as data. The sentences for people are in texts.ts, the sum of all findings in verdict.ts.
 */

/** How one check ended. `not-testable` counts as failed: a precondition could not be shown. */
export type Outcome = 'pass' | 'fail' | 'not-testable' | 'not-run';

/** Every reason that a check can give, each with one sentence in texts.ts. */
export type ProblemCode =
  | 'tool-ran'
  | 'tool-ran-later'
  | 'tool-did-not-run'
  | 'wrong-status'
  | 'wrong-code'
  | 'wrong-id'
  | 'no-json-rpc'
  | 'supported-missing'
  | 'supported-differs'
  | 'wrong-content-type'
  | 'answer-changed'
  | 'answered-by-proxy'
  | 'twin-failed'
  | 'witness-unavailable'
  | 'not-configured'
  | 'connection-not-reused'
  | 'token-in-answer'
  | 'token-in-log'
  | 'log-unreadable'
  | 'log-not-written'
  | 'challenge-missing'
  | 'challenge-incomplete'
  | 'challenge-wrong-origin'
  | 'metadata-missing'
  | 'metadata-wrong-resource'
  | 'metadata-wrong-issuer'
  | 'identity-from-header'
  | 'too-few-events'
  | 'first-event-late'
  | 'one-burst'
  | 'no-result'
  | 'memory-grew'
  | 'not-cancelled'
  | 'booked-as-success'
  | 'no-acknowledgement'
  | 'stream-cut'
  | 'no-comment'
  | 'comment-as-data'
  | 'hint-missing'
  | 'handshake-accepted'
  | 'session-minted'
  | 'request-answered'
  | 'session-lost'
  | 'session-unbound'
  | 'events-lost'
  | 'events-repeated'
  | 'direct-open'
  | 'timed-out'
  | 'transport-failed'
  | 'check-crashed'
  | 'host-not-named';

/** Things that block a release by themselves; no exception lifts the first six. */
export type BlockGround =
  | 'ran-after-mismatch'
  | 'ran-after-failed-authorisation'
  | 'wrong-audience-accepted'
  | 'decision-on-unverified-headers'
  | 'stream-broken'
  | 'direct-way-open'
  | 'must-failed'
  | 'exception-expired'
  | 'exception-stale'
  | 'incomplete';

/** What a check wanted to see. */
export interface Expectation {
  readonly status?: readonly number[];
  readonly code?: readonly number[];
  readonly runs?: number;
  readonly more?: readonly string[];
}

/** One exchange as kept for evidence: no token, no request id, no nonce. */
export interface Evidence {
  readonly what: string;
  /** Protocol version that the header and the body declared; null where there was none. */
  readonly declared: { readonly header: string | null; readonly body: string | null };
  readonly status: number | null;
  readonly code: number | null;
  readonly contentType: string | null;
  readonly body: string;
  readonly failure: string | null;
  /** How often the tool ran for this exchange, as the witness says; null if it was not asked. */
  readonly runs: number | null;
}

/** One event of a stream with its arrival in ms after the request was sent (monotonic). */
export interface Arrival {
  readonly atMs: number;
  readonly kind: 'progress' | 'result' | 'comment' | 'notification';
}

/** Numbers that differ from run to run, kept apart so that the rest of a record is reproducible. */
export interface Measured {
  readonly durationMs?: number;
  readonly arrivals?: readonly Arrival[];
  readonly values?: Readonly<Record<string, number>>;
}

/** The result of one check. */
export interface Finding {
  readonly outcome: Outcome;
  readonly problems: readonly ProblemCode[];
  readonly expected: Expectation;
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
  readonly measured: Measured;
}
