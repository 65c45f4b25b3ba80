/*
 * Group 3, audience on every POST: only a token issued for this server gets a tool to run, whatever else the
 * caller puts into headers, query or an open connection (authorization#token-handling).
 */
import type { HeaderLine } from '../client/exchange.js';
import type { TokenRole } from '../config/load-config.js';
import { keep, type Probe } from '../probe.js';
import type { Check } from './check.js';
import { NotTestable, type Report } from '../report.js';
import { expectNothingRan, expectRefusal, proveTwin } from './refusal.js';

const TOKENS = 'basic/authorization#token-handling';
const RAN = ['tool-ran', 'tool-ran-later'] as const;
const UNAUTHORISED = { ground: 'ran-after-failed-authorisation', on: RAN } as const;
const WRONG_AUDIENCE = { ground: 'wrong-audience-accepted', on: RAN } as const;

/** Headers in which gateways hand an identity on, and in which callers therefore try to bring one. */
const IDENTITY_HEADERS = [
  'X-User',
  'X-User-Id',
  'X-Forwarded-User',
  'X-Forwarded-Email',
  'X-Remote-User',
  'X-Auth-Request-User',
] as const;
const INTRUDER = 'acceptance-intruder';

function wrongToken(
  role: Exclude<TokenRole, 'valid' | 'other'>,
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
      const request = { ...probe.call(probe.tool('counting')), token: probe.token(role) };
      await expectRefusal(probe, report, { what: `the ${role} token`, request, expected: { status: [401] } });
    },
  };
}

const VALID: Check = {
  id: 'audience.valid',
  group: 'audience',
  level: 'MUST',
  section: TOKENS,
  title: 'The valid token gets the tool to run once, under its own identity.',
  meaning: 'Callers with the right token are locked out, or their calls are booked on somebody else.',
  async run(probe, report) {
    report.expected = { status: [200], runs: 1, more: ['identity of the token'] };
    const request = probe.call(probe.tool('counting'));
    const seen = await probe.send('the valid token', request);
    const { runs, executions } = await probe.witness(request.nonce);
    keep(report, seen, runs);
    report.demand(seen.answer?.status === 200, 'wrong-status');
    report.demand(runs === 1, 'tool-did-not-run');
    const wanted = probe.config.identity;
    report.demand(
      wanted === undefined || executions.every(({ identity }) => identity === wanted),
      'identity-from-header',
    );
  },
};

const EVERY_POST: Check = {
  id: 'audience.every-post',
  group: 'audience',
  level: 'MUST',
  section: TOKENS,
  title: 'A token for a neighbour is refused on every method, not only on tools/call.',
  meaning: 'Some methods answer to anybody with any token of the same authorization server.',
  blocks: { ground: 'wrong-audience-accepted', on: ['wrong-status'] },
  async run(probe, report) {
    report.expected = { status: [401] };
    const token = probe.token('neighbour');
    const twin = await probe.send('server/discover with the valid token', probe.request('server/discover'));
    keep(report, twin);
    if (twin.answer?.status !== 200)
      throw new NotTestable('twin-failed', 'server/discover does not answer the valid token');
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ] as const) {
      const request = { ...probe.request(method, params), token };
      // A stream that opens is closed at its head: the status is all that counts.
      const closed = new AbortController();
      const seen = await probe.send(`${method} with the neighbour token`, request, {
        until: closed.signal,
        onHead: (head) => {
          if (head.status === 200) closed.abort();
        },
      });
      keep(report, seen);
      report.demand(seen.answer?.status === 401, 'wrong-status');
    }
  },
};

const SAME_CONNECTION: Check = {
  id: 'audience.same-connection',
  group: 'audience',
  level: 'MUST',
  section: 'basic/authorization#token-requirements',
  title: 'No token, on a connection that was just authorised, is refused and nothing runs.',
  meaning: 'Authorisation sticks to a connection that a gateway may share between callers.',
  blocks: UNAUTHORISED,
  async run(probe, report) {
    report.expected = { status: [401], runs: 0 };
    const connection = probe.client.connection(probe.config.target);
    try {
      const right = probe.call(probe.tool('counting'));
      const first = await probe.send('the valid token', right, { connection });
      const ran = await probe.witness(right.nonce);
      keep(report, first, ran.runs);
      if (first.answer?.status !== 200 || ran.runs !== 1)
        throw new NotTestable('twin-failed', 'the valid call did not execute');
      const bare = { ...probe.call(probe.tool('counting')), token: null };
      const seen = await probe.send('no token on the same connection', bare, { connection });
      report.demand(seen.answer?.status === 401, 'wrong-status');
      await expectNothingRan(probe, report, seen);
      report.demand(seen.answer?.reusedConnection ?? false, 'connection-not-reused');
    } finally {
      connection.destroy();
    }
  },
};

