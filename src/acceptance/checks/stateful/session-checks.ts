/*
 * Revision 2025-11-25, version header and sessions: the headers survive the way through the proxy, and a session
 * belongs to the one who opened it (basic/transports#session-management).
 */
import { keep } from '../../probe.js';
import { UNKNOWN_REVISION } from '../../revision.js';
import type { Check } from '../check.js';
import {
  closeSession,
  judgeRefused,
  openSession,
  sendStateful,
  withSession,
  writeBodiless,
} from './session.js';

const SESSIONS = 'basic/transports#session-management';

/** The checks of this group. */
export const SESSION_CHECKS: readonly Check[] = [
  {
    id: 'session.survives',
    group: 'session',
    level: 'MUST',
    section: SESSIONS,
    title: 'initialize brings a session id through the proxy, and a request with it is answered.',
    meaning: 'No client can work: the session header is lost on the way there or back.',
    async run(probe, report) {
      report.expected = { status: [200], more: ['MCP-Session-Id', 'a result in the session'] };
      const session = await openSession(probe, report);
      if (!report.demand(session !== undefined, 'session-lost') || session === undefined) return;
      const seen = await sendStateful(probe, 'ping in the session', { method: 'ping', session });
      keep(report, seen);
      report.demand(seen.message?.result !== undefined, 'session-lost');
      await closeSession(probe, session);
    },
  },
  {
    id: 'session.version-header',
    group: 'session',
    level: 'MUST',
    section: 'basic/transports#protocol-version-header',
    title: 'An unsupported MCP-Protocol-Version in a session is refused with 400.',
    meaning:
      'Something on the way changes the declared version, and the server never sees what clients speak.',
    blocks: { ground: 'ran-after-mismatch', on: ['request-answered'] },
    async run(probe, report) {
      report.expected = { status: [400] };
      await withSession(probe, report, async (session) => {
        const request = { method: 'ping', session, version: UNKNOWN_REVISION };
        judgeRefused(report, await sendStateful(probe, `ping of ${UNKNOWN_REVISION}`, request), [400]);
      });
    },
  },
  {
    id: 'session.required',
    group: 'session',
    level: 'SHOULD',
    section: SESSIONS,
    title: 'A request without a session id is refused with 400.',
    meaning: 'Something on the way adds a session of its own choice.',
    async run(probe, report) {
      report.expected = { status: [400] };
      await withSession(probe, report, async () => {
        judgeRefused(report, await sendStateful(probe, 'ping without a session', { method: 'ping' }), [400]);
      });
    },
  },
  {
    id: 'session.bound',
    group: 'session',
    level: 'MUST',
    section: 'basic/security_best_practices#session-hijacking',
    title: 'Another identity with a valid token cannot use the session.',
    meaning: 'Whoever learns a session id acts in the name of the one who opened it.',
    blocks: { ground: 'ran-after-failed-authorisation', on: ['request-answered'] },
    async run(probe, report) {
      report.expected = { status: [403, 404] };
      const token = probe.token('other');
      await withSession(probe, report, async (session) => {
        judgeRefused(
          report,
          await sendStateful(probe, 'ping by another identity', { method: 'ping', session, token }),
          [403, 404],
        );
      });
    },
  },
  {
    id: 'session.terminated',
    group: 'session',
    level: 'MUST',
    section: SESSIONS,
    title: 'After DELETE the session id is answered with 404.',
    meaning: 'Sessions that users have ended go on behind the proxy.',
    blocks: { ground: 'ran-after-failed-authorisation', on: ['request-answered'] },
    async run(probe, report) {
      report.expected = { status: [404] };
      await withSession(probe, report, async (session) => {
        const end = writeBodiless(probe, 'DELETE', { session });
        keep(report, await probe.sendRaw('DELETE of the session', end.sent, end.id, end.nonce));
        judgeRefused(
          report,
          await sendStateful(probe, 'ping after DELETE', { method: 'ping', session }),
          [404],
        );
      });
    },
  },
];
