/** HAR exports: which entries are MCP traffic, in which order their messages come, and whose conversation they are. */

import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../src/protocol/strict-json.js';
import { readHar } from '../../../src/validator/har.js';
import { HarJudge } from '../../../src/validator/har-judge.js';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  type Json,
  SERVER_CAPABILITIES,
  SERVER_INFO,
} from '../../support/validator-world.js';

const ENDPOINT = 'https://door.example/mcp';

interface EntryParts {
  readonly at: number;
  readonly time?: number;
  readonly method?: string;
  readonly post?: unknown;
  readonly status?: number;
  readonly session?: string;
  readonly given?: string;
  readonly json?: unknown;
  readonly sse?: readonly unknown[];
  readonly body?: Json;
}

function entry(parts: EntryParts): Json {
  const { at, time = 5, method = 'POST', post, status = 200, session, given, json, sse, body } = parts;
  const content =
    body ??
    (sse === undefined
      ? { mimeType: 'application/json', text: json === undefined ? '' : JSON.stringify(json) }
      : {
          mimeType: 'text/event-stream; charset=utf-8',
          text: `retry: 1000\n\n${sse.map((data) => `event: message\ndata: ${JSON.stringify(data)}\n\n`).join('')}`,
        });
  return {
    startedDateTime: new Date(Date.UTC(2025, 10, 25) + at).toISOString(),
    time,
    request: {
      method,
      url: ENDPOINT,
      headers: session === undefined ? [] : [{ name: 'Mcp-Session-Id', value: session }],
      ...(post !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(post) } }),
    },
    response: {
      status,
      headers: given === undefined ? [] : [{ name: 'mcp-session-id', value: given }],
      content,
    },
  };
}

const initialize = (id: unknown = 0): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: CLIENT_CAPABILITIES, clientInfo: CLIENT_INFO },
});
const answer = (id: unknown = 0): Json => ({
  jsonrpc: '2.0',
  id,
  result: { protocolVersion: '2025-11-25', capabilities: SERVER_CAPABILITIES, serverInfo: SERVER_INFO },
});
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const ping = (id: unknown): Json => ({ jsonrpc: '2.0', id, method: 'ping' });
const ok = (id: unknown, result: Json = {}): Json => ({ jsonrpc: '2.0', id, result });

/** A good handshake in two entries, from 0 to 25 ms. */
const opening = (session?: string): Json[] => [
  entry({ at: 0, post: initialize(), sse: [answer()], ...(session !== undefined && { given: session }) }),
  entry({ at: 20, post: initialized, status: 202, ...(session !== undefined && { session }) }),
];

function judge(entries: readonly unknown[]): { rows: string[]; skipped: number; messages: number } {
  const read = readHar({ log: { entries: [...(entries as JsonValue[])] } });
  if (!read.ok) throw new Error(read.problem);
  const har = new HarJudge();
  const rows: string[] = [];
  for (const event of read.contents.events) {
    const { found } = har.judge(event);
    if (found !== undefined) rows.push(`${event.entry} ${event.sender} ${found.rule}`);
  }
  return { rows, skipped: read.contents.skipped, messages: har.tally.summary().messages };
}

