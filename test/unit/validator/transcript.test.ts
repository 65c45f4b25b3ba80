/** Transcripts: one line at a time, going on after findings, with and without a policy. */

import { describe, expect, it } from '@jest/globals';
import { TranscriptJudge } from '../../../src/validator/transcript.js';
import {
  as,
  c,
  CLIENT_INFO,
  GUIDE,
  handshake,
  type Json,
  s,
  SERVER_INFO,
  type Step,
  testPolicy,
} from '../../support/validator-world.js';

function lineOf({ direction, message, context }: Step): string {
  return JSON.stringify(
    context === undefined ? { direction, message } : { direction, message, transport_context: context },
  );
}

function judged(
  steps: readonly (Step | string)[],
  hasPolicy = false,
): { rules: string[]; judge: TranscriptJudge } {
  const judge = new TranscriptJudge(hasPolicy ? testPolicy() : undefined);
  const rules = steps.map(
    (step) => judge.line(typeof step === 'string' ? step : lineOf(step)).found?.rule ?? '-',
  );
  return { rules, judge };
}

const opening = handshake({ steps: [] });
const read = (id: number, context?: unknown): Step =>
  c({ id, method: 'resources/read', params: { uri: GUIDE } }, context);
const list = (id: number): Step => c({ id, method: 'resources/list' });

describe('a transcript', () => {
  it('is counted: messages, findings, hardening among them, and what was not judged', () => {
    const { judge } = judged([
      ...opening,
      c({ id: 1, method: 'prompts/list' }),
      s({ id: 1, result: { prompts: [] } }),
      c({ id: 2, method: 'ping', extra: 1 }),
      c({ id: true, method: 'ping' }),
    ]);
    expect(judge.tally.summary()).toEqual({
      status: 'findings',
      profile: 'offline-mcp-teaching-profile-v2',
      protocol_version: '2025-11-25',
      messages: 7,
      findings: 2,
      profile_hardening: 1,
      not_judged: 1,
      rules: { 'envelope.id_type': 1, 'envelope.unknown_member': 1 },
    });
  });

  it('is ok with nothing in it, and with blank lines', () => {
    expect(judged(['', '  ', ...opening, '']).judge.tally.summary()).toMatchObject({
      status: 'ok',
      messages: 3,
    });
  });

  it('points into the line', () => {
    const judge = new TranscriptJudge(undefined);
    for (const step of opening) judge.line(lineOf(step));
    expect(judge.line(lineOf(c({ id: null, method: 'ping' }))).found?.pointer).toBe('/message/id');
    expect(judge.line(lineOf(c({ id: 3, method: 'ping' }, as()))).found?.pointer).toBe('');
  });

  it.each<[string, string]>([
    ['an array', '[]'],
    ['an unknown key', '{"direction":"client_to_server","message":{},"at":1}'],
    ['another direction', '{"direction":"in","message":{}}'],
    ['no message', '{"direction":"client_to_server"}'],
    ['another control event', '{"control_event":{"type":"stop","revision":"first"}}'],
    [
      'a control event and a message',
      '{"control_event":{"type":"activate_authorization_revision","revision":"first"},"message":{}}',
    ],
  ])('refuses a line that is %s, and goes on', (_name, line) => {
    const { rules } = judged([...opening, line, c({ id: 1, method: 'ping' })], true);
    expect(rules.slice(3)).toEqual(['step.shape', '-']);
  });

  it('reads unusual numbers from the text of the line', () => {
    const line = '{"direction":"client_to_server","message":{"jsonrpc":"2.0","id":1.0,"method":"ping"}}';
    expect(judged([...opening, line]).rules.at(-1)).toBe('envelope.id_type');
  });

  it('goes on after a handshake that went wrong', () => {
    const [request, , initialized] = opening as [Step, Step, Step];
    const answer = s({
      id: 'handshake',
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
    });
    const { rules } = judged([
      request,
      answer,
      initialized,
      c({ id: 1, method: 'tools/list' }),
      c({ id: {}, method: 'ping' }),
    ]);
    expect(rules).toEqual([
      '-',
      'lifecycle.info_shape',
      'lifecycle.initialized_order',
      '-',
      'envelope.id_type',
    ]);
  });

  it('notes a client that proposes another revision', () => {
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: CLIENT_INFO };
    const judge = new TranscriptJudge(undefined);
    const report = judge.line(lineOf(c({ id: 1, method: 'initialize', params })));
    expect(report).toMatchObject({
      found: undefined,
      notJudged: [{ rule: 'lifecycle.protocol_version_proposed' }],
    });
    const result: Json = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: SERVER_INFO };
    expect(judge.line(lineOf(s({ id: 1, result }))).found).toBeUndefined();
  });
});

describe('a transcript without a policy', () => {
  it('judges resources by the specification alone', () => {
    const request = c({ id: 2, method: 'resources/read', params: { uri: 'any://where' } });
    const sub = c({ id: 3, method: 'resources/subscribe', params: { uri: 'any://where' } });
    const part = s({ id: 2, result: { contents: [{ uri: 'any://where/part', text: '' }] } });
    const { rules } = judged([
      ...opening,
      list(1),
      request,
      part,
      s({ method: 'notifications/resources/updated', params: { uri: 'any://where' } }),
      sub,
      s({ id: 3, result: {} }),
      s({ method: 'notifications/resources/updated', params: { uri: 'any://where/part' } }),
    ]);
    expect(rules.slice(3)).toEqual(['-', '-', '-', 'resources.no_active_subscription', '-', '-', '-']);
  });

  it('knows no revisions', () => {
    const event = '{"control_event":{"type":"activate_authorization_revision","revision":"first"}}';
    expect(judged([event]).rules).toEqual(['authorization.unknown_revision']);
  });
});

describe('a transcript with a policy', () => {
  it('judges every snapshot', () => {
    const event = '{"control_event":{"type":"activate_authorization_revision","revision":"second"}}';
    const { rules } = judged(
      [...opening, read(1, as()), read(2), event, read(3, as()), s({ id: 1, result: { contents: [] } })],
      true,
    );
    expect(rules.slice(3)).toEqual([
      '-',
      'authorization.context_missing',
      '-',
      'authorization.stale_revision',
      'authorization.stale_revision',
    ]);
  });
});
