/*
 * Group 3, challenges and metadata: what tells a client where to get a token has to come through the proxy
 * unchanged (authorization#scope-challenge-handling, RFC 9728). The document is read through the target only.
 */
import { bearerChallengeOf } from '../client/challenge.js';
import { headerOf, type AnswerHead } from '../client/exchange.js';
import { isRecord } from '../client/json-rpc.js';
import { keep, type Observation, type Probe } from '../probe.js';
import type { Check } from './check.js';
import { NotTestable, type Report } from '../report.js';
import { expectRefusal, proveTwin } from './refusal.js';

const SCOPES = 'basic/authorization#runtime-insufficient-scope-errors';
const DISCOVERY =
  'basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements';

/** The URL must be on the origin of the canonical resource, and so be https if that is. */
export function judgeMetadataUrl(probe: Probe, report: Report, head: AnswerHead | undefined): void {
  const value = bearerChallengeOf(head?.headers ?? [])?.get('resource_metadata');
  if (value === undefined || !URL.canParse(value)) {
    report.problems.add('challenge-missing');
    return;
  }
  report.demand(new URL(value).origin === new URL(probe.config.resource).origin, 'challenge-wrong-origin');
}

/** A 403 names insufficient_scope, the scope and the metadata document. */
export function judgeScopeChallenge(report: Report, seen: Observation): void {
  const challenge = bearerChallengeOf(seen.answer?.headers ?? []);
  if (!report.demand(challenge !== undefined, 'challenge-missing')) return;
  const complete =
    challenge?.get('error') === 'insufficient_scope' &&
    (challenge.get('scope') ?? '') !== '' &&
    challenge.has('resource_metadata');
  report.demand(complete, 'challenge-incomplete');
}

const NARROW: Check = {
  id: 'audience.narrow',
  group: 'audience',
  level: 'MUST',
  section: SCOPES,
  title:
    'A too narrow token is refused with 403, insufficient_scope, scope and resource_metadata; nothing runs.',
  meaning: 'A client cannot learn which scope is missing, or does not need it.',
  blocks: { ground: 'ran-after-failed-authorisation', on: ['tool-ran', 'tool-ran-later'] },
  async run(probe, report) {
    const request = { ...probe.call(probe.tool('counting')), token: probe.token('narrow') };
    const more = ['error="insufficient_scope"', 'scope', 'resource_metadata'];
    const seen = await expectRefusal(probe, report, {
      what: 'the narrow token',
      request,
      expected: { status: [403], more },
    });
    judgeScopeChallenge(report, seen);
  },
};

const CHALLENGE: Check = {
  id: 'audience.challenge',
  group: 'audience',
  level: 'MUST',
  section: DISCOVERY,
  title:
    'The challenge of a 401 and of a 403 points to the metadata of the canonical resource, on its own origin.',
  meaning: 'Clients are sent to an inside host, or over plain HTTP, to learn where to log in.',
  async run(probe, report) {
    report.expected = {
      status: [401, 403],
      more: [`resource_metadata on ${new URL(probe.config.resource).origin}`],
    };
    await proveTwin(probe, report);
    for (const [what, token] of [
      ['no token', null],
      ['the narrow token', probe.token('narrow')],
    ] as const) {
      const seen = await probe.send(what, { ...probe.call(probe.tool('counting')), token });
      keep(report, seen);
      judgeMetadataUrl(probe, report, seen.answer);
    }
  },
};

const METADATA: Check = {
  id: 'audience.metadata',
  group: 'audience',
  level: 'MUST',
  section: 'basic/authorization/authorization-server-discovery#authorization-server-location',
  title:
    'The metadata document comes through the proxy and names the canonical resource and authorization server.',
  meaning: 'Clients ask for tokens for the wrong resource, or from the wrong authorization server.',
  async run(probe, report) {
    report.expected = {
      status: [200],
      more: [`resource ${probe.config.resource}`, probe.config.authorizationServer],
    };
    const bare = await probe.send('no token', { ...probe.call(probe.tool('counting')), token: null });
    await judgeDocument(probe, report, bare);
  },
};

/** Reads the document that a 401 announces, through the target, and judges it. */
export async function judgeDocument(probe: Probe, report: Report, bare: Observation): Promise<void> {
  const announced = bearerChallengeOf(bare.answer?.headers ?? [])?.get('resource_metadata');
  if (announced === undefined || !URL.canParse(announced)) {
    keep(report, bare);
    throw new NotTestable('twin-failed', 'no challenge announced a metadata document');
  }
  const seen = await readDocument(probe, announced);
  keep(report, seen);
  const document = parseDocument(seen);
  if (!report.demand(document !== undefined, 'metadata-missing')) return;
  report.demand(document?.['resource'] === probe.config.resource, 'metadata-wrong-resource');
  const issuers: unknown = document?.['authorization_servers'];
  report.demand(
    Array.isArray(issuers) && issuers.includes(probe.config.authorizationServer),
    'metadata-wrong-issuer',
  );
}

/** Path and query as announced, host as configured: the document has to come through the proxy under test. */
function readDocument(probe: Probe, announced: string): Promise<Observation> {
  const { pathname, search } = new URL(announced);
  const url = new URL(`${pathname}${search}`, probe.config.target);
  const sent = { url, method: 'GET', headers: [['Accept', 'application/json']] as const };
  return probe.sendRaw('the metadata document', sent, probe.nextId(), probe.nextNonce());
}

function parseDocument({ answer }: Observation): Record<string, unknown> | undefined {
  if (answer?.status !== 200) return undefined;
  if (!(headerOf(answer.headers, 'content-type') ?? '').startsWith('application/json')) return undefined;
  try {
    const value: unknown = JSON.parse(answer.body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The checks of group 3 about challenges and metadata. */
export const CHALLENGE_CHECKS: readonly Check[] = [NARROW, CHALLENGE, METADATA];
