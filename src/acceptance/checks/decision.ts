/*
 * Group 2, decisions on verified metadata: what a gateway decides by header must be about the request that runs
 * (transports/streamable-http#server-validation, last note). The evidence holds declared revision and verdict side by side.
 */
import { RPC_CODE, STATEFUL_REVISION } from '../revision.js';
import type { ModernRequest } from '../client/json-rpc.js';
import type { Probe } from '../probe.js';
import type { Check } from './check.js';
import { expectRefusal } from './refusal.js';

const VALIDATION = 'basic/transports/streamable-http#server-validation';
const PARAMS = 'basic/transports/streamable-http#server-behavior-for-custom-headers';
const BLOCKS = { ground: 'decision-on-unverified-headers', on: ['tool-ran', 'tool-ran-later'] } as const;
const MISMATCH = { status: [400], code: [RPC_CODE.headerMismatch] } as const;

/** A request of an older or undeclared version has no envelope; any of these codes says why it is refused. */
const OLDER = {
  status: [400],
  code: [RPC_CODE.headerMismatch, RPC_CODE.unsupportedVersion, RPC_CODE.invalidParams],
} as const;

function hidden(probe: Probe): ModernRequest {
  return { ...probe.call(probe.tool('forbidden')), nameHeader: probe.tool('counting') };
}

function parameterCall(probe: Probe, argument: string, header: string | null): ModernRequest {
  const tool = probe.tool('headerParameter');
  const call = probe.call(tool.name, { [tool.argument]: argument });
  return header === null ? call : { ...call, extraHeaders: [[`Mcp-Param-${tool.header}`, header]] };
}

/** The checks of group 2. */
export const DECISION_CHECKS: readonly Check[] = [
  {
    id: 'decision.older-version',
    group: 'decision',
    level: 'MUST',
    section: VALIDATION,
    title: 'A call that declares an older version is refused on the governed route and does not run.',
    meaning:
      'The mirrored headers of that version are checked by nobody, and rules that read them can be lied to.',
    blocks: BLOCKS,
    async run(probe, report) {
      const request = {
        ...probe.call(probe.tool('counting')),
        headerVersion: STATEFUL_REVISION,
        metaVersion: null,
      };
      await expectRefusal(probe, report, { what: `a ${STATEFUL_REVISION} call`, request, expected: OLDER });
    },
  },
  {
    id: 'decision.missing-version',
    group: 'decision',
    level: 'MUST',
    section: VALIDATION,
    title: 'A call that declares no version at all is refused on the governed route and does not run.',
    meaning: 'Leaving the version out switches the verification of headers off.',
    blocks: BLOCKS,
    async run(probe, report) {
      const request = { ...probe.call(probe.tool('counting')), headerVersion: null, metaVersion: null };
      await expectRefusal(probe, report, { what: 'a call without any version', request, expected: OLDER });
    },
  },
  {
    id: 'decision.forbidden-tool',
    group: 'decision',
    level: 'MUST',
    section: VALIDATION,
    title: 'The forbidden tool, named honestly, is refused and does not run.',
    meaning: 'The rule that the other checks try to get around is not in force at all.',
    blocks: BLOCKS,
    async run(probe, report) {
      const request = probe.call(probe.tool('forbidden'));
      const expected = { status: [400, 401, 403, 404] };
      await expectRefusal(probe, report, { what: 'the forbidden tool by its name', request, expected });
    },
  },
  {
    id: 'decision.hidden-tool',
    group: 'decision',
    level: 'MUST',
    section: VALIDATION,
    title: 'The forbidden tool behind the Mcp-Name of an allowed one is refused and does not run.',
    meaning: 'A caller picks the name that the rules see and the tool that runs.',
    blocks: BLOCKS,
    async run(probe, report) {
      const what = 'Mcp-Name: the allowed tool; body: the forbidden tool';
      await expectRefusal(probe, report, { what, request: hidden(probe), expected: MISMATCH });
    },
  },
  {
    id: 'decision.hidden-tool-older',
    group: 'decision',
    level: 'MUST',
    section: VALIDATION,
    title: 'The same with an older version declared is refused and does not run.',
    meaning:
      'A caller opts out of header verification by naming an older version, and the rules still trust the header.',
    blocks: BLOCKS,
    async run(probe, report) {
      const request = { ...hidden(probe), headerVersion: STATEFUL_REVISION, metaVersion: null };
      const what = `Mcp-Name: the allowed tool; body: the forbidden tool; version ${STATEFUL_REVISION}`;
      await expectRefusal(probe, report, { what, request, expected: OLDER });
    },
  },
  {
    id: 'decision.parameter-mismatch',
    group: 'decision',
    level: 'MUST',
    section: PARAMS,
    title: 'A call whose Mcp-Param header disagrees with the argument is refused and does not run.',
    meaning: 'Routing by a mirrored parameter sends the request where its argument does not belong.',
    blocks: BLOCKS,
    async run(probe, report) {
      const twin = parameterCall(probe, 'north', 'north');
      const request = parameterCall(probe, 'north', 'south');
      await expectRefusal(probe, report, {
        what: 'header south, argument north',
        request,
        expected: MISMATCH,
        twin,
      });
    },
  },
  {
    id: 'decision.parameter-missing',
    group: 'decision',
    level: 'MUST',
    section: PARAMS,
    title: 'A call that leaves the Mcp-Param header of a given argument out is refused and does not run.',
    meaning: 'Leaving the header out hides the argument from every rule that reads it.',
    blocks: BLOCKS,
    async run(probe, report) {
      const twin = parameterCall(probe, 'north', 'north');
      const request = parameterCall(probe, 'north', null);
      await expectRefusal(probe, report, {
        what: 'argument north, no header',
        request,
        expected: MISMATCH,
        twin,
      });
    },
  },
];
