/*
 * Revision 2025-11-25, audience on every POST: a session is no credential, so every request needs the right token
 * (basic/authorization#access-token-usage). Nothing but the answer tells here whether a request got through.
 */
import type { TokenRole } from '../../config/load-config.js';
import { keep, type Probe } from '../../probe.js';
import { judgeDocument, judgeMetadataUrl, judgeScopeChallenge } from '../challenge.js';
import type { Check } from '../check.js';
import { NotTestable, type Report } from '../../report.js';
import { INITIALIZE, judgeRefused, sendStateful, withSession, writeStateful } from './session.js';

const TOKENS = 'basic/authorization#token-handling';
const DISCOVERY = 'basic/authorization#protected-resource-metadata-discovery-requirements';
const UNAUTHORISED = { ground: 'ran-after-failed-authorisation', on: ['request-answered'] } as const;
const WRONG_AUDIENCE = { ground: 'wrong-audience-accepted', on: ['request-answered'] } as const;

/** The handshake and two methods, each with that token: all refused. */
async function refusedEverywhere(
  probe: Probe,
  report: Report,
  token: string | null,
  status: number,
): Promise<void> {
  await withSession(probe, report, async (session) => {
    for (const request of [INITIALIZE, { method: 'ping', session }, { method: 'resources/list', session }]) {
      judgeRefused(report, await sendStateful(probe, request.method, { ...request, token }), [status]);
    }
  });
}

function wrongToken(
  role: Exclude<TokenRole, 'valid' | 'other' | 'narrow'>,
  title: string,
  meaning: string,
  blocks: Check['blocks'],
): Check {
  return {
    id: `audience.${role}`,
    group: 'audience',
    level: 'MUST',
    section: TOKENS,
    title,
    meaning,
    ...(blocks !== undefined && { blocks }),
    async run(probe, report) {
      report.expected = { status: [401] };
      await refusedEverywhere(probe, report, probe.token(role), 401);
    },
  };
}

/** The checks of this group. */
export const STATEFUL_AUDIENCE_CHECKS: readonly Check[] = [
  wrongToken(
    'expired',
    'An expired token is refused with 401 on every POST, in an open session too.',
    'A session keeps a token alive that has ended.',
    UNAUTHORISED,
  ),
  wrongToken(
    'neighbour',
    'A token issued for a neighbour server is refused with 401 on every POST.',
    'Whoever holds a token for another server of the house can act on this one.',
    WRONG_AUDIENCE,
  ),
  wrongToken(
    'downstream',
    'A token issued for a downstream API is refused with 401 on every POST.',
    'Tokens of an API behind this server open the server itself.',
    WRONG_AUDIENCE,
  ),
  {
    id: 'audience.same-connection',
    group: 'audience',
    level: 'MUST',
    section: 'basic/authorization#token-requirements',
    title: 'No token, on a connection that was just authorised and with its session, is refused with 401.',
    meaning: 'Authorisation sticks to a connection or a session that a gateway may share between callers.',
    blocks: UNAUTHORISED,
    async run(probe, report) {
      report.expected = { status: [401] };
      await withSession(probe, report, async (session) => {
        const connection = probe.client.connection(probe.config.target);
        try {
          const right = writeStateful(probe, { method: 'ping', session });
          keep(
            report,
            await probe.sendRaw('ping with the token', { ...right.sent, connection }, right.id, right.nonce),
          );
          const bare = writeStateful(probe, { method: 'ping', session, token: null });
          const seen = await probe.sendRaw(
            'ping without a token',
            { ...bare.sent, connection },
            bare.id,
            bare.nonce,
          );
          judgeRefused(report, seen, [401]);
          report.demand(seen.answer?.reusedConnection ?? false, 'connection-not-reused');
        } finally {
          connection.destroy();
        }
      });
    },
  },
  {
    id: 'audience.narrow',
    group: 'audience',
    level: 'MUST',
    section: 'basic/authorization#runtime-insufficient-scope-errors',
    title: 'A too narrow token is refused with 403, insufficient_scope, scope and resource_metadata.',
    meaning: 'A client cannot learn which scope is missing, or does not need it.',
    blocks: UNAUTHORISED,
    async run(probe, report) {
      report.expected = { status: [403], more: ['error="insufficient_scope"', 'scope', 'resource_metadata'] };
      const token = probe.token('narrow');
      await withSession(probe, report, async (session) => {
        const seen = await sendStateful(probe, 'resources/list, narrow token', {
          method: 'resources/list',
          session,
          token,
        });
        judgeRefused(report, seen, [403]);
        judgeScopeChallenge(report, seen);
      });
    },
  },
  {
    id: 'audience.challenge',
    group: 'audience',
    level: 'MUST',
    section: DISCOVERY,
    title: 'The challenge of a 401 points to the metadata of the canonical resource, on its own origin.',
    meaning: 'Clients are sent to an inside host, or over plain HTTP, to learn where to log in.',
    async run(probe, report) {
      report.expected = {
        status: [401],
        more: [`resource_metadata on ${new URL(probe.config.resource).origin}`],
      };
      const seen = await sendStateful(probe, 'initialize without a token', { ...INITIALIZE, token: null });
      keep(report, seen);
      judgeMetadataUrl(probe, report, seen.answer);
    },
  },
  {
    id: 'audience.metadata',
    group: 'audience',
    level: 'MUST',
    section: DISCOVERY,
    title:
      'The metadata document comes through the proxy and names the canonical resource and authorization server.',
    meaning: 'Clients ask for tokens for the wrong resource, or from the wrong authorization server.',
    async run(probe, report) {
      report.expected = {
        status: [200],
        more: [`resource ${probe.config.resource}`, probe.config.authorizationServer],
      };
      await judgeDocument(
        probe,
        report,
        await sendStateful(probe, 'no token', { ...INITIALIZE, token: null }),
      );
    },
  },
  {
    id: 'audience.no-token-in-answers',
    group: 'audience',
    level: 'MUST',
    section: 'basic/security_best_practices#token-passthrough',
    title: 'No answer of this run, in head or body, holds a token.',
    meaning: 'Tokens come back in answers, where clients and their logs keep them.',
    last: true,
    async run(probe, report) {
      report.expected = { more: ['no token in any answer of the run'] };
      const seen = await sendStateful(probe, 'initialize, expired token', {
        ...INITIALIZE,
        token: probe.token('expired'),
      });
      keep(report, seen);
      if (seen.answer === undefined) throw new NotTestable('twin-failed', 'there was no answer to look at');
      report.demand(!probe.client.sawSecret, 'token-in-answer');
    },
  },
];
