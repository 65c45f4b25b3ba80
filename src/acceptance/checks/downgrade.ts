/*
 * Group 6, downgrade: the ways of the stateful revisions open nothing on this route
 * (transports/streamable-http#earlier-streamable-http-revisions).
 */
import { headerOf, type HeaderLine } from '../client/exchange.js';
import { keep, type Observation, type Probe } from '../probe.js';
import { MODERN_REVISION, NONCE_HEADER, STATEFUL_REVISION } from '../revision.js';
import type { Check } from './check.js';
import { proveTwin } from './refusal.js';

const EARLIER = 'basic/transports/streamable-http#earlier-streamable-http-revisions';
const SESSION = 'Mcp-Session-Id';
const MADE_UP_SESSION = 'acceptance-made-up-session';

/** The legacy handshake, as a client of the stateful revision sends it. */
function initialize(probe: Probe): Promise<Observation> {
  const [id, nonce] = [probe.nextId(), probe.nextNonce()];
  const params = {
    protocolVersion: STATEFUL_REVISION,
    capabilities: {},
    clientInfo: { name: 'nest-mcp-boundary-accept', version: '1' },
  };
  const headers: HeaderLine[] = [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['Authorization', `Bearer ${probe.token('valid')}`],
    [NONCE_HEADER, nonce],
  ];
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
  return probe.sendRaw(
    `initialize of ${STATEFUL_REVISION}`,
    { url: probe.config.target, method: 'POST', headers, body },
    id,
    nonce,
  );
}

/** The checks of group 6. */
export const DOWNGRADE_CHECKS: readonly Check[] = [
  {
    id: 'downgrade.initialize',
    group: 'downgrade',
    level: 'MUST',
    section: 'basic/versioning#compatibility-matrix',
    title: 'initialize is refused on this route, and no session is minted.',
    meaning: 'A caller goes back to the rules of an older revision, where headers are not verified.',
    blocks: { ground: 'decision-on-unverified-headers', on: ['handshake-accepted'] },
    async run(probe, report) {
      report.expected = { status: [400, 404], more: ['no Mcp-Session-Id'] };
      await proveTwin(probe, report);
      const seen = await initialize(probe);
      keep(report, seen);
      report.demand([400, 404].includes(seen.answer?.status ?? 0), 'wrong-status');
      report.demand(seen.message?.result === undefined, 'handshake-accepted');
      report.demand(headerOf(seen.answer?.headers ?? [], SESSION) === undefined, 'session-minted');
    },
  },
  {
    id: 'downgrade.names-supported',
    group: 'downgrade',
    level: 'SHOULD',
    section: 'basic/versioning#backward-compatibility-with-initialization-based-versions',
    title: 'The refusal of initialize names the supported revisions.',
    meaning: 'Users of older clients cannot find out why they do not connect.',
    async run(probe, report) {
      report.expected = { more: [MODERN_REVISION] };
      const seen = await initialize(probe);
      keep(report, seen);
      const error = seen.message?.error;
      const told = JSON.stringify([error?.message ?? '', error?.data ?? '']);
      report.demand(told.includes(MODERN_REVISION), 'supported-missing');
    },
  },
  {
    id: 'downgrade.session-header',
    group: 'downgrade',
    level: 'SHOULD',
    section: EARLIER,
    title: 'A legacy session header and Last-Event-ID are ignored, and no session id comes back.',
    meaning: 'Something on the way still keeps sessions, and requests may stick to them.',
    async run(probe, report) {
      report.expected = { status: [200], runs: 1, more: ['no Mcp-Session-Id'] };
      await proveTwin(probe, report);
      const extraHeaders: HeaderLine[] = [
        [SESSION, MADE_UP_SESSION],
        ['Last-Event-ID', '1'],
      ];
      const request = { ...probe.call(probe.tool('counting')), extraHeaders };
      const seen = await probe.send('a right call with a legacy session header', request);
      const { runs } = await probe.witness(request.nonce);
      keep(report, seen, runs);
      report.demand(seen.answer?.status === 200, 'wrong-status');
      report.demand(runs === 1, 'tool-did-not-run');
      report.demand(headerOf(seen.answer?.headers ?? [], SESSION) === undefined, 'session-minted');
    },
  },
];
