/** The protected resource metadata document: exact, public, and without ears for credentials. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectJson, withoutDate } from '../support/answers.js';
import { expectNoLeak, expectRefusal } from '../support/refusal.js';
import { ask, get, INITIALIZE, openReadySession, post, type RequestOverrides } from '../support/requests.js';
import { type TestServer, startServer } from '../support/server.js';
import { ALICE, ALICE_AND_BOB, CANARY, record, tokensOf } from '../support/tokens.js';

const ROOT = '/.well-known/oauth-protected-resource';
const PATHS = [ROOT, `${ROOT}/mcp`] as const;
const SCOPES = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read'];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
});

/** As any HTTP client asks: no Accept, no credentials. */
function asked(target: string, overrides: RequestOverrides = {}): string {
  const { headers, ...others } = overrides;
  return get(server, { token: null, target, headers: { Accept: undefined, ...headers }, ...others });
}

describe('the document', () => {
  test.each(PATHS)('[P.document] %s, member by member', async (path) => {
    expect(expectJson(await ask(server, asked(path)))).toEqual({
      resource: server.resource,
      authorization_servers: ['https://authorization-server.invalid'],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'nest-mcp-boundary',
    });
  });

  test('[P.document] both paths answer the same bytes, again and again', async () => {
    const texts = [];
    for (const path of [...PATHS, ...PATHS]) texts.push(withoutDate(await ask(server, asked(path))));
    expect(new Set(texts).size).toBe(1);
  });

  test('[P.document] [N.settings] settings that show in it', async () => {
    const other = await startServer({
      tokens: ALICE_AND_BOB,
      env: {
        MCP_AUTHORIZATION_SERVERS: 'https://as.example, https://as2.example/tenant,http://127.0.0.1:9000',
        MCP_RESOURCE_NAME: 'Handbücher "intern" 租户',
      },
    });
    expect(
      expectJson(await ask(other, get(other, { token: null, target: ROOT, headers: { Accept: '*/*' } }))),
    ).toEqual({
      resource: other.resource,
      authorization_servers: ['https://as.example', 'https://as2.example/tenant', 'http://127.0.0.1:9000'],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Handbücher "intern" 租户',
    });
  });

  test('[P.document] the resource is what a token must be bound to', async () => {
    const { resource } = expectJson(await ask(server, asked(ROOT))) as { resource: string };
    const bound = await startServer({ tokens: tokensOf(record(ALICE)), env: { MCP_PUBLIC_URL: resource } });
    await bound.setTokens(tokensOf(record(ALICE, { audience: resource, resource })));
    const text = post(bound, INITIALIZE);
    expect((await ask(bound, text)).status).toBe(200);
  });

  test('[P.document] a version header is not looked at', async () => {
    const headers = { 'MCP-Protocol-Version': '1999-01-01', 'MCP-Session-Id': 'x y' };
    expect((await ask(server, asked(ROOT, { headers }))).status).toBe(200);
  });
});

describe('credentials', () => {
  test.each([
    ['a good token', `Bearer ${ALICE}`],
    ['a bad token', `Bearer ${CANARY}-nobody`],
    ['Basic', `Basic ${Buffer.from(CANARY).toString('base64')}`],
    ['no scheme', CANARY],
    ['empty', ''],
  ])('[P.credentials] %s is refused without echo', async (_name, authorization) => {
    for (const path of PATHS) {
      const answer = await ask(server, asked(path, { headers: { Authorization: authorization } }));
      expectRefusal(answer, 400, 'metadata_does_not_accept_credentials');
      expect(answer.headers.has('www-authenticate')).toBe(false);
    }
    await expectNoLeak(server);
  });

  test('[P.credentials] they are refused before Accept is looked at', async () => {
    const headers = { Accept: 'text/html' };
    const answer = await ask(server, asked(ROOT, { token: ALICE, headers }));
    expectRefusal(answer, 400, 'metadata_does_not_accept_credentials');
    await expectNoLeak(server);
  });
});

