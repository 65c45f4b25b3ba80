/** The fixture format: what is read, what is refused and how, and when a case has met its expectation. */

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { RULE_IDS, type RuleId } from '../../../src/validator/catalogue.js';
import { readFixture } from '../../../src/validator/fixture.js';
import { type CaseReport, runCase, summarize } from '../../../src/validator/fixture-run.js';
import {
  AUTHORIZATION,
  c,
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  DEFAULTS,
  type Json,
  s,
  SERVER_CAPABILITIES,
  SERVER_INFO,
  TOOL,
} from '../../support/validator-world.js';

const SHIPPED = new URL('../../cases/mcp-cases.json', import.meta.url);

function fixture(cases: unknown, changes: Json = {}): Json {
  return {
    schema_version: 3,
    protocol_version: '2025-11-25',
    transport_context_defaults: DEFAULTS,
    authorization: AUTHORIZATION,
    client: { info: CLIENT_INFO, capabilities: CLIENT_CAPABILITIES },
    server: { info: SERVER_INFO, capabilities: SERVER_CAPABILITIES },
    tool: TOOL,
    cases,
    ...changes,
  };
}

function bytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

function problem(value: unknown): string {
  const read = readFixture(bytes(value));
  return read.ok ? 'it was accepted' : read.problem;
}

function reports(value: unknown): CaseReport[] {
  const read = readFixture(bytes(value));
  if (!read.ok) throw new Error(read.problem);
  return read.fixture.cases.map((one, index) => runCase(read.fixture, one, index));
}

const step = { direction: 'client_to_server', message: { jsonrpc: '2.0', id: 2, method: 'ping' } };
const bad = { direction: 'client_to_server', message: { jsonrpc: '2.0', id: true, method: 'ping' } };
const one = (changes: Json = {}): Json => ({ name: 'a', expect: 'pass', steps: [step], ...changes });

describe('the shipped fixture', () => {
  const read = readFixture(readFileSync(SHIPPED));
  if (!read.ok) throw new Error(read.problem);
  const { cases } = read.fixture;

  it('has 54 cases: 16 pass, 38 fail', () => {
    expect(cases.map(({ expect: wanted }) => wanted).filter((wanted) => wanted === 'pass')).toHaveLength(16);
    expect(cases).toHaveLength(54);
  });

  it('names an existing rule in each failing case', () => {
    const named = cases.filter(({ expect: wanted }) => wanted === 'fail').map(({ error }) => error ?? '');
    expect(named.filter((id) => !RULE_IDS.includes(id as RuleId))).toEqual([]);
  });

  it.each(cases.map((each, index) => [each.name, each, index] as const))('case: %s', (_name, each, index) => {
    const { status } = runCase(read.fixture, each, index);
    expect(status).toBe(each.expect === 'pass' ? 'passed' : 'expected_failure');
  });

  it.each(
    cases
      .map((each, index) => [each.name, each, index] as const)
      .filter(([, each]) => each.expect === 'fail'),
  )('is red when it names another rule: %s', (_name, each, index) => {
    const other = each.error === 'step.shape' ? 'json.invalid' : 'step.shape';
    expect(runCase(read.fixture, { ...each, error: other }, index).status).toBe('wrong_reason');
  });

  it('sums up to the line of the format page', () => {
    const all = cases.map((each, index) => runCase(read.fixture, each, index));
    expect(JSON.stringify(summarize(all))).toBe(
      '{"status":"ok","profile":"offline-mcp-teaching-profile-v2","protocol_version":"2025-11-25","case_count":54,"passed":16,"expected_failures":38}',
    );
  });
});

