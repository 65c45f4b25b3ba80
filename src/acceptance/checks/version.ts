/*
 * Group 1, version and mirrored headers: what the headers say must match the body, or nothing runs
 * (transports/streamable-http#request-metadata). Each check bends exactly one thing of a right call.
 */
import {
  base64Sentinel,
  MODERN_REVISION,
  RPC_CODE,
  STATEFUL_REVISION,
  UNKNOWN_REVISION,
} from '../revision.js';
import type { HeaderLine } from '../client/exchange.js';
import { isRecord, type ModernRequest } from '../client/json-rpc.js';
import { keep, type Probe } from '../probe.js';
import type { Check } from './check.js';
import type { Report } from '../report.js';
import { expectRefusal, expectRefused, proveTwin } from './refusal.js';

const VALIDATION = 'basic/transports/streamable-http#server-validation';
const MISMATCH = { status: [400], code: [RPC_CODE.headerMismatch] } as const;
const BLOCKS = { ground: 'ran-after-mismatch', on: ['tool-ran', 'tool-ran-later'] } as const;

interface Bent {
  readonly name: string;
  readonly title: string;
  readonly meaning: string;
  readonly what: string;
  readonly bend: (right: ModernRequest, probe: Probe) => Partial<ModernRequest>;
}

const BENT: readonly Bent[] = [
  {
    name: 'method-mismatch',
    title: 'A call whose Mcp-Method names another method than the body is refused and does not run.',
    meaning: 'Whatever routes or logs by Mcp-Method sees another request than the one that is executed.',
    what: 'Mcp-Method: resources/read over a tools/call',
    bend: () => ({ methodHeader: 'resources/read' }),
  },
  {
    name: 'name-mismatch',
    title: 'A call whose Mcp-Name names another tool than the body is refused and does not run.',
    meaning: 'A tool runs under the name of another one, past every rule that reads the header.',
    what: 'Mcp-Name names the progress tool, the body the counting tool',
    bend: (_right, probe) => ({ nameHeader: probe.tool('progress').name }),
  },
  {
    name: 'body-version-older',
    title: 'The current version in the header with an older one in _meta is refused and does not run.',
    meaning: 'Header and body disagree on the rules of the request, and it runs all the same.',
    what: `header ${MODERN_REVISION}, _meta ${STATEFUL_REVISION}`,
    bend: () => ({ metaVersion: STATEFUL_REVISION }),
  },
  {
    name: 'header-version-older',
    title: 'An older version in the header with the current one in _meta is refused and does not run.',
    meaning: 'Header and body disagree on the rules of the request, and it runs all the same.',
    what: `header ${STATEFUL_REVISION}, _meta ${MODERN_REVISION}`,
    bend: () => ({ headerVersion: STATEFUL_REVISION }),
  },
  {
    name: 'missing-version-header',
    title: 'A call without MCP-Protocol-Version is refused and does not run.',
    meaning: 'A request without a declared version reaches the tool.',
    what: 'no MCP-Protocol-Version',
    bend: () => ({ headerVersion: null }),
  },
  {
    name: 'missing-method-header',
    title: 'A call without Mcp-Method is refused and does not run.',
    meaning: 'A request that no header rule can have seen reaches the tool.',
    what: 'no Mcp-Method',
    bend: () => ({ methodHeader: null }),
  },
  {
    name: 'missing-name-header',
    title: 'A tools/call without Mcp-Name is refused and does not run.',
    meaning: 'A request that no rule about tools can have seen reaches the tool.',
    what: 'no Mcp-Name',
    bend: () => ({ nameHeader: null }),
  },
  {
    name: 'malformed-base64',
    title: 'A malformed Base64 sentinel in Mcp-Name is refused and the tool does not run.',
    meaning: 'Something mends or ignores a name that it cannot read.',
    what: 'Mcp-Name: =?base64?**?=',
    bend: () => ({ nameHeader: '=?base64?**?=' }),
  },
];

