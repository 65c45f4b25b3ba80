/*
 * Revision 2025-11-25, errors survive and no way around: the same demands as for the current revision, asked with
 * sessions.
 */
import { keep, type Observation, type Probe } from '../../probe.js';
import { RPC_CODE } from '../../revision.js';
import type { Check } from '../check.js';
import { NotTestable, type Report } from '../../report.js';
import { survivingError, type ErrorCase, type Provocation } from '../surviving-error.js';
import {
  closeSession,
  INITIALIZE,
  openSession,
  sendStateful,
  writeBodiless,
  writeStateful,
} from './session.js';

const TRANSPORT = 'basic/transports#sending-messages-to-the-server';
const BRANDED = 'Clients get a page instead of the answer that tells them what to do next.';

/** Opens a session, shows that it answers, ends it. */
async function proveSession(probe: Probe, report: Report): Promise<Observation> {
  const session = await openSession(probe, report);
  if (session === undefined) throw new NotTestable('twin-failed', 'no session could be opened');
  const seen = await sendStateful(probe, 'ping in a session', { method: 'ping', session });
  keep(report, seen);
  await closeSession(probe, session);
  if (seen.message?.result === undefined)
    throw new NotTestable('twin-failed', 'ping in the session has no result');
  return seen;
}

/** A provocation that needs a session, and ends it afterwards. */
async function inSession(
  probe: Probe,
  report: Report,
  build: (session: string) => Provocation,
): Promise<Provocation> {
  const session = await openSession(probe, report);
  if (session === undefined) throw new NotTestable('twin-failed', 'no session could be opened');
  return { ...build(session), done: () => closeSession(probe, session) };
}

const CASES: readonly ErrorCase[] = [
  {
    name: '400',
    section: TRANSPORT,
    title: 'A body that is no JSON is answered with 400, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [400] },
    provoke(probe) {
      const built = writeStateful(probe, INITIALIZE);
      return { ...built, sent: { ...built.sent, body: '{"jsonrpc":"2.0",' } };
    },
  },
  {
    name: '401',
    section: 'basic/authorization#error-handling',
    title: 'A missing token is answered with 401, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [401] },
    provoke: (probe) => writeStateful(probe, { ...INITIALIZE, token: null }),
  },
  {
    name: '403',
    section: 'basic/authorization#error-handling',
    title: 'A too narrow token is answered with 403, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [403] },
    provoke: (probe, report) =>
      inSession(probe, report, (session) =>
        writeStateful(probe, { method: 'resources/list', session, token: probe.token('narrow') }),
      ),
  },
  {
    name: '404',
    section: 'basic/transports#session-management',
    title: 'An unknown session is answered with 404, as the server sent it.',
    meaning: 'Clients do not learn that they have to open a new session.',
    expected: { status: [404] },
    provoke: (probe) => writeStateful(probe, { method: 'ping', session: 'acceptance-no-such-session' }),
  },
  {
    name: '405-put',
    level: 'SHOULD',
    section: 'RFC 9110 §15.5.6',
    title: 'PUT is answered with 405, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [405] },
    provoke: (probe) => writeBodiless(probe, 'PUT', {}),
  },
  {
    name: '413',
    section: 'RFC 9110 §15.5.14',
    title: 'A body over the limit is answered with 413, as the server sent it.',
    meaning: 'The proxy has a lower limit than the server, and its own words for it.',
    expected: { status: [413] },
    provoke: (probe) =>
      writeStateful(probe, {
        ...INITIALIZE,
        params: { padding: 'x'.repeat(probe.config.limits.oversizeBytes) },
      }),
  },
  {
    name: 'application',
    section: 'basic#responses',
    title: 'A JSON-RPC error of the application arrives on HTTP 200, as the server sent it.',
    meaning: 'Errors of methods are turned into errors of the network, and retried.',
    expected: { status: [200], code: [RPC_CODE.methodNotFound] },
    provoke: (probe, report) =>
      inSession(probe, report, (session) =>
        writeStateful(probe, { method: 'acceptance/no-such-method', session }),
      ),
  },
];

const BYPASS: Check = {
  id: 'bypass.direct',
  group: 'bypass',
  level: 'MUST',
  section: 'basic/transports#security-warning',
  title: 'The direct upstream refuses a valid request.',
  meaning: 'Whoever reaches the network of the server walks past the gateway and all that it decides.',
  blocks: { ground: 'direct-way-open', on: ['direct-open'] },
  async run(probe, report) {
    report.expected = { status: [401, 403, 404, 421], more: ['or no connection'] };
    const url = probe.config.directUpstream;
    if (url === undefined) throw new NotTestable('not-configured', 'directUpstream is not configured');
    await proveSession(probe, report);
    const { sent, id, nonce } = writeStateful(probe, { ...INITIALIZE, url });
    const until = AbortSignal.timeout(Math.min(10_000, probe.config.limits.checkMs / 2));
    const seen = await probe.sendRaw('a valid initialize, sent directly', { ...sent, until }, id, nonce);
    keep(report, seen);
    if (seen.failure !== undefined) report.notes.push(`no answer from the direct upstream: ${seen.failure}`);
    report.demand(seen.failure !== undefined || (seen.answer?.status ?? 0) >= 400, 'direct-open');
  },
};

/** The checks of both groups. */
export const STATEFUL_ERROR_CHECKS: readonly Check[] = CASES.map((given) =>
  survivingError(given, proveSession),
);
export const STATEFUL_BYPASS_CHECKS: readonly Check[] = [BYPASS];