describe('an expectation', () => {
  const failing = (changes: Json): Json => one({ expect: 'fail', steps: [bad], ...changes });

  it.each([
    ['passes', one(), 'passed'],
    ['fails though it should pass', one({ steps: [bad] }), 'unexpected_failure'],
    ['passes though it should fail', one({ expect: 'fail' }), 'unexpected_pass'],
    ['fails for any reason when none is named', failing({}), 'expected_failure'],
    ['fails by the rule that it names', failing({ error: 'envelope.id_type' }), 'expected_failure'],
    ['fails by another rule', failing({ error: 'envelope.id_length' }), 'wrong_reason'],
    ['names a rule that does not exist', failing({ error: 'no.such_rule' }), 'wrong_reason'],
    ['quotes the text', failing({ error_contains: 'must be a string or integer' }), 'expected_failure'],
    ['quotes the text in another case', failing({ error_contains: 'The ID must be' }), 'expected_failure'],
    ['quotes another text', failing({ error_contains: 'duplicate' }), 'wrong_reason'],
    [
      'names the right rule and quotes another text',
      failing({ error: 'envelope.id_type', error_contains: 'duplicate' }),
      'wrong_reason',
    ],
    ['has no steps', one({ steps: [] }), 'passed'],
    ['breaks in the handshake', one({ client_capabilities: [] }), 'unexpected_failure'],
  ])('%s', (_name, item, status) => {
    expect(reports(fixture([item]))[0]).toMatchObject({ status });
  });

  it('is counted as unmet, and the status says failed', () => {
    const all = reports(fixture([one(), one({ name: 'b', steps: [bad] })]));
    expect(summarize(all)).toMatchObject({
      status: 'failed',
      case_count: 2,
      passed: 1,
      expected_failures: 0,
      unmet: 1,
    });
  });

  it('says in which step a case ended', () => {
    const all = reports(fixture([one({ steps: [step, bad] }), one({ name: 'b', client_capabilities: [] })]));
    expect(all.map(({ step: where }) => where)).toEqual([1, 'setup']);
  });
});

describe('cases are apart from each other', () => {
  it('lets two cases use the same ids', () => {
    const all = reports(fixture([one(), one({ name: 'b' })]));
    expect(all.map(({ status }) => status)).toEqual(['passed', 'passed']);
  });

  it('leaves every integer id free after the handshake', () => {
    const steps = [0, 1, 2].map((id) => ({
      direction: 'client_to_server',
      message: c({ id, method: 'ping' }).message,
    }));
    expect(reports(fixture([one({ steps })]))[0]).toMatchObject({ status: 'passed' });
  });

  it('lets a case answer the open initialize request as id 1', () => {
    const answer = s({
      id: 1,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: SERVER_INFO },
    });
    const steps = [answer, c({ method: 'notifications/initialized' })].map(
      ({ context: _none, ...rest }) => rest,
    );
    const all = reports(fixture([one({ setup: 'initialize_request_only', steps })]));
    expect(all[0]).toMatchObject({ status: 'passed' });
  });
});

