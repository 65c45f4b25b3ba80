/** The log: one line for each request with exactly these fields, names that nobody can go back from. */
import { createHash, createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { RawConnection } from '../support/raw-http.js';
import { expectNoLeak } from '../support/refusal.js';
import {
  ask,
  call,
  del,
  eventually,
  get,
  INITIALIZE,
  notification,
  openReadySession,
  openSession,
  post,
} from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, BOB, CANARY } from '../support/tokens.js';

type Line = Readonly<Record<string, unknown>>;

const NAME = /^[0-9a-f]{16}$/;

async function linesOf(server: TestServer): Promise<Line[]> {
  const lines = (await server.logs()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line).filter(({ context }) => context === 'Request');
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_MAX_SESSIONS: '100' } });
});

/** The lines that these requests bring, one after the other. */
async function linesAfter(texts: readonly string[], on = server): Promise<Line[]> {
  const before = (await linesOf(on)).length;
  for (const [at, text] of texts.entries()) {
    await ask(on, text);
    await eventually(async () => (await linesOf(on)).length > before + at, 'a line for each request');
  }
  return (await linesOf(on)).slice(before);
}

const SHARED = {
  level: 'info',
  time: expect.any(Number),
  context: 'Request',
  msg: 'request',
  method: 'POST',
  path: '/mcp',
  status: 200,
  durationMs: expect.any(Number),
};
const NAMED = { token: expect.stringMatching(NAME), session: expect.stringMatching(NAME) };

describe('fields', () => {
  test('[A.error-body] of every kind of request, exactly', async () => {
    const session = await openReadySession(server);
    const lines = await linesAfter([
      post(server, INITIALIZE),
      post(server, call(CANARY, 'ping'), { session }),
      post(server, call(1, CANARY), { session }),
      get(server, { session }),
      del(server, { session }),
      post(server, call(1, 'ping'), { session }),
      post(server, INITIALIZE, { token: null }),
      post(server, INITIALIZE, { token: `${CANARY}-nobody` }),
      get(server, { token: null, target: '/healthz' }),
      get(server, { token: null, target: '/mcp?access_token=canary' }),
      post(server, `{"${CANARY}`),
      post(server, INITIALIZE, { headers: { Host: `${CANARY}.example` } }),
    ]);
    expect(lines).toEqual([
      { ...SHARED, ...NAMED },
      { ...SHARED, ...NAMED },
      { ...SHARED, ...NAMED },
      { ...SHARED, ...NAMED, method: 'GET' },
      { ...SHARED, ...NAMED, method: 'DELETE', status: 204 },
      { ...SHARED, ...NAMED, status: 404, code: 'session_not_found' },
      { ...SHARED, status: 401, code: 'authorization_required' },
      { ...SHARED, status: 401, code: 'invalid_token', reason: 'unknown', token: NAMED.token },
      { ...SHARED, method: 'GET', path: '/healthz' },
      // The head was refused, so nothing of it is named.
      { ...SHARED, method: 'GET', status: 400, code: 'query_not_allowed', reason: 'query' },
      { ...SHARED, status: 400, code: 'invalid_json', reason: expect.any(String), token: NAMED.token },
      { ...SHARED, status: 403, code: 'invalid_host', token: NAMED.token },
    ]);
    await expectNoLeak(server, session);
  });

  test('[A.error-body] a path is cut at a query or fragment, and bounded; nothing as long as a credential is left', async () => {
    const lines = await linesAfter([
      get(server, { token: null, target: `/nowhere?token=${ALICE}` }),
      get(server, { token: null, target: `/nowhere#${ALICE}` }),
      get(server, { token: null, target: `/${'a'.repeat(2000)}` }),
      get(server, { token: null, target: `/mcp/${CANARY}${'a'.repeat(32)}/x` }),
      get(server, { token: null, target: `http://${CANARY}:${CANARY}@127.0.0.1/mcp` }),
      get(server, { token: null, target: '/a'.repeat(100) }),
    ]);
    expect(lines.map(({ path }) => path)).toEqual([
      '/nowhere',
      '/nowhere',
      '/…',
      '/mcp/…/x',
      '…',
      '/a'.repeat(64),
    ]);
    await expectNoLeak(server);
  });

  test('[A.error-body] requests on one connection have a line each', async () => {
    const session = await openReadySession(server);
    const before = (await linesOf(server)).length;
    const connection = await RawConnection.open(server.port);
    connection.send(
      Array.from({ length: 8 }, (_, id) => post(server, call(id, 'ping'), { session })).join(''),
    );
    for (let i = 0; i < 8; i++) expect((await connection.answer()).status).toBe(200);
    connection.destroy();
    await eventually(async () => (await linesOf(server)).length === before + 8, 'eight lines');
  });

  test('[A.error-body] a request whose caller has gone has a line, with status 0', async () => {
    const session = await openReadySession(server);
    const before = (await linesOf(server)).length;
    const connection = await RawConnection.open(server.port);
    connection.send(post(server, call(1, 'test/hold'), { session }));
    await eventually(async () => (await server.held()) === 1, 'the method runs');
    connection.destroy();
    await eventually(async () => (await linesOf(server)).length === before + 1, 'its line');
    expect((await linesOf(server)).at(-1)).toEqual({ ...SHARED, ...NAMED, status: 0 });
    expect(await server.release()).toBe(1);
    await expectNoLeak(server, session);
  });

  test('[N.settings] MCP_LOG_LEVEL=warn: no line for a request', async () => {
    const quiet = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_LOG_LEVEL: 'warn' } });
    const before = (await linesOf(quiet)).length;
    const session = await openReadySession(quiet);
    await ask(quiet, post(quiet, call(1, 'ping'), { session: 'unknown' }));
    await ask(quiet, post(quiet, notification('notifications/test/throwing', { text: 'x' }), { session }));
    await eventually(async () => (await quiet.logs()).includes('unforeseen exception'), 'an error is logged');
    expect((await linesOf(quiet)).length).toBe(before);
    await expectNoLeak(quiet, session);
  });
});

