/**
 * What Nest's own Express adapter does where the boundary has no say, row by row of the table in README: the limits of
 * embedding without our HTTP server, as they are and not as somebody remembers them.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import { policyOf, startForeignApp } from '../support/foreign-app.js';
import { RawConnection } from '../support/raw-http.js';
import { ask, call, del, get, INITIALIZE, openReadySession, post } from '../support/requests.js';
import { CANARY } from '../support/tokens.js';

let app: INestApplication<Server>;
let server: { port: number };

beforeAll(async () => {
  const started = await startForeignApp({
    adapter: 'express',
    bodyParser: false,
    boundary: { tokenPolicy: policyOf(), settings: { maxConnections: 1, maxSessions: 100 } },
  });
  ({ app } = started);
  server = { port: started.port };
});

describe('by Node itself, in its own words and without a code', () => {
  test.each([
    ['a head over 16 KiB', 431, () => get(server, { headers: { 'X-Long': 'x'.repeat(17_000) } })],
    ['no Host', 400, () => get(server, { headers: { Host: undefined } })],
    ['bytes that are no header', 400, () => 'GET /mcp HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n'],
    ['an unknown Expect', 417, () => get(server, { headers: { Expect: 'x' } })],
    ['two lengths', 400, () => post(server, INITIALIZE, { headers: { 'Content-Length': ['10', '11'] } })],
  ])('%s', async (_name, status, bytes) => {
    const answer = await ask(server, bytes());
    expect(answer.status).toBe(status);
    expect(answer.body).toBe('');
    expect(answer.text).not.toContain(CANARY);
  });

  test('100 Continue at once, before any gate', async () => {
    const refused = post(server, INITIALIZE, { token: null, headers: { Expect: '100-continue' } });
    const first = await ask(server, refused.slice(0, refused.indexOf('\r\n\r\n') + 4));
    expect(first.status).toBe(100);
  });

  test('CONNECT is closed without an answer', async () => {
    const connection = await RawConnection.open(server.port);
    connection.send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await connection.closed()).toBe(true);
  });
});

test.each(['*', '/mcp/%zz'])('the target %s gets the answer of the application', async (target) => {
  const answer = await ask(server, get(server, { method: 'OPTIONS', target }));
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.body).not.toContain('"error":"not_found"');
});

test('more connections than the setting are served', async () => {
  const connections = await Promise.all(Array.from({ length: 80 }, () => RawConnection.open(server.port)));
  for (const connection of connections) {
    connection.send('GET /cats HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.answer()).status).toBe(200);
  }
  for (const connection of connections) connection.destroy();
});

test('what was sent ahead runs, also behind a refusal', async () => {
  const session = await openReadySession(server);
  const refused = get(server, { session, headers: { Origin: 'https://evil.example' } });
  const first = await ask(server, refused + del(server, { session }));
  expect(first.status).toBe(403);
  const ping = await ask(server, post(server, call(1, 'ping'), { session }));
  expect(ping.body).toBe('{"error":"session_not_found"}');
});

test('a head may take 60 s, looked at every 30 s', () => {
  const { headersTimeout, connectionsCheckingInterval } = app.getHttpServer() as Server & {
    connectionsCheckingInterval?: number;
  };
  expect({ headersTimeout, connectionsCheckingInterval }).toEqual({
    headersTimeout: 60_000,
    connectionsCheckingInterval: 30_000,
  });
});
