/**
 * Embedded and standalone give the same answers, one by one, for all that reaches the application: good requests
 * and refusals of gates 2 to 10, whatever the application around the boundary does globally.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type ExceptionFilter,
  type NestInterceptor,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { SseDecoder } from '../../src/protocol/sse-decoder.js';
import { type ForeignAppOptions, policyOf, startForeignApp } from '../support/foreign-app.js';
import { type RawAnswer, RawConnection } from '../support/raw-http.js';
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
  PROTOCOL_VERSION,
} from '../support/requests.js';
import { startServer } from '../support/server.js';
import { ALICE, BOB, record, tokensOf } from '../support/tokens.js';

interface Target {
  readonly port: number;
}

const NARROW = 'canary-token-narrow';
const OUTCAST = 'canary-token-outcast';
const TOKENS = {
  ...tokensOf(
    record(ALICE),
    record(BOB),
    record(NARROW, { scopes: ['mcp:connect', 'mcp:use'] }),
    record(OUTCAST),
  ),
  allowed_tenants: Object.fromEntries(
    [ALICE, BOB, NARROW].map((token) => [`canary-subject-of-${token}`, ['canary-tenant']]),
  ),
};

const META = '/.well-known/oauth-protected-resource';
const METADATA = { token: null, headers: { Accept: 'application/json' } };
const ready = openReadySession;

/** Each row makes its request for a server, maybe after a session of its own. */
const ROWS: ReadonlyArray<readonly [name: string, make: (to: Target) => string | Promise<string>]> = [
  ['initialize', (to) => post(to, INITIALIZE)],
  [
    'initialized',
    async (to) => post(to, notification('notifications/initialized'), { session: await openSession(to) }),
  ],
  ['ping', async (to) => post(to, call(7, 'ping'), { session: await ready(to) })],
  ['ping with params', async (to) => post(to, call('a', 'ping', { x: 1 }), { session: await ready(to) })],
  ['resources/list', async (to) => post(to, call('é', 'resources/list'), { session: await ready(to) })],
  ['an unknown method', async (to) => post(to, call(1, 'tools/list'), { session: await ready(to) })],
  ['GET', async (to) => get(to, { session: await ready(to) })],
  ['DELETE', async (to) => del(to, { session: await ready(to) })],
  ['metadata at the root', (to) => get(to, { ...METADATA, target: META })],
  ['metadata by insertion', (to) => get(to, { ...METADATA, target: `${META}/mcp` })],
  // 2
  ['2: a long path', (to) => get(to, { target: `/mcp?${'x'.repeat(3000)}` })],
  [
    '2: many fields',
    (to) => post(to, INITIALIZE, { lines: Array.from({ length: 30 }, (_, i) => `X-${i}: 1`) }),
  ],
  ['2: a long value', (to) => post(to, INITIALIZE, { headers: { 'X-Long': 'x'.repeat(3000) } })],
  ['2: a query', (to) => get(to, { target: '/mcp?access_token=x' })],
  ['2: two tokens', (to) => post(to, INITIALIZE, { headers: { Authorization: ['Bearer a', 'Bearer b'] } })],
  // 3, 4
  ['3: another host', (to) => post(to, INITIALIZE, { headers: { Host: 'evil.example' } })],
  [
    '3: metadata, another host',
    (to) => get(to, { ...METADATA, target: META, headers: { Host: 'evil.example' } }),
  ],
  ['4: another origin', (to) => post(to, INITIALIZE, { headers: { Origin: 'https://evil.example' } })],
  // 5
  ['5: PUT', (to) => post(to, INITIALIZE, { method: 'PUT' })],
  ['5: PATCH', (to) => post(to, INITIALIZE, { method: 'PATCH' })],
  ['5: OPTIONS', (to) => get(to, { method: 'OPTIONS' })],
  ['5: a slash at the end', (to) => post(to, INITIALIZE, { target: '/mcp/' })],
  ['5: another case', (to) => post(to, INITIALIZE, { target: '/MCP' })],
  ['5: POST on metadata', (to) => post(to, INITIALIZE, { target: META })],
  // 6
  ['6: Accept JSON only', (to) => post(to, INITIALIZE, { headers: { Accept: 'application/json' } })],
  ['6: GET Accept JSON', (to) => get(to, { headers: { Accept: 'application/json' } })],
  ['6: text/plain', (to) => post(to, INITIALIZE, { headers: { 'Content-Type': 'text/plain' } })],
  // 7
  ['7: no length', (to) => post(to, '', { headers: { 'Content-Length': undefined } })],
  ['7: empty', (to) => post(to, '')],
  [
    '7: chunked',
    (to) =>
      post(to, '5\r\nhello\r\n0\r\n\r\n', {
        headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
      }),
  ],
  ['7: too large', (to) => post(to, 'x'.repeat(20_000))],
  ['7: no UTF-8', (to) => post(to, Buffer.from([0x22, 0xff, 0x22]))],
  ['7: no JSON', (to) => post(to, '{"a":1,}')],
  ['7: a duplicate key', (to) => post(to, '{"a":1,"a":1}')],
  ['7: too deep', (to) => post(to, '['.repeat(100) + ']'.repeat(100))],
  ['7: a batch', (to) => post(to, [INITIALIZE])],
  // 8
  ['8: no token', (to) => post(to, INITIALIZE, { token: null })],
  ['8: another scheme', (to) => post(to, INITIALIZE, { headers: { Authorization: 'Basic YTpi' } })],
  ['8: an unknown token', (to) => post(to, INITIALIZE, { token: 'unknown' })],
  ['8: a foreign tenant', (to) => post(to, INITIALIZE, { token: OUTCAST })],
  ['8: no base scope', async (to) => get(to, { token: NARROW, session: await ready(to, NARROW) })],
  // 9
  ['9: initialize in a session', (to) => post(to, INITIALIZE, { session: 'x' })],
  ['9: no version', (to) => post(to, call(1, 'ping'), { headers: { 'MCP-Session-Id': 'x' } })],
  [
    '9: another version',
    (to) => post(to, call(1, 'ping'), { session: 'x', headers: { 'MCP-Protocol-Version': '2026-07-28' } }),
  ],
  [
    '9: no session',
    (to) => post(to, call(1, 'ping'), { headers: { 'MCP-Protocol-Version': PROTOCOL_VERSION } }),
  ],
  ['9: an unknown session', (to) => post(to, call(1, 'ping'), { session: 'x' })],
  ["9: another's session", async (to) => post(to, call(1, 'ping'), { token: BOB, session: await ready(to) })],
  ['9: too early', async (to) => post(to, call(1, 'ping'), { session: await openSession(to) })],
  // 10, 11
  [
    '10: no method scope',
    async (to) => post(to, call(1, 'resources/list'), { token: NARROW, session: await ready(to, NARROW) }),
  ],
  [
    '11: no such event',
    async (to) => get(to, { session: await ready(to), headers: { 'Last-Event-ID': 'x' } }),
  ],
  ['11: wrong initialize', (to) => post(to, call(1, 'initialize'))],
  [
    '11: an unknown notification',
    async (to) => post(to, notification('notifications/x'), { session: await ready(to) }),
  ],
  ['metadata with credentials', (to) => get(to, { target: META, headers: { Accept: 'application/json' } })],
  ['metadata as text', (to) => get(to, { target: META, token: null, headers: { Accept: 'text/plain' } })],
];

class WrapInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

class SlowInterceptor implements NestInterceptor {
  async intercept(_context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    await new Promise((resolve) => setImmediate(resolve));
    return next.handle();
  }
}

/** Uses what Express gives to a request, as guards of real applications do. */
class LookingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ get(name: string): string; originalUrl: string }>();
    const response = context.switchToHttp().getResponse<{ header(name: string, value: string): void }>();
    response.header('X-Seen-By', 'guard');
    return request.get('host') !== '' && request.originalUrl.startsWith('/');
  }
}

class TeapotFilter implements ExceptionFilter {
  catch(_exception: unknown, host: Parameters<ExceptionFilter['catch']>[1]): void {
    host
      .switchToHttp()
      .getResponse<{ status(code: number): { json(body: object): void } }>()
      .status(418)
      .json({});
  }
}

const helmetLike = (
  _request: unknown,
  response: { setHeader(name: string, value: string): void },
  next: () => void,
) => {
  response.setHeader('Strict-Transport-Security', 'max-age=1');
  response.setHeader('ETag', '"1"');
  response.setHeader('Cache-Control', 'public, max-age=9');
  response.setHeader('Server', 'team');
  next();
};

const SETTINGS = { maxSessions: 1000 };
const APPLICATIONS: ReadonlyArray<
  readonly [name: string, options: ForeignAppOptions, extra: readonly string[]]