describe('Accept', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/*',
    '*/*',
    'text/html, application/json;q=0.001',
    'text/html;q=0.9, */*;q=0.1',
    'application/json;q=0.5, */*;q=0',
    'application/json, text/event-stream',
  ])('[P.accept] %s', async (accept) => {
    for (const path of PATHS) {
      expect((await ask(server, asked(path, { headers: { Accept: accept } }))).status).toBe(200);
    }
  });

  test.each([
    'text/html',
    'text/event-stream',
    'application/json;q=0',
    'application/json;q=0, */*',
    '*/*;q=0',
    'application/*;q=0, */*',
    'application/xml',
    'text/*',
    'application',
    'application/json;q=2',
    '"application/json"',
  ])('[P.accept] %s is 406', async (accept) => {
    for (const path of PATHS) {
      const answer = await ask(server, asked(path, { headers: { Accept: accept } }));
      expectRefusal(answer, 406, 'not_acceptable');
    }
    await expectNoLeak(server);
  });
});

describe('the first gates', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '[P.gates] %s is 405 with Allow: GET',
    async (method) => {
      for (const path of [...PATHS, '/healthz', '/readyz']) {
        const answer = await ask(server, asked(path, { method }));
        expectRefusal(answer, 405, 'method_not_allowed', { allow: 'GET' });
      }
      await expectNoLeak(server);
    },
  );

  test('[P.gates] other Host, other Origin, query, another spelling of the path', async () => {
    for (const path of [...PATHS, '/healthz', '/readyz']) {
      const wrong = (overrides: RequestOverrides) => ask(server, asked(path, overrides));
      expectRefusal(await wrong({ headers: { Host: 'evil.example' } }), 403, 'invalid_host');
      expectRefusal(await wrong({ headers: { Origin: 'https://evil.example' } }), 403, 'invalid_origin');
      expectRefusal(await wrong({ headers: { Origin: 'null' } }), 403, 'invalid_origin');
      expectRefusal(await wrong({ target: `${path}?access_token=${ALICE}` }), 400, 'query_not_allowed');
      for (const other of [
        `${path}/`,
        path.toUpperCase(),
        `/${path}`,
        path.replace('z', '%7A').replace('o', '%6F'),
      ]) {
        expectRefusal(await wrong({ target: other }), 404, 'not_found');
      }
    }
    await expectNoLeak(server);
  });

  test('[P.gates] the own Origin and every own name pass', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const own = `${host}:${server.port}`;
      const answer = await ask(server, asked(ROOT, { headers: { Host: own, Origin: `http://${own}` } }));
      expect(answer.status).toBe(200);
      expect((await ask(server, asked('/healthz', { headers: { Host: own } }))).status).toBe(200);
    }
  });

  test.each(['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource/other', ''])(
    '[P.gates] /.well-known/%s is not there',
    async (name) => {
      expectRefusal(await ask(server, asked(`/.well-known/${name}`)), 404, 'not_found');
    },
  );
});

describe('MCP_PUBLIC_URL', () => {
  const PUBLIC = 'https://mcp.example/mcp';
  let behind: TestServer;
  beforeAll(async () => {
    behind = await startServer({ tokens: ALICE_AND_BOB, env: { MCP_PUBLIC_URL: PUBLIC } });
  });

  test('[P.document] [N.settings] is the resource, under the public name and the loopback ones', async () => {
    expect(behind.resource).toBe(PUBLIC);
    for (const host of ['mcp.example', 'mcp.example:443', 'MCP.Example', `127.0.0.1:${behind.port}`]) {
      for (const target of PATHS) {
        const answer = await ask(
          behind,
          get(behind, { token: null, target, headers: { Host: host, Accept: '*/*' } }),
        );
        expect(expectJson(answer)).toMatchObject({ resource: PUBLIC });
      }
    }
  });

  test('[N.settings] other hosts stay foreign', async () => {
    for (const host of ['mcp.example:80', `mcp.example:${behind.port}`, 'mcp.example.', 'x.mcp.example']) {
      const answer = await ask(behind, get(behind, { token: null, target: ROOT, headers: { Host: host } }));
      expectRefusal(answer, 403, 'invalid_host');
    }
    await expectNoLeak(behind);
  });

  test('[T.order] [N.settings] tokens are bound to the public URI, no longer to the loopback one', async () => {
    const headers = { Host: 'mcp.example' };
    await behind.setTokens(tokensOf(record(ALICE, { audience: PUBLIC, resource: PUBLIC })));
    const session = await openReadySession(behind);
    expect((await ask(behind, get(behind, { session, headers }))).status).toBe(200);
    await behind.setTokens(tokensOf(record(ALICE, { audience: `${behind.origin}/mcp` })));
    expectRefusal(await ask(behind, get(behind, { session, headers })), 401, 'invalid_token');
    await expectNoLeak(behind, session);
  });
});
