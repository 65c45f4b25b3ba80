/*
 * Group 5, errors survive: each refusal arrives with status, content type and body as the server sent it. A witness
 * that records the server's answers settles that byte for byte; without one, shape and content type have to do.
 */
import { createHash } from 'node:crypto';
import { headerOf, type HeaderLine, type Outgoing } from '../client/exchange.js';
import { write } from '../client/json-rpc.js';
import type { Expectation } from '../finding.js';
import { keep, type Observation, type Probe } from '../probe.js';
import { NONCE_HEADER, RPC_CODE } from '../revision.js';
import type { SentAnswer } from '../witness.js';
import type { Check, Report } from './check.js';
import { proveTwin } from './refusal.js';

const TRANSPORT = 'basic/transports/streamable-http';

interface ErrorCase {
  readonly name: string;
  readonly level?: 'SHOULD';
  readonly section: string;
  readonly title: string;
  readonly meaning: string;
  readonly expected: Expectation;
  readonly provoke: (probe: Probe) => { sent: Outgoing; id: string; nonce: string };
}

const BRANDED = 'Clients get a page instead of the answer that tells them what to do next.';

/** A right call with something done to it. */
function described(probe: Probe, request: ReturnType<Probe['call']>): ReturnType<ErrorCase['provoke']> {
  return { sent: write(request), id: request.id, nonce: request.nonce };
}

function otherMethod(probe: Probe, method: string): ReturnType<ErrorCase['provoke']> {
  const nonce = probe.nextNonce();
  const headers: HeaderLine[] = [
    ['Accept', 'application/json, text/event-stream'],
    ['Authorization', `Bearer ${probe.token('valid')}`],
    [NONCE_HEADER, nonce],
  ];
  const sent = { url: probe.config.target, method, headers, ...(method === 'PUT' && { body: '{}' }) };
  return { sent, id: probe.nextId(), nonce };
}

const CASES: readonly ErrorCase[] = [
  {
    name: '400',
    section: `${TRANSPORT}#sending-messages`,
    title: 'A body that is no JSON is answered with 400, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [400] },
    provoke(probe) {
      const built = described(probe, probe.call(probe.tool('counting')));
      return { ...built, sent: { ...built.sent, body: `{"jsonrpc":"2.0","id":"${built.id}",` } };
    },
  },
  {
    name: '401',
    section: 'basic/authorization#error-handling',
    title: 'A missing token is answered with 401, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [401] },
    provoke: (probe) => described(probe, { ...probe.call(probe.tool('counting')), token: null }),
  },
  {
    name: '403',
    section: 'basic/authorization#error-handling',
    title: 'A too narrow token is answered with 403, as the server sent it.',
    meaning: BRANDED,
    expected: { status: [403] },
    provoke: (probe) =>
      described(probe, { ...probe.call(probe.tool('counting')), token: probe.token('narrow') }),
  },
  {
    name: '404',
    section: `${TRANSPORT}#protocol-version-header`,
    title: 'An unknown method is answered with 404 and −32601, as the server sent it.',
    meaning: 'Clients take the server for one that does not speak this revision at all.',
    expected: { status: [404], code: [RPC_CODE.methodNotFound] },
    provoke: (probe) => described(probe, probe.request('acceptance/no-such-method')),
  },
  ...(['GET', 'DELETE', 'PUT'] as const).map((method): ErrorCase => ({
    name: `405-${method.toLowerCase()}`,
    level: 'SHOULD',
    section: method === 'PUT' ? 'RFC 9110 §15.5.6' : `${TRANSPORT}#earlier-streamable-http-revisions`,
    title: `${method} is answered with 405, as the server sent it.`,
    meaning: 'Older clients cannot tell that this endpoint has no such stream or session.',
    expected: { status: [405] },
    provoke: (probe) => otherMethod(probe, method),
  })),
  {
    name: '413',
    section: 'RFC 9110 §15.5.14',
    title: 'A body over the limit is answered with 413, as the server sent it.',
    meaning: 'The proxy has a lower limit than the server, and its own words for it.',
    expected: { status: [413] },
    provoke(probe) {
      const right = probe.call(probe.tool('counting'), {
        padding: 'x'.repeat(probe.config.limits.oversizeBytes),
      });
      return described(probe, right);
    },
  },
  {
    name: 'application',
    section: 'basic/index#error-responses',
    title: 'A JSON-RPC error of the application arrives on HTTP 200, as the server sent it.',
    meaning: 'Errors of tools are turned into errors of the network, and retried.',
    expected: { status: [200] },
    provoke: (probe) => described(probe, probe.call(probe.tool('failing').name)),
  },
];

function errorCheck(given: ErrorCase): Check {
  return {
    id: `errors.${given.name}`,
    group: 'errors',
    level: given.level ?? 'MUST',
    section: given.section,
    title: given.title,
    meaning: given.meaning,
    async run(probe, report) {
      const code = given.name === 'application' ? [probe.tool('failing').code] : given.expected.code;
      report.expected = {
        ...given.expected,
        ...(code !== undefined && { code }),
        more: ['as the server sent it'],
      };
      const twin = await proveTwin(probe, report);
      const recorded = (await probe.witness(twin.nonce)).answers;
      const { sent, id, nonce } = given.provoke(probe);
      const seen = await probe.sendRaw(given.title, sent, id, nonce);
      keep(report, seen);
      judgeShape(report, seen, given.expected.status ?? [], code);
      const keepsAnswers = recorded !== undefined && recorded.length > 0;
      if (keepsAnswers) judgeSame(report, seen, (await probe.witness(nonce)).answers?.at(-1));
      else report.notes.push('the witness records no answers: judged by shape');
    },
  };
}

function judgeShape(
  report: Report,
  { answer, message, id }: Observation,
  status: readonly number[],
  code: readonly number[] | undefined,
): void {
  if (!report.demand(answer !== undefined, 'transport-failed') || answer === undefined) return;
  report.demand(status.includes(answer.status), 'wrong-status');
  report.demand(
    /^application\/json\b/i.test(headerOf(answer.headers, 'content-type') ?? ''),
    'wrong-content-type',
  );
  if (code === undefined) return;
  if (!report.demand(message?.error !== undefined, 'no-json-rpc')) return;
  report.demand(code.includes(message?.error?.code ?? 0), 'wrong-code');
  report.demand(message?.id === id, 'wrong-id');
}

function judgeSame(report: Report, { answer }: Observation, sent: SentAnswer | undefined): void {
  if (answer === undefined) return;
  if (sent === undefined) {
    report.problems.add('answered-by-proxy');
    return;
  }
  const sha256 = createHash('sha256').update(answer.bytes).digest('hex');
  const same =
    sent.status === answer.status &&
    sent.contentType === headerOf(answer.headers, 'content-type') &&
    sent.bodySha256 === sha256;
  report.demand(same, 'answer-changed');
}

/** The checks of group 5. */
export const ERROR_CHECKS: readonly Check[] = CASES.map(errorCheck);
