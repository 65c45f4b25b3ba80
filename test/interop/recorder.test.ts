/** The recorder sees every secret of every client; none may stay in what it keeps. */
import { expect, test } from '@jest/globals';
import { startRecorded } from '../support/recorder.js';
import { ask, call, INITIALIZE, post } from '../support/requests.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

test('keeps no token, no session id and no query, however they are sent', async () => {
  const { recorder } = await startRecorded({ tokens: ALICE_AND_BOB });
  const proxy = { port: Number(recorder.url.port) };
  const session = `${CANARY}-session`;
  for (const credentials of [
    `Bearer ${CANARY}`,
    `bearer ${CANARY}, Bearer ${CANARY}`,
    `Basic ${CANARY}`,
    CANARY,
    `Bearer${CANARY}`,
    `Other ${CANARY}`,
  ]) {
    const headers = { authorization: credentials, 'mcp-session-id': session, Cookie: CANARY };
    await ask(proxy, post(proxy, call(1, 'ping'), { token: null, headers }));
  }
  await ask(proxy, post(proxy, call(1, 'ping'), { target: `/mcp?access_token=${CANARY}` }));
  await ask(proxy, post(proxy, INITIALIZE));
  expect(recorder.exchanges).toHaveLength(8);
  expect(recorder.exchanges.at(-1)).toMatchObject({ status: 200, path: '/mcp' });
  expect(JSON.stringify(recorder.exchanges)).not.toContain(CANARY);
});