const QUERY: Check = {
  id: 'audience.query',
  group: 'audience',
  level: 'MUST',
  section: 'basic/authorization#token-requirements',
  title: 'A bearer token in the query is refused, nothing runs, and it is not echoed.',
  meaning: 'Tokens travel in URLs, where every log and history keeps them.',
  blocks: UNAUTHORISED,
  async run(probe, report) {
    report.expected = { status: [400, 401, 403, 404], runs: 0 };
    await proveTwin(probe, report);
    const token = probe.token('valid');
    const url = new URL(probe.config.target);
    url.searchParams.set('access_token', token);
    const request = { ...probe.call(probe.tool('counting')), url, token: null };
    const seen = await probe.send('access_token in the query', request);
    report.demand([400, 401, 403, 404].includes(seen.answer?.status ?? 0), 'wrong-status');
    report.demand(!(seen.answer?.body ?? '').includes(token), 'token-in-answer');
    await expectNothingRan(probe, report, seen);
  },
};

const MADE_UP: Check = {
  id: 'audience.made-up-identity',
  group: 'audience',
  level: 'MUST',
  section: TOKENS,
  title: 'Identity headers that the caller makes up change nothing: the tool runs as the token says.',
  meaning: 'A caller chooses under whose name a tool runs.',
  blocks: { ground: 'ran-after-failed-authorisation', on: ['identity-from-header'] },
  async run(probe, report) {
    report.expected = { status: [200], runs: 1, more: ['identity of the token'] };
    const own = await identityOf(probe, report, []);
    const bent = await identityOf(
      probe,
      report,
      IDENTITY_HEADERS.map((name) => [name, INTRUDER] as const),
    );
    report.demand(bent === own, 'identity-from-header');
  },
};

async function identityOf(
  probe: Probe,
  report: Report,
  extraHeaders: readonly HeaderLine[],
): Promise<string> {
  const request = { ...probe.call(probe.tool('counting')), extraHeaders };
  const seen = await probe.send(
    extraHeaders.length === 0 ? 'no identity headers' : 'made-up identity headers',
    request,
  );
  const { runs, executions } = await probe.witness(request.nonce);
  keep(report, seen, runs);
  const identity = executions[0]?.identity;
  if (runs !== 1 || identity === undefined)
    throw new NotTestable('twin-failed', 'the call did not execute once');
  return identity;
}

const NO_TOKEN_IN_ANSWERS: Check = {
  id: 'audience.no-token-in-answers',
  group: 'audience',
  level: 'MUST',
  section: 'basic/authorization/security-considerations#token-theft',
  title: 'No answer of this run, in head or body, holds a token.',
  meaning: 'Tokens come back in answers, where clients and their logs keep them.',
  last: true,
  async run(probe, report) {
    report.expected = { more: ['no token in any answer of the run'] };
    // One more refusal with a token in it, so that the check stands by itself.
    const refused = { ...probe.request('server/discover'), token: probe.token('expired') };
    keep(report, await probe.send('server/discover with the expired token', refused));
    report.demand(!probe.client.sawSecret, 'token-in-answer');
  },
};

/** The checks of group 3 about tokens; challenges and logs have files of their own. */
export const AUDIENCE_CHECKS: readonly Check[] = [
  VALID,
  wrongToken(
    'expired',
    'An expired token is refused with 401 and nothing runs.',
    'A token goes on working after its life has ended.',
    UNAUTHORISED,
  ),
  wrongToken(
    'neighbour',
    'A token issued for a neighbour server is refused with 401 and nothing runs.',
    'Whoever holds a token for another server of the house can act on this one.',
    WRONG_AUDIENCE,
  ),
  wrongToken(
    'downstream',
    'A token issued for a downstream API is refused with 401 and nothing runs.',
    'Tokens of an API behind this server open the server itself.',
    WRONG_AUDIENCE,
  ),
  EVERY_POST,
  SAME_CONNECTION,
  QUERY,
  MADE_UP,
  NO_TOKEN_IN_ANSWERS,
];
