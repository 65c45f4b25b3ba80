/** The application of examples/own-app over real HTTP, started both ways, and what README.md says of it. */
import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { bootstrap } from '../../examples/own-app/main.js';
import { bootstrapPlain } from '../../examples/own-app/main-plain.js';
import { UserDatabase } from '../../examples/own-app/user-database.js';
import { BOTH_TYPES, call, INITIALIZE, notification, PROTOCOL_VERSION } from '../support/requests.js';

const EXAMPLE = new URL('../../examples/own-app/', import.meta.url);
const SCOPES = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read'];

Logger.overrideLogger(false);

describe.each([
  ['bootstrap', bootstrap],
  ['bootstrapPlain', bootstrapPlain],
])('own-app by %s', (_name, start) => {
  let app: INestApplication;
  let server: Server;
  let token: string;

  beforeAll(async () => {
    app = await start(0);
    server = app.getHttpServer() as Server;
    const resource = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/mcp`;
    token = app.get(UserDatabase, { strict: false }).issueToken('ada', resource, SCOPES);
  });

  afterAll(() => app.close());

  const mcp = (message: object, session?: string, bearer = token): request.Test => {
    const sent = request(server).post('/api/mcp').set('Accept', BOTH_TYPES).auth(bearer, { type: 'bearer' });
    if (session !== undefined) {
      void sent.set('MCP-Session-Id', session).set('MCP-Protocol-Version', PROTOCOL_VERSION);
    }
    return sent.send(message);
  };

  async function open(): Promise<string> {
    const opened = await mcp(INITIALIZE);
    expect(opened.status).toBe(200);
    const session = opened.headers['mcp-session-id'] as string;
    expect((await mcp(notification('notifications/initialized'), session)).status).toBe(202);
    return session;
  }

  test('its own routes take JSON as ever', async () => {
    const added = await request(server).post('/cats').send({ name: 'tom' });
    expect({ status: added.status, body: added.body as object }).toEqual({
      status: 201,
      body: { cats: ['tom'] },
    });
    expect((await request(server).get('/cats')).body).toEqual({ cats: ['tom'] });
  });

  test('its methods answer: one in JSON, one as an event', async () => {
    const session = await open();
    const read = await mcp(call(1, 'resources/read', { uri: 'notes://first' }), session);
    expect(read.headers['content-type']).toBe('application/json');
    expect(read.body).toMatchObject({
      result: { contents: [{ uri: 'notes://first', text: 'Cards, not gears.' }] },
    });
    const list = await mcp(call(2, 'resources/list'), session);
    expect(list.headers['content-type']).toBe('text/event-stream');
    expect(list.text).toContain('{"uri":"notes://first","name":"first","mimeType":"text/plain"}');
    const none = await mcp(call(3, 'resources/read', { uri: 'notes://second' }), session);
    expect(none.body).toMatchObject({ id: 3, error: { code: -32002, message: 'Resource not found' } });
  });

  test('its policy decides: unknown tokens, and tokens for another resource, are refused', async () => {
    const elsewhere = app
      .get(UserDatabase, { strict: false })
      .issueToken('ada', 'https://else.example/mcp', SCOPES);
    for (const bearer of ['unknown', elsewhere]) {
      const refused = await mcp(INITIALIZE, undefined, bearer);
      expect({ status: refused.status, body: refused.body as object }).toEqual({
        status: 401,
        body: { error: 'invalid_token' },
      });
      expect(refused.headers['www-authenticate']).toContain('/.well-known/oauth-protected-resource/api/mcp');
    }
  });

  test('its metadata bears its name', async () => {
    const answer = await request(server).get('/.well-known/oauth-protected-resource/api/mcp');
    expect(answer.body).toMatchObject({ resource_name: 'Notes', scopes_supported: SCOPES });
  });
});

/** Every name that the example takes from the package. */
function ours(): Set<string> {
  const names = new Set<string>();
  for (const text of sources().values()) {
    for (const [, list = ''] of text.matchAll(/import \{([^}]*)\} from 'nest-mcp-boundary'/g)) {
      for (const name of list.split(',')) names.add(name.replace('type', '').trim());
    }
  }
  return names;
}

function sources(): Map<string, string> {
  const names = readdirSync(EXAMPLE).filter((name) => name.endsWith('.ts'));
  return new Map(names.map((name) => [name, readFileSync(new URL(name, EXAMPLE), 'utf8')]));
}

test('at most 15 lines of the example say anything of the package, imports aside', () => {
  const words = [...ours()];
  expect(words.length).toBeGreaterThan(5);
  const about = [...sources().values()]
    .flatMap((text) => text.split('\n'))
    .filter(
      (line) => !line.startsWith('import ') && words.some((word) => new RegExp(`\\b${word}\\b`).test(line)),
    );
  expect(about.length).toBeLessThanOrEqual(15);
});

/** Lines as they are; how far they are indented depends on what stands around them. */
const linesOf = (text: string | undefined): string => (text ?? '').replace(/^ +/gm, '').trim();

test('every TypeScript snippet of the README is part of the example, word for word', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const snippets = [...readme.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)];
  expect(snippets.length).toBeGreaterThanOrEqual(4);
  expect(readme.match(/```ts/g)).toHaveLength(snippets.length);
  for (const [, name = '', snippet = ''] of snippets) {
    expect([name, linesOf(sources().get(name))]).toEqual([name, expect.stringContaining(linesOf(snippet))]);
  }
});