const namesOf = (lines: readonly Line[], field: string): unknown[] => lines.map((line) => line[field]);

describe('names', () => {
  test('[A.error-body] a token has one name, as long as the process lives, whatever becomes of it', async () => {
    const own = await startServer({ tokens: ALICE_AND_BOB });
    const session = await openReadySession(own);
    const good = await linesAfter([post(own, call(1, 'ping'), { session }), get(own, { session })], own);
    await own.setTokens({ ...ALICE_AND_BOB, revoked: [`${CANARY}-id-of-${ALICE}`] });
    const refused = await linesAfter([post(own, call(1, 'ping'), { session })], own);
    await own.setTokens(ALICE_AND_BOB);
    const again = await linesAfter([post(own, call(1, 'ping'), { session })], own);
    const unread = await linesAfter([post(own, '{', { session })], own);
    const lines = [...good, ...refused, ...again, ...unread];
    expect(new Set(namesOf(lines, 'token')).size).toBe(1);
    expect(new Set(namesOf(lines, 'session')).size).toBe(1);
    expect(lines[0]?.['token']).not.toBe(lines[0]?.['session']);
    await expectNoLeak(own, session);
  });

  test('[A.error-body] two tokens and two sessions have two names', async () => {
    const sessions = [await openSession(server), await openSession(server)];
    const lines = await linesAfter([
      post(server, call(1, 'ping'), { session: sessions[0] ?? '' }),
      post(server, call(1, 'ping'), { session: sessions[1] ?? '' }),
      post(server, call(1, 'ping'), { session: sessions[1] ?? '', token: BOB }),
    ]);
    const [one, two, three] = lines;
    expect(one?.['token']).toBe(two?.['token']);
    expect(three?.['token']).not.toBe(one?.['token']);
    expect(two?.['session']).not.toBe(one?.['session']);
    expect(three?.['session']).toBe(two?.['session']);
  });

  test('[A.error-body] another process has other names, and no plain digest of the secret is one', async () => {
    const [first, second] = [
      await startServer({ tokens: ALICE_AND_BOB }),
      await startServer({ tokens: ALICE_AND_BOB }),
    ];
    const names = [];
    for (const one of [first, second]) {
      const [line] = await linesAfter([post(one, INITIALIZE)], one);
      names.push(String(line?.['token']));
    }
    expect(names[0]).not.toBe(names[1]);
    for (const algorithm of ['sha256', 'sha1', 'md5', 'sha512']) {
      for (const text of [ALICE, `Bearer ${ALICE}`, `token\n${ALICE}`]) {
        const digests = [
          createHash(algorithm).update(text).digest('hex'),
          createHmac(algorithm, '').update(text).digest('hex'),
        ];
        for (const digest of digests) for (const name of names) expect(digest).not.toContain(name);
      }
    }
  });
});
