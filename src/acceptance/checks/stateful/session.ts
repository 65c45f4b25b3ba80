/*
 * Sessions of revision 2025-11-25 as a client holds them: the handshake, requests with any part bent, the GET
 * stream, the end. Judges nothing but that a session can be opened at all.
 */
import { headerOf, type HeaderLine } from '../../client/exchange.js';
import { keep, type Observation, type Probe } from '../../probe.js';
import { NONCE_HEADER, STATEFUL_REVISION } from '../../revision.js';
import { NotTestable, type Report } from '../../report.js';
import type { Provocation } from '../surviving-error.js';

/** A request of that revision; `null` leaves a header out. */
export interface StatefulRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly token?: string | null;
  readonly session?: string | null;
  readonly version?: string | null;
  /** A notification has no id. */
  readonly notification?: true;
  readonly url?: URL;
}

const ACCEPT = 'application/json, text/event-stream';

/** The parameters of the handshake. */
export const INITIALIZE: StatefulRequest = {
  method: 'initialize',
  params: {
    protocolVersion: STATEFUL_REVISION,
    capabilities: {},
    clientInfo: { name: 'nest-mcp-boundary-accept', version: '1' },
  },
  session: null,
  version: null,
};

/** The HTTP request for a described message. */
export function writeStateful(probe: Probe, request: StatefulRequest): Provocation {
  const [id, nonce] = [probe.nextId(), probe.nextNonce()];
  const headers = [['Content-Type', 'application/json'], ...common(probe, request, nonce)] as HeaderLine[];
  const { method, params, notification, url = probe.config.target } = request;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    ...(notification === undefined && { id }),
    method,
    ...(params !== undefined && { params }),
  });
  return { sent: { url, method: 'POST', headers, body }, id, nonce };
}

/** A request without a body: GET for the stream, DELETE for the end, PUT for a refusal. */
export function writeBodiless(
  probe: Probe,
  method: string,
  request: Omit<StatefulRequest, 'method'>,
  more: readonly HeaderLine[] = [],
): Provocation {
  const [id, nonce] = [probe.nextId(), probe.nextNonce()];
  const headers = [...common(probe, request, nonce), ...more];
  return { sent: { url: request.url ?? probe.config.target, method, headers }, id, nonce };
}

function common(probe: Probe, request: Omit<StatefulRequest, 'method'>, nonce: string): HeaderLine[] {
  const { token = probe.token('valid'), session = null, version = STATEFUL_REVISION } = request;
  return [
    ['Accept', ACCEPT],
    [NONCE_HEADER, nonce],
    ...(version === null ? [] : [['MCP-Protocol-Version', version] as const]),
    ...(session === null ? [] : [['MCP-Session-Id', session] as const]),
    ...(token === null ? [] : [['Authorization', `Bearer ${token}`] as const]),
  ];
}

/** Sends a described request. */
export function sendStateful(probe: Probe, what: string, request: StatefulRequest): Promise<Observation> {
  const { sent, id, nonce } = writeStateful(probe, request);
  return probe.sendRaw(what, sent, id, nonce);
}

/** Opens a session; undefined if no session id came. */
export async function openSession(probe: Probe, report: Report): Promise<string | undefined> {
  const opened = await sendStateful(probe, 'initialize', INITIALIZE);
  const session = headerOf(opened.answer?.headers ?? [], 'mcp-session-id');
  if (session === undefined || opened.message?.result === undefined) {
    keep(report, opened);
    return undefined;
  }
  await sendStateful(probe, 'initialized', {
    method: 'notifications/initialized',
    session,
    notification: true,
  });
  return session;
}

/** Ends a session, whatever comes of it: servers allow only so many. */
export async function closeSession(probe: Probe, session: string): Promise<void> {
  const { sent, id, nonce } = writeBodiless(probe, 'DELETE', { session });
  await probe.sendRaw('the end of the session', sent, id, nonce);
}

/** Opens a session, shows that it works, uses it and ends it; without a working one the check is not testable. */
export async function withSession(
  probe: Probe,
  report: Report,
  use: (session: string, twin: Observation) => Promise<void>,
): Promise<void> {
  const session = await openSession(probe, report);
  if (session === undefined) throw new NotTestable('twin-failed', 'no session could be opened');
  try {
    const twin = await sendStateful(probe, 'ping in the session, sent rightly', { method: 'ping', session });
    keep(report, twin);
    if (twin.message?.result === undefined)
      throw new NotTestable('twin-failed', 'ping in the session has no result');
    await use(session, twin);
  } finally {
    await closeSession(probe, session);
  }
}

/** Judges that a bent request was refused with one of these statuses. */
export function judgeRefused(report: Report, seen: Observation, status: readonly number[]): void {
  keep(report, seen);
  report.demand(status.includes(seen.answer?.status ?? 0), 'wrong-status');
  report.demand(seen.message?.result === undefined, 'request-answered');
}
