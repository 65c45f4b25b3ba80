/** Gates 3 and 4: whose name the request uses, and which page sent it. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, get, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB } from '../support/tokens.js';

let server: TestServer;
let session: string;
let configured: TestServer;
let configuredSession: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
  configured = await startServer({
    tokens: ALICE_AND_BOB,
    env: {
      MCP_PUBLIC_URL: 'https://mcp.example/mcp',
      MCP_ALLOWED_ORIGINS: 'https://app.example,http://dev.example:8080',
    },
  });
  configuredSession = await openReadySession(configured);
});
afterEach(async () => {
  await expectNoLeak(server, session);
  await expectNoLeak(configured, configuredSession);
});

/** `PORT` stands for the server's own, `OTHER` for another one. */
const at = (target: TestServer, value: string): string =>
  value.replace('PORT', String(target.port)).replace('OTHER', String(target.port === 9 ? 10 : 9));

const ping = (target: TestServer, headers: Record<string, string>): string =>
  post(target, call(1, 'ping'), {
    session: target === server ? session : configuredSession,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, at(target, value)])),
  });

async function expectServed(target: TestServer, headers: Record<string, string>): Promise<void> {
  expect((await ask(target, ping(target, headers))).status).toBe(200);
}

test.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', 'LocalHost:PORT', '[::1]:PORT'])(
  '[G3.host] %s is ours',
  async (host) => {
    await expectServed(server, { Host: host });
  },
);

test.each([
  '127.0.0.1',
  'localhost',
  '127.0.0.1:OTHER',
  'localhost:OTHER',
  'localhost.:PORT',
  '127.0.0.1.:PORT',
  '127.0.0.2:PORT',
  '127.1:PORT',
  '2130706433:PORT',
  '0x7f000001:PORT',
  '0.0.0.0:PORT',
  '[::]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '[0:0:0:0:0:0:0:1]:PORT',
  '::1:PORT',
  'localhost:0PORT',
  'localhost:PORT0',
  'localhost:PORT/',
  'localhost:PORT,evil.example',
  'localhost :PORT',
  'evil.example',
  'evil.example:PORT',
  'localhost.evil.example:PORT',
  'evil-localhost:PORT',
  'user@localhost:PORT',
  'http://localhost:PORT',
  'mcp.example',
  ':PORT',
  '*',
])('[G3.host] %s is not ours', async (host) => {
  await expectRefused(server, ping(server, { Host: host }), 403, 'invalid_host');
});

test.each(['mcp.example', 'MCP.Example', 'mcp.example:443', 'localhost:PORT'])(
  '[G3.host] %s is ours with a public URL of that host',
  async (host) => {
    await expectServed(configured, { Host: host });
  },
);

test.each([
  'mcp.example:80',
  'mcp.example:PORT',
  'mcp.example.',
  'www.mcp.example',
  'example',
  'app.example',
])('[G3.host] %s is not ours with a public URL of another host', async (host) => {
  await expectRefused(configured, ping(configured, { Host: host }), 403, 'invalid_host');
});

test('[G4.origin] no Origin is no browser and goes on', async () => {
  await expectServed(server, {});
});

test.each(['http://127.0.0.1:PORT', 'http://localhost:PORT', 'http://[::1]:PORT'])(
  '[G4.origin] %s is our own',
  async (origin) => {
    await expectServed(server, { Origin: origin });
  },
);

test.each([
  '',
  'null',
  'NULL',
  '*',
  'http://127.0.0.1',
  'http://localhost',
  'http://localhost:OTHER',
  'http://localhost:PORT/',
  'http://localhost:PORT/mcp',
  'http://LOCALHOST:PORT',
  'HTTP://localhost:PORT',
  'https://localhost:PORT',
  'http://localhost.:PORT',
  'http://localhost:PORT http://localhost:PORT',
  'http://localhost:PORT, http://localhost:PORT',
  'localhost:PORT',
  '//localhost:PORT',
  'http://user@localhost:PORT',
  'http://localhost.evil.example:PORT',
  'https://evil.example',
  'https://app.example',
  'file://',
  'chrome-extension://abcdef',
])('[G4.origin] %j is refused without a challenge', async (origin) => {
  await expectRefused(server, ping(server, { Origin: origin }), 403, 'invalid_origin');
});

test('[G4.origin] an Origin is refused for GET, DELETE and the public paths alike', async () => {
  const headers = { Origin: 'https://evil.example', Accept: '*/*' };
  for (const target of [
    '/mcp',
    '/healthz',
    '/.well-known/oauth-protected-resource/mcp',
    '/nowhere',
    '/',
    '/%zz',
    '*',
  ]) {
    await expectRefused(server, get(server, { target, headers, token: null }), 403, 'invalid_origin');
  }
});

test.each(['https://app.example', 'http://dev.example:8080', 'http://localhost:PORT'])(
  '[G4.origin] %s is allowed where it is configured',
  async (origin) => {
    const answer = await ask(configured, ping(configured, { Origin: origin }));
    expect(answer.status).toBe(200);
    // An allowed origin opens no browser: this is no CORS.
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  },
);

test.each([
  'https://APP.example',
  'https://app.example/',
  'https://app.example:443',
  'http://app.example',
  'https://app.example.',
  'https://sub.app.example',
  'http://dev.example',
  'http://dev.example:8081',
  'https://mcp.example',
])('[G4.origin] %s is not the configured one', async (origin) => {
  await expectRefused(configured, ping(configured, { Origin: origin }), 403, 'invalid_origin');
});