describe('a HAR export', () => {
  it('is judged in the order of its times, JSON and SSE alike', () => {
    const entries = [
      ...opening('s1'),
      entry({ at: 40, post: ping(1), json: ok(1), session: 's1' }),
      entry({
        at: 60,
        post: { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        sse: [ok(2, { tools: [] })],
        session: 's1',
      }),
    ];
    expect(judge(entries)).toEqual({ rows: [], skipped: 0, messages: 7 });
    expect(judge(entries.toReversed())).toEqual({ rows: [], skipped: 0, messages: 7 });
  });

  it('gives entry, side and rule of a finding', () => {
    const entries = [...opening('s1'), entry({ at: 40, post: ping(1), json: ok('1'), session: 's1' })];
    expect(judge(entries).rows).toEqual(['2 server correlation.no_matching_request']);
  });

  it('lets requests overlap', () => {
    const entries = [
      ...opening('s1'),
      entry({ at: 40, time: 100, post: ping(1), json: ok(1), session: 's1' }),
      entry({ at: 50, time: 10, post: ping(2), json: ok(2), session: 's1' }),
    ];
    expect(judge(entries).rows).toEqual([]);
  });

  it('brings a request out of an open stream before the answer that the client posts to it', () => {
    const entries = [
      ...opening('s1'),
      entry({
        at: 40,
        time: 1000,
        post: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        sse: [{ jsonrpc: '2.0', id: 7, method: 'roots/list' }, ok(1, { tools: [] })],
        session: 's1',
      }),
      entry({ at: 60, post: ok(7, { roots: [] }), status: 202, session: 's1' }),
    ];
    expect(judge(entries)).toEqual({ rows: [], skipped: 0, messages: 7 });
  });

  it('reads a GET stream', () => {
    const entries = [
      ...opening('s1'),
      entry({
        at: 30,
        time: 500,
        method: 'GET',
        sse: [{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }],
        session: 's1',
      }),
    ];
    expect(judge(entries)).toEqual({ rows: [], skipped: 0, messages: 4 });
  });

  it('reads a Base64 body', () => {
    const text = Buffer.from(JSON.stringify(ok(1))).toString('base64');
    const body = { mimeType: 'application/json', encoding: 'base64', text };
    expect(judge([...opening('s1'), entry({ at: 40, post: ping(1), body, session: 's1' })])).toMatchObject({
      rows: [],
      messages: 5,
    });
  });

  it('takes what came whole from a stream that was cut off', () => {
    const text = `data: ${JSON.stringify(ok(1))}\n\ndata: {"jsonrpc":"2.0","me`;
    const body = { mimeType: 'text/event-stream', text };
    expect(judge([...opening('s1'), entry({ at: 40, post: ping(1), body, session: 's1' })])).toMatchObject({
      rows: [],
      messages: 5,
    });
  });

  it('keeps conversations apart by session id', () => {
    const second = [
      entry({ at: 5, post: initialize(), sse: [answer()], given: 's2' }),
      entry({ at: 22, post: initialized, status: 202, session: 's2' }),
    ];
    const pings = ['s1', 's2'].map((session) => entry({ at: 40, post: ping(1), json: ok(1), session }));
    expect(judge([...opening('s1'), ...second, ...pings]).rows).toEqual([]);
  });

  it('takes a new initialize as a new conversation where there are no session ids', () => {
    const again = [
      entry({ at: 100, post: initialize(), sse: [answer()] }),
      entry({ at: 120, post: initialized, status: 202 }),
    ];
    expect(judge([...opening(), ...again]).rows).toEqual([]);
  });

  it('skips what is no MCP traffic, and what HTTP refused', () => {
    const entries = [
      entry({ at: 0, method: 'GET', json: { page: 1 } }),
      entry({ at: 1, post: { login: 'x' }, json: { ok: true } }),
      entry({ at: 2, post: initialize(), status: 401, json: { error: 'authorization_required' } }),
      entry({ at: 3, method: 'DELETE', status: 204 }),
      entry({ at: 4, method: 'OPTIONS' }),
      { broken: true },
      ...opening('s1'),
    ];
    expect(judge(entries)).toEqual({ rows: [], skipped: 6, messages: 3 });
  });

  it('judges a body that is no strict JSON', () => {
    const body = { mimeType: 'application/json', text: '{"jsonrpc":"2.0","id":1,"result":{},"result":{}}' };
    expect(judge([...opening('s1'), entry({ at: 40, post: ping(1), body, session: 's1' })]).rows).toEqual([
      '2 server json.invalid',
    ]);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['no log', {}],
    ['no entries', { log: {} }],
    ['entries as object', { log: { entries: {} } }],
  ])('cannot be read from %s', (_name, value) => {
    expect(readHar(value as JsonValue)).toEqual({ ok: false, problem: 'it has no log.entries' });
  });
});
