/*
 * Group 5, errors survive: each refusal arrives with status, content type and body as the server sent it. A witness
 * that records the server's answers settles that byte for byte; without one, shape and content type have to do.
 */
import type { HeaderLine } from '../client/exchange.js';
import { write } from '../client/json-rpc.js';
import type { Probe } from '../probe.js';
import { NONCE_HEADER, RPC_CODE } from '../revision.js';
import type { Check } from './check.js';
import { proveTwin } from './refusal.js';
import { survivingError, type ErrorCase, type Provocation } from './surviving-error.js';

const TRANSPORT = 'basic/transports/streamable-http';

const BRANDED = 'Clients get a page instead of the answer that tells them what to do next.';

/** A right call with something done to it. */
function described(probe: Probe, request: ReturnType<Probe['call']>): Provocation {
  return { sent: write(request), id: request.id, nonce: request.nonce };
}

function otherMethod(probe: Probe, method: string): Provocation {
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
    code: (probe) => probe.tool('failing').code,
    provoke: (probe) => described(probe, probe.call(probe.tool('failing').name)),
  },
];

/** The checks of group 5. */
export const ERROR_CHECKS: readonly Check[] = CASES.map((given) => survivingError(given, proveTwin));
