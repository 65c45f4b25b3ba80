/** Gate 6: what the caller can take and what it sends, by the grammar of both headers. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, del, get, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const ping = (headers: Record<string, string | readonly string[] | undefined>): string =>
  post(server, call(1, 'ping'), { session, headers });

test.each<[string | readonly string[]]>([
  ['application/json, text/event-stream'],
  ['text/event-stream,application/json'],
  ['Application/JSON, Text/Event-Stream'],
  ['application/json;q=0.001, text/event-stream;q=1.000'],
  ['application/json ; q=0.5 , text/event-stream'],
  ['text/html, application/json, */*;q=0.1, text/event-stream'],
  [', application/json,, text/event-stream,'],
  [['application/json', 'text/event-stream']],
  [['text/event-stream', 'application/json;q=0.9']],
])('[G6.accept] POST with Accept %j is served', async (accept) => {
  expect((await ask(server, ping({ Accept: accept }))).status).toBe(200);
});

test.each<[string | readonly string[] | undefined]>([
  [undefined],
  [''],
  ['*/*'],
  ['application/*, text/*'],
  ['application/json'],
  ['text/event-stream'],
  ['application/json, text/*'],
  ['application/json, */*'],
  ['application/json;q=0, text/event-stream'],
  ['application/json, text/event-stream;q=0.000'],
  ['application/jsonx, text/event-stream'],
  ['xapplication/json, text/event-stream'],
  ['application/json-seq, text/event-stream'],
  ['application/json text/event-stream'],
  ['application/json; text/event-stream'],
  ['"application/json, text/event-stream"'],
  ['x/y;a="application/json, text/event-stream"'],
  ['application/json;q=2, text/event-stream'],
  ['application/json;q=, text/event-stream'],
  [['application/json', 'application/json']],
])('[G6.accept] POST with Accept %j is not acceptable', async (accept) => {
  await expectRefused(server, ping({ Accept: accept }), 406, 'not_acceptable');
});

test.each(['text/event-stream', 'text/event-stream, application/json;q=0', 'TEXT/EVENT-STREAM;q=0.1'])(
  '[G6.accept] GET with Accept %j is served',
  async (accept) => {
    expect((await ask(server, get(server, { session, headers: { Accept: accept } }))).status).toBe(200);
  },
);

test.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'text/event-stream;q=0',
  'text/event-streams',
])('[G6.accept] GET with Accept %j is not acceptable', async (accept) => {
  await expectRefused(server, get(server, { session, headers: { Accept: accept } }), 406, 'not_acceptable');
});

test('[G6.accept] DELETE needs no Accept', async () => {
  const own = await openReadySession(server);
  const request = del(server, {
    session: own,
    headers: { Accept: 'text/html', 'Content-Type': 'text/plain' },
  });
  expect((await ask(server, request)).status).toBe(204);
});

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; Charset="utf-8"',
])('[G6.content-type] %s is taken', async (type) => {
  expect((await ask(server, ping({ 'Content-Type': type }))).status).toBe(200);
});

test.each([
  undefined,
  '',
  'text/plain',
  'text/json',
  'application/json-rpc',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/vnd.api+json',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json; charset=utf8',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; version=1',
  'application/json; charset=utf-8; x=y',
  'application/json, application/json',
  'application/json, text/plain',
  'application/json text/plain',
  'application/json; charset',
  'application/json; charset="utf-8',
  'application / json',
  '*/*',
  'caf\xe9/json',
])('[G6.content-type] %j is not supported', async (type) => {
  await expectRefused(server, ping({ 'Content-Type': type }), 415, 'unsupported_media_type');
});