> = [
  ['on Nest’s Express adapter, without a body parser', { bodyParser: false }, []],
  ['on the BoundaryExpressAdapter, with a body parser', { adapter: 'boundary' }, []],
  [
    'with prefix, version, middleware, guard, interceptors, pipe and filter, on Express',
    {
      bodyParser: false,
      setUp: (app) => {
        app.use(helmetLike);
        app.setGlobalPrefix('v9', { exclude: ['health'] });
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '3' });
        app.useGlobalGuards(new LookingGuard());
        app.useGlobalInterceptors(new WrapInterceptor(), new SlowInterceptor());
        app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
        app.useGlobalFilters(new TeapotFilter());
      },
    },
    ['strict-transport-security', 'x-seen-by'],
  ],
  [
    'with all that on the BoundaryExpressAdapter',
    {
      adapter: 'boundary',
      setUp: (app) => {
        app.use(helmetLike);
        app.setGlobalPrefix('v9');
        app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version', defaultVersion: '3' });
        app.useGlobalGuards(new LookingGuard());
        app.useGlobalInterceptors(new WrapInterceptor());
        app.useGlobalFilters(new TeapotFilter());
      },
    },
    ['strict-transport-security', 'x-seen-by'],
  ],
];

/** What must be equal: all but the clock, random ids and the port. */
function comparable(answer: RawAnswer, port: number, without: readonly string[]): object {
  const headers = new Map(answer.headers);
  for (const name of ['date', ...without]) headers.delete(name);
  if (headers.has('mcp-session-id')) headers.set('mcp-session-id', 'some');
  const isStream = headers.get('content-type') === 'text/event-stream';
  if (isStream) headers.delete('content-length');
  const local = (text: string): string => text.replaceAll(`127.0.0.1:${port}`, 'HERE');
  return {
    status: answer.status,
    headers: Object.fromEntries([...headers].map(([name, value]) => [name, local(value)])),
    body: isStream ? eventsOf(answer.body) : local(answer.body),
  };
}

function eventsOf(body: string): object[] {
  const decoder = new SseDecoder({ maxEventBytes: 65_536 });
  return decoder.push(Buffer.from(body)).map(({ type, id, retry, data }) => {
    return { type, id: id?.replace(/-.*-/, '-'), retry, data };
  });
}

describe.each(APPLICATIONS)('a foreign application %s', (_name, options, extra) => {
  let standalone: Target;
  let embedded: Target;

  beforeAll(async () => {
    standalone = await startServer({ tokens: TOKENS, env: { MCP_MAX_SESSIONS: '1000' } });
    const boundary = { tokenPolicy: policyOf(TOKENS), settings: SETTINGS };
    embedded = await startForeignApp({ ...options, boundary });
  });

  test.each(ROWS)('answers like the standalone server: %s', async (_row, make) => {
    const [here, there] = [
      await ask(standalone, await make(standalone)),
      await ask(embedded, await make(embedded)),
    ];
    expect(comparable(there, embedded.port, extra)).toEqual(comparable(here, standalone.port, []));
    expect(there.headers.has('x-powered-by')).toBe(false);
    expect(there.headers.has('etag')).toBe(false);
  });

  test.each(['/mcp', META, `${META}/mcp`])(
    'answers HEAD on %s like the standalone server',
    async (target) => {
      const [here, there] = [await headOnly(standalone, target), await headOnly(embedded, target)];
      expect(here).toMatch(/^HTTP\/1\.1 405 /);
      expect(linesOf(there, extra)).toEqual(linesOf(here, []));
    },
  );
});

function linesOf(text: string, without: readonly string[]): string[] {
  const lines = text.split('\r\n');
  return lines.filter((line) => !without.some((name) => line.toLowerCase().startsWith(name))).toSorted();
}

/** An answer to HEAD: headers only. */
async function headOnly(to: Target, target: string): Promise<string> {
  const connection = await RawConnection.open(to.port);
  connection.send(get(to, { method: 'HEAD', target }));
  await connection.closed();
  connection.destroy();
  return connection.rest.replace(/^Date: .*\r\n/m, '');
}
