/** The headers that every answer has, and those that none has; each kind of answer of this server. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { RawAnswer } from '../support/raw-http.js';
import { expectNoLeak } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  get,
  INITIALIZE,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

const JSON_TYPE = 'application/json';
const STREAM = 'text/event-stream';
const any = { Accept: '*/*' };

const ANSWERS: ReadonlyArray<
  [what: string, text: () => string | Promise<string>, status: number, type: string | undefined]
> = [
  ['initialize', () => post(server, INITIALIZE), 200, JSON_TYPE],
  [
    'initialized',
    async () =>
      post(server, notification('notifications/initialized'), { session: await openSession(server) }),
    202,
    undefined,
  ],
  ['ping', () => post(server, call(1, 'ping'), { session }), 200, JSON_TYPE],
  ['an unknown method', () => post(server, call(1, 'nope'), { session }), 200, JSON_TYPE],
  [
    'a failed method',
    () => post(server, call(1, 'test/throwing', { text: 'x' }), { session }),
    200,
    JSON_TYPE,
  ],
  [
    'an answer too large',
    () => post(server, call(1, 'test/big', { bytes: 70_000 }), { session }),
    200,
    JSON_TYPE,
  ],
  ['resources/list', () => post(server, call(1, 'resources/list'), { session }), 200, STREAM],
  ['the GET stream', () => get(server, { session }), 200, STREAM],
  ['the empty GET stream', () => get(server, { session }), 200, STREAM],
  ['DELETE', async () => del(server, { session: await openSession(server) }), 204, undefined],
  [
    'metadata',
    () => get(server, { target: '/.well-known/oauth-protected-resource', token: null, headers: any }),
    200,
    JSON_TYPE,
  ],
  [
    'metadata of the path',
    () => get(server, { target: '/.well-known/oauth-protected-resource/mcp', token: null, headers: any }),
    200,
    JSON_TYPE,
  ],
  ['health', () => get(server, { target: '/healthz', token: null }), 200, JSON_TYPE],
  ['readiness', () => get(server, { target: '/readyz', token: null }), 200, JSON_TYPE],
  ['a path of nobody', () => get(server, { target: '/nowhere' }), 404, JSON_TYPE],
  ['a path that no router takes', () => get(server, { target: '/%zz' }), 404, JSON_TYPE],
  ['a method of nobody', () => get(server, { method: 'OPTIONS' }), 405, JSON_TYPE],
  ['a wrong token', () => post(server, call(1, 'ping'), { token: `${CANARY}-wrong` }), 401, JSON_TYPE],
  ['no such session', () => post(server, call(1, 'ping'), { session: 'x' }), 404, JSON_TYPE],
  ['what is no HTTP', () => `${CANARY}\r\n\r\n`, 400, JSON_TYPE],
];

function expectSafeHeaders({ headers }: RawAnswer): void {
  expect(headers.get('cache-control')?.split(/, */)).toContain('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const names = [...headers.keys()];
  for (const name of ['x-powered-by', 'etag', 'server', 'set-cookie', 'last-modified', 'vary', 'location']) {
    expect(names).not.toContain(name);
  }
  expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
}

test.each(ANSWERS)('[A.headers] %s', async (_what, text, status, type) => {
  const answer = await ask(server, await text());
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
  expectSafeHeaders(answer);
  expect(answer.headers.get('connection')).toBe(status < 400 ? 'keep-alive' : 'close');
  // A resource names its tenant, and that is all that anybody is told of a token's claims.
  expect(answer.text.replaceAll(`kb://tenant/${CANARY}-tenant/`, '')).not.toContain(CANARY);
});

test('[A.headers] whether an answer is cached is not for the client to say', async () => {
  const headers = { 'If-None-Match': '*', 'If-Modified-Since': new Date().toUTCString(), Range: 'bytes=0-1' };
  const answer = await ask(server, get(server, { target: '/healthz', token: null, headers }));
  expect([answer.status, answer.body]).toEqual([200, '{"status":"ok"}']);
  expectSafeHeaders(answer);
});
