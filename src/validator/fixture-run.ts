/**
 * Runs the cases of a fixture, each in a session of its own, and compares what was found with what was expected.
 * A case that fails for another reason than the one it names has not met its expectation.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import type { Finding } from './finding.js';
import type { Fixture, FixtureCase } from './fixture.js';
import type { RequestId } from './id-history.js';
import { PROTOCOL_VERSION } from './limits.js';
import { numberSourcesBelow } from './number-sources.js';
import { renderFinding } from './render-finding.js';
import { Session } from './session.js';

export const PROFILE = 'offline-mcp-teaching-profile-v2';

export type CaseStatus =
  'passed' | 'expected_failure' | 'unexpected_failure' | 'unexpected_pass' | 'wrong_reason';

export interface CaseReport {
  readonly name: string;
  readonly status: CaseStatus;
  /** What ended the case, and in which step (from 0; `setup` for the handshake before the steps). */
  readonly found: Finding | undefined;
  readonly step: number | 'setup' | undefined;
  /** The finding's sentence. */
  readonly reason: string | undefined;
}

/** The summary line; `unmet` only when some case did not meet its expectation. */
export interface FixtureSummary {
  readonly status: 'ok' | 'failed';
  readonly profile: string;
  readonly protocol_version: string;
  readonly case_count: number;
  readonly passed: number;
  readonly expected_failures: number;
  readonly unmet?: number;
}

interface Outcome {
  readonly found: Finding;
  readonly step: number | 'setup';
}

/** Runs one case. @param index its place in the fixture, for the source text of numbers */
export function runCase(fixture: Fixture, one: FixtureCase, index: number): CaseReport {
  const outcome = replay(fixture, one, index);
  const reason = outcome === undefined ? undefined : renderFinding(outcome.found);
  return {
    name: one.name,
    status: statusOf(one, outcome?.found, reason),
    found: outcome?.found,
    step: outcome?.step,
    reason,
  };
}

function statusOf(one: FixtureCase, found: Finding | undefined, reason: string | undefined): CaseStatus {
  if (one.expect === 'pass') return found === undefined ? 'passed' : 'unexpected_failure';
  if (found === undefined || reason === undefined) return 'unexpected_pass';
  const isNamed = one.error === undefined || one.error === found.rule;
  const isSaid =
    one.errorContains === undefined || reason.toLowerCase().includes(one.errorContains.toLowerCase());
  return isNamed && isSaid ? 'expected_failure' : 'wrong_reason';
}

function replay(fixture: Fixture, one: FixtureCase, index: number): Outcome | undefined {
  const session = new Session('fixture', fixture.policy);
  session.state.tools.set(fixture.tool);
  session.state.tools.isComplete = true;
  const found = setUp(session, fixture, one);
  if (found !== undefined) return { found, step: 'setup' };
  for (const [number, step] of one.steps.entries()) {
    const inStep =
      step.kind === 'control'
        ? session.activateRevision(step.revision)
        : session.judge({
            sender: step.sender,
            message: step.message,
            context: step.context,
            numbers: numberSourcesBelow(fixture.numbers, `/cases/${index}/steps/${number}/message`),
          });
    if (inStep !== undefined) return { found: inStep, step: number };
  }
  return undefined;
}

/**
 * The handshake before the steps. A complete one takes an id that no case uses, so that all integers are free; the
 * open one has id 1, so that a case can answer it.
 */
function setUp(session: Session, fixture: Fixture, one: FixtureCase): Finding | undefined {
  if (one.setup === 'none') return undefined;
  const id: RequestId = one.setup === 'ready' ? 'setup: initialize' : 1;
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: one.clientCapabilities,
    clientInfo: fixture.clientInfo,
  };
  const request = message({ id, method: 'initialize', params });
  const found = session.judge({ sender: 'client', message: request });
  if (found !== undefined || one.setup === 'initialize_request_only') return found;
  const result = {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: one.serverCapabilities,
    serverInfo: fixture.serverInfo,
  };
  return (
    session.judge({ sender: 'server', message: message({ id, result }) }) ??
    session.judge({ sender: 'client', message: message({ method: 'notifications/initialized' }) })
  );
}

function message(members: Record<string, JsonValue>): JsonObject {
  return { jsonrpc: '2.0', ...members };
}

/** The summary of cases that were run. */
export function summarize(reports: readonly CaseReport[]): FixtureSummary {
  const passed = reports.filter(({ status }) => status === 'passed').length;
  const expectedFailures = reports.filter(({ status }) => status === 'expected_failure').length;
  const unmet = reports.length - passed - expectedFailures;
  const summary = {
    status: unmet === 0 ? ('ok' as const) : ('failed' as const),
    profile: PROFILE,
    protocol_version: PROTOCOL_VERSION,
    case_count: reports.length,
    passed,
    expected_failures: expectedFailures,
  };
  return unmet === 0 ? summary : { ...summary, unmet };
}