describe('an unusable fixture is refused in one sentence', () => {
  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'invalid JSON at line 1, column 2: unexpected end'],
    ['a broken third line', '{\n"a": 1,\n"b" 2}', 'invalid JSON at line 3, column 5: unexpected character'],
    ['a duplicate key', '{"a":1,"a":2}', 'invalid JSON at line 1, column 8: duplicate JSON key'],
    ['NaN', '{"a":NaN}', 'invalid JSON at line 1, column 6: unexpected character'],
    ['Infinity', '{"a":1e999}', 'invalid JSON at line 1, column 6: a non-finite number: it overflows'],
    ['too deep', '['.repeat(65) + ']'.repeat(65), 'JSON nesting exceeds 64 levels at line 1, column 65'],
    ['an array', [], 'the fixture must be an object'],
    ['an unknown key', fixture([one()], { comment: 'hi' }), 'the fixture has unknown keys: comment'],
    ['another schema_version', fixture([one()], { schema_version: 2 }), 'schema_version must be 3'],
    [
      'another revision',
      fixture([one()], { protocol_version: '2025-06-18' }),
      'protocol_version must be "2025-11-25"',
    ],
    ['no cases', fixture([]), '/cases must be a non-empty array'],
    ['cases as object', fixture({}), '/cases must be a non-empty array'],
    ['an unknown case key', fixture([one({ why: 1 })]), '/cases/0 has unknown keys: why'],
    ['a case without steps', fixture([{ name: 'a', expect: 'pass' }]), '/cases/0 lacks the key steps'],
    ['an empty name', fixture([one({ name: '' })]), '/cases/0/name must be a non-empty string'],
    ['a name twice', fixture([one(), one()]), '/cases/1/name is used by another case'],
    ['another expectation', fixture([one({ expect: 'ok' })]), '/cases/0/expect must be "pass" or "fail"'],
    [
      'another setup',
      fixture([one({ setup: 'half' })]),
      '/cases/0/setup must be "ready", "none" or "initialize_request_only"',
    ],
    [
      'an error on a passing case',
      fixture([one({ error: 'envelope.id_type' })]),
      '/cases/0/error is only for a case that is expected to fail',
    ],
    [
      'an empty fragment',
      fixture([one({ expect: 'fail', error_contains: '' })]),
      '/cases/0/error_contains must be a non-empty string',
    ],
    [
      'an unknown step key',
      fixture([one({ steps: [{ ...step, wait: 1 }] })]),
      '/cases/0/steps/0 has unknown keys: wait',
    ],
    [
      'another direction',
      fixture([one({ steps: [{ ...step, direction: 'out' }] })]),
      '/cases/0/steps/0/direction must be "client_to_server" or "server_to_client"',
    ],
    [
      'another control event',
      fixture([one({ steps: [{ control_event: { type: 'sleep', revision: 'x' } }] })]),
      '/cases/0/steps/0/control_event/type must be "activate_authorization_revision"',
    ],
    [
      'a context on a control event',
      fixture([one({ steps: [{ control_event: { type: 'x', revision: 'x' }, transport_context: {} }] })]),
      '/cases/0/steps/0 has unknown keys: transport_context',
    ],
    [
      'defaults for another resource',
      fixture([one()], { transport_context_defaults: { ...DEFAULTS, resource: 'https://x.example/' } }),
      '/transport_context_defaults/resource must equal /authorization/protected_resource',
    ],
    [
      'a tool with a space in its name',
      fixture([one()], { tool: { ...TOOL, name: 'a b' } }),
      '/tool/name: The tool name must be 1 to 128 of the characters A-Z, a-z, 0-9, _, - and dot. (tools.name)',
    ],
    [
      'a tool with a keyword that is not executed',
      fixture([one()], { tool: { ...TOOL, inputSchema: { type: 'object', oneOf: [] } } }),
      '/tool/inputSchema/oneOf: The schema has unsupported schema keywords: oneOf. (schema.unsupported_keyword)',
    ],
    [
      'a client without version',
      fixture([one()], { client: { info: { name: 'x' }, capabilities: {} } }),
      '/client/info: The client info must be an object with a non-empty name and version, and only members that the specification names. (lifecycle.info_shape)',
    ],
  ])('%s', (_name, value, sentence) => {
    expect(problem(value)).toBe(sentence);
  });

  it('not valid UTF-8', () => {
    expect(readFixture(Uint8Array.of(0x7b, 0xff, 0x7d))).toEqual({
      ok: false,
      problem: 'it is not valid UTF-8',
    });
  });

  it('too large', () => {
    expect(readFixture(new Uint8Array(2_000_001))).toEqual({
      ok: false,
      problem: 'it exceeds 2000000 bytes',
    });
  });

  it.each([
    'schema_version',
    'protocol_version',
    'transport_context_defaults',
    'authorization',
    'client',
    'server',
    'tool',
    'cases',
  ])('without %s', (key) => {
    const { [key]: _dropped, ...rest } = fixture([one()]);
    expect(problem(rest)).toBe(`the fixture lacks the key ${key}`);
  });
});