function bentCheck(bent: Bent): Check {
  return {
    id: `version.${bent.name}`,
    group: 'version',
    level: 'MUST',
    section: VALIDATION,
    title: bent.title,
    meaning: bent.meaning,
    blocks: BLOCKS,
    async run(probe, report) {
      const right = probe.call(probe.tool('counting'));
      const request = { ...right, ...bent.bend(right, probe) };
      await expectRefusal(probe, report, { what: bent.what, request, expected: MISMATCH });
    },
  };
}

const ENCODED: Check = {
  id: 'version.encoded-name',
  group: 'version',
  level: 'MUST',
  section: 'basic/transports/streamable-http#value-encoding',
  title: 'The right name, Base64-encoded as the specification says, passes and runs once.',
  meaning: 'Clients whose tool names need encoding are locked out.',
  async run(probe, report) {
    const name = probe.tool('counting');
    report.expected = { status: [200], runs: 1 };
    const request = { ...probe.call(name), nameHeader: base64Sentinel(name) };
    const seen = await probe.send('the counting tool, Mcp-Name encoded', request);
    const { runs } = await probe.witness(request.nonce);
    keep(report, seen, runs);
    report.demand(seen.answer?.status === 200, 'wrong-status');
    report.demand(runs === 1, 'tool-did-not-run');
  },
};

const REPEATED: Check = {
  id: 'version.repeated-header',
  group: 'version',
  level: 'MUST',
  section: VALIDATION,
  title: 'A mirrored header that comes twice with different values is refused and the tool does not run.',
  meaning: 'One hop reads the first value and the next hop the last one.',
  blocks: BLOCKS,
  async run(probe, report) {
    report.expected = { ...MISMATCH, runs: 0 };
    await proveTwin(probe, report);
    const second: readonly HeaderLine[] = [
      ['Mcp-Name', probe.tool('progress').name],
      ['Mcp-Method', 'resources/read'],
      ['MCP-Protocol-Version', STATEFUL_REVISION],
    ];
    for (const line of second) {
      const request = { ...probe.call(probe.tool('counting')), extraHeaders: [line] };
      await expectRefused(probe, report, {
        what: `a second ${line[0]}: ${line[1]}`,
        request,
        expected: MISMATCH,
      });
    }
  },
};

const UNSUPPORTED: Check = {
  id: 'version.unsupported',
  group: 'version',
  level: 'MUST',
  section: 'basic/transports/streamable-http#protocol-version-header',
  title: 'A revision that nobody supports is refused with −32022 and the supported ones named.',
  meaning: 'A client cannot learn which revision to speak, or an unknown one is taken for the current.',
  blocks: BLOCKS,
  async run(probe, report) {
    const request = {
      ...probe.call(probe.tool('counting')),
      headerVersion: UNKNOWN_REVISION,
      metaVersion: UNKNOWN_REVISION,
    };
    const expected = { status: [400], code: [RPC_CODE.unsupportedVersion], more: ['data.supported'] };
    const seen = await expectRefusal(probe, report, {
      what: `revision ${UNKNOWN_REVISION}`,
      request,
      expected,
    });
    judgeSupported(probe, report, seen.message?.error?.data);
  },
};

/** `data.supported` names the current revision, and none that the configuration does not accept. */
export function judgeSupported(probe: Probe, report: Report, data: unknown): void {
  const supported = isRecord(data) ? data['supported'] : undefined;
  const names = Array.isArray(supported) ? supported.map(String) : [];
  report.demand(names.includes(MODERN_REVISION), 'supported-missing');
  report.demand(
    names.every((name) => probe.config.revisions.includes(name)),
    'supported-differs',
  );
}

/** The checks of group 1. */
export const VERSION_CHECKS: readonly Check[] = [...BENT.map(bentCheck), ENCODED, REPEATED, UNSUPPORTED];
