/**
 * Gate 9: protocol revision, session and lifecycle. A session header opens nothing by itself: the caller was
 * identified at gate 8, and a session is found only for its owner.
 */
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { BoundarySettings } from '../config/settings.js';
import { BoundaryError } from '../errors/boundary-error.js';
import { type Exchange, exchangeOf, shown } from '../exchange/exchange.js';
import type { Session } from '../exchange/session.js';
import type { Head } from '../protocol/header-fields.js';
import { judgeRevisionHeader } from '../protocol/revisions.js';
import { SessionService } from './session.service.js';

const SESSION_ID = /^[\x21-\x7e]{1,256}$/;

@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionService,
    private readonly settings: BoundarySettings,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const exchange = exchangeOf(context.getArgByIndex<IncomingMessage>(0));
    const head = shown(exchange.head, 'head');
    const { message } = exchange;
    if (message?.kind === 'request' && message.method === 'initialize') {
      refuseReuse(head);
      return true;
    }
    const id = sessionIdOf(head, this.settings);
    const found = this.sessions.findFor(shown(exchange.principal, 'principal'), id);
    if (found instanceof Promise) return found.then((session) => this.#admit(exchange, session));
    return this.#admit(exchange, found);
  }

  /** Only what this gate admits holds a session: who is refused here does not make it live longer. */
  #admit(exchange: Exchange, session: Session | undefined): boolean | Promise<boolean> {
    const admitted = admit(exchange, session);
    if (!this.sessions.isIdleExpiry) return true;
    const held = this.sessions.hold(admitted);
    exchange.onEnd = () => this.sessions.release(admitted);
    return held instanceof Promise ? held.then(() => true) : true;
  }
}

function refuseReuse(head: Head): void {
  if (head.sessionId !== undefined) throw new BoundaryError('initialization_must_not_reuse_session');
  const revision = judgeRevisionHeader(head.protocolVersion);
  if (revision !== 'missing' && revision !== 'spoken') {
    throw new BoundaryError('unsupported_protocol_version');
  }
}

/** One revision is spoken, so a session has negotiated that one: a switch takes the header's word as if it said so. */
type RevisionSwitches = Pick<BoundarySettings, 'acceptMissingProtocolVersion' | 'acceptOtherProtocolVersion'>;

function sessionIdOf(head: Head, switches: RevisionSwitches): string {
  const revision = judgeRevisionHeader(head.protocolVersion);
  if (revision === 'missing' && !switches.acceptMissingProtocolVersion) {
    throw new BoundaryError('missing_protocol_version');
  }
  if (revision === 'unsupported' || (revision === 'earlier' && !switches.acceptOtherProtocolVersion)) {
    throw new BoundaryError('unsupported_protocol_version');
  }
  if (head.sessionId === undefined || !SESSION_ID.test(head.sessionId)) {
    throw new BoundaryError('missing_or_invalid_session');
  }
  return head.sessionId;
}

function admit(exchange: Exchange, session: Session | undefined): Session {
  if (session === undefined) throw new BoundaryError('session_not_found');
  exchange.session = session;
  const isGet = exchange.head?.method === 'GET';
  if (session.state === 'created' && (isGet || exchange.message?.kind === 'request')) {
    throw new BoundaryError('invalid_lifecycle');
  }
  if (session.state === 'ready' && isInitialized(exchange)) throw new BoundaryError('invalid_lifecycle');
  return session;
}

function isInitialized({ message }: Exchange): boolean {
  return message?.kind === 'notification' && message.method === 'notifications/initialized';
}
