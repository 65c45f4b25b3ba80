/**
 * What one request has shown so far: each gate adds what it learned and reads what earlier gates left. The
 * one object that gates share, so that no gate parses or decides anything twice. It knows no rules.
 */
import type { IncomingMessage } from 'node:http';
import type { Head } from '../protocol/header-fields.js';
import type { JsonRpcMessage } from '../protocol/json-rpc.js';
import type { Principal } from './principal.js';
import type { Session } from './session.js';

export interface SlotOwner {
  leave(exchange: Exchange): void;
}

export class Exchange {
  /** Monotonic milliseconds (`performance.now()`), for the duration in the log. */
  readonly startedAt: number = performance.now();
  /** True once the first gate has seen it; stays false for requests of an application around the boundary. */
  entered = false;
  /** Set by the head gate. */
  head: Head | undefined = undefined;
  /** True once the whole announced body has been read: a refusal need not wait for more of it. */
  bodyRead = false;
  /** Set by the body gate; stays undefined for GET and DELETE. */
  message: JsonRpcMessage | undefined = undefined;
  /** Set by the bearer gate. */
  principal: Principal | undefined = undefined;
  /** Set by the session gate; stays undefined for `initialize` until it made one. */
  session: Session | undefined = undefined;
  /** The public code of the refusal, if the answer was one. */
  code: string | undefined = undefined;
  /** A stable word that narrows the code down, for the log only. */
  reason: string | undefined = undefined;
  /** True when the client waits for `100 Continue` before it sends its body. */
  expectsContinue = false;
  /** True when the server already knows that it cannot take this request (connection or pipeline over bounds). */
  overCapacity = false;
  /** What this request counts for at the capacity gate right now. */
  slot: 'none' | 'body' | 'processing' = 'none';
  /** Who counts that; asked to give the place back when a refused request only waits for the end of its body. */
  slotOwner: SlotOwner | undefined = undefined;
  /** True while a method runs, so that its slot is kept when the caller has already gone. */
  running = false;
  /** True once the response is closed, sent or not. */
  closed = false;
  /** What is given back when the response is closed and no method of it runs any more. */
  onEnd: (() => void) | undefined = undefined;
  /** True once the answer said `Connection: close`: nothing after it on this connection is served. */
  closing = false;
}

const EXCHANGE = Symbol('nest-mcp-boundary.exchange');

interface WithExchange {
  [EXCHANGE]?: Exchange;
}

/** The exchange of a request; made when it is first asked for. */
export function exchangeOf(request: IncomingMessage): Exchange {
  const holder = request as WithExchange;
  return (holder[EXCHANGE] ??= new Exchange());
}

/** For gates that come after the one that set it: a missing value is a fault in the receive order. */
export function shown<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`receive order: ${what} is read before its gate has run`);
  return value;
}
