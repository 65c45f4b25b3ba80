/** Liveness, readiness, and a tokens file that is edited while the server runs. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectJson } from '../support/answers.js';
import type { TokensDocument } from '../support/harness.mjs';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, call, eventually, get, openReadySession, post } from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, BOB, CANARY, record, tokensOf } from '../support/tokens.js';

const READY = { status: 'ready', policy: 'current' };
const STALE = { status: 'ready', policy: 'stale' };

const folder = await mkdtemp(join(tmpdir(), 'boundary-health-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function seen(server: TestServer, target: string, headers = {}): Promise<unknown> {
  return expectJson(
    await ask(server, get(server, { token: null, target, headers: { Accept: undefined, ...headers } })),
  );
}

describe('probes', () => {
  test('[P.gates] [A.headers] live and ready, whatever is accepted and whoever asks', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    for (const headers of [
      {},
      { Accept: 'text/html' },
      { Authorization: `Bearer ${ALICE}` },
      { Authorization: 'x' },
    ]) {
      expect(await seen(server, '/healthz', headers)).toEqual({ status: 'ok' });
      expect(await seen(server, '/readyz', headers)).toEqual(READY);
    }
    await expectNoLeak(server);
  });

  test('readiness tells a stale policy, and that it is current again', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    await server.markStale();
    expect(await seen(server, '/readyz')).toEqual(STALE);
    expect(await seen(server, '/healthz')).toEqual({ status: 'ok' });
    expect((await ask(server, get(server, { session: await openReadySession(server) }))).status).toBe(200);
    await server.setTokens(ALICE_AND_BOB);
    expect(await seen(server, '/readyz')).toEqual(READY);
  });
});

const write = (path: string, document: TokensDocument | string) =>
  writeFile(path, typeof document === 'string' ? document : JSON.stringify(document));

const statusOf = async (server: TestServer, session: string, token = ALICE): Promise<number> =>
  (await ask(server, post(server, call(1, 'ping'), { session, token }))).status;

/** How long an edit took to be seen; generous, since the machine may be busy. */
async function within(condition: () => Promise<boolean>, what: string): Promise<void> {
  await eventually(condition, what, 3000);
}

async function watched(name: string): Promise<{ server: TestServer; path: string; session: string }> {
  const path = join(folder, name);
  await write(path, ALICE_AND_BOB);
  const server = await startServer({ env: { MCP_TOKENS_FILE: path } });
  return { server, path, session: await openReadySession(server) };
}

describe('MCP_TOKENS_FILE', () => {
  test('[T.anew] an edit stops a live session without a restart, and the next one lets it go on', async () => {
    const { server, path, session } = await watched('edited.json');
    await write(path, { ...ALICE_AND_BOB, revoked: [record(ALICE).token_id] });
    await within(async () => (await statusOf(server, session)) === 401, 'the revocation');
    expectRefusal(await ask(server, post(server, call(1, 'ping'), { session })), 401, 'invalid_token');
    expect(await seen(server, '/readyz')).toEqual(READY);
    await write(path, ALICE_AND_BOB);
    await within(async () => (await statusOf(server, session)) === 200, 'the token again');
    await expectNoLeak(server, session);
  });

  test('[T.anew] a file replaced by rename is seen, whole', async () => {
    const { server, path, session } = await watched('renamed.json');
    await write(`${path}.new`, tokensOf(record(BOB)));
    await rename(`${path}.new`, path);
    await within(async () => (await statusOf(server, session)) === 401, 'the new file');
    expect(await statusOf(server, await openReadySession(server, BOB), BOB)).toBe(200);
    await expectNoLeak(server, session);
  });

  test('[T.anew] a broken edit keeps the last good policy, shows as stale, and is told without a value', async () => {
    const { server, path, session } = await watched('broken.json');
    for (const broken of [
      '{',
      '',
      JSON.stringify({
        issuer: CANARY,
        tokens: [{ token: `${CANARY}-new`, token_id: CANARY, [`${CANARY}-member`]: 1 }],
      }),
      JSON.stringify({ ...ALICE_AND_BOB, tokens: [record(ALICE), record(ALICE)] }),
    ]) {
      const told = (await server.logs()).split('not usable').length;
      await write(path, broken);
      await within(async () => (await server.logs()).split('not usable').length > told, 'the broken edit');
      expect(await seen(server, '/readyz')).toEqual(STALE);
      expect(await statusOf(server, session)).toBe(200);
    }
    await write(path, ALICE_AND_BOB);
    await within(
      async () => JSON.stringify(await seen(server, '/readyz')) === JSON.stringify(READY),
      'the cure',
    );
    expect(await statusOf(server, session)).toBe(200);
    await expectNoLeak(server, session);
  });

  test('[T.anew] a file that is gone is a broken edit', async () => {
    const { server, path, session } = await watched('gone.json');
    await rm(path);
    await within(
      async () => JSON.stringify(await seen(server, '/readyz')) === JSON.stringify(STALE),
      'the loss',
    );
    expect(await statusOf(server, session)).toBe(200);
    await expectNoLeak(server, session);
  });
});
