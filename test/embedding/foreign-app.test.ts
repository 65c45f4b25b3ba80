/** What an application keeps when it imports the boundary, what it can give to it, and what is refused at start. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Injectable,
  Logger,
  Module,
  Scope,
  SetMetadata,
  UnauthorizedException,
} from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import {
  BoundaryExpressAdapter,
  BoundaryModule,
  type BoundaryOptions,
  Clock,
  createBoundaryHttpServer,
  Endpoint,
  InMemorySessionStore,
  type JsonObject,
  type PublicCode,
  McpMethod,
  type MethodContext,
  SessionService,
  settingsFrom,
  SystemClock,
  TenantDirectory,
  TokenPolicy,
  type TokenVerdict,
} from 'nest-mcp-boundary';
import type { RequestListener, Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import request from 'supertest';
import { jsonRpcOf, jsonRpcOfEvent, streamedEvents } from '../support/answers.js';
import { createForeignApp, LARGE, policyOf, startForeignApp } from '../support/foreign-app.js';
import { RawConnection } from '../support/raw-http.js';
import { expectRefusal } from '../support/refusal.js';
import { ask, call, get, INITIALIZE, openReadySession, post } from '../support/requests.js';
import { ALICE, BOB } from '../support/tokens.js';

const ADAPTERS = ['express', 'boundary'] as const;
const META = '/.well-known/oauth-protected-resource';

describe.each(ADAPTERS)('the routes of the application, on the adapter %s', (adapter) => {
  test('keep their body parser, their 404, their error answers and their headers', async () => {
    const { app } = await startForeignApp({ adapter });
    const server = request(app.getHttpServer());
    const cats = await server.get('/cats');
    expect({ status: cats.status, body: cats.body as object }).toEqual({
      status: 200,
      body: { cats: ['tom'] },
    });
    expect(cats.headers).toMatchObject({ 'x-powered-by': 'Express', etag: expect.any(String) });
    const echo = await server.post('/cats').send({ a: [1] });
    expect({ status: echo.status, body: echo.body as object }).toEqual({
      status: 201,
      body: { body: { a: [1] } },
    });
    expect((await server.post('/cats').set('Content-Type', 'application/json').send('{')).status).toBe(400);
    expect((await server.get('/cats/broken')).body).toEqual({
      statusCode: 500,
      message: 'Internal server error',
    });
    expect((await server.get('/dogs')).body).toMatchObject({ statusCode: 404, message: 'Cannot GET /dogs' });
    expect(
      (await server.get('/cats?q=1').set('Host', 'any.example').set('Origin', 'https://any.example')).status,
    ).toBe(200);
  });

  test('keep guards and filters of their own, which see none of our refusals', async () => {
    const seen: string[] = [];
    const { app, port } = await startForeignApp({
      adapter,
      bodyParser: false,
      setUp: (it) => {
        it.useGlobalFilters({
          catch: (error: unknown, host) => {
            seen.push(String(error));
            const response = host
              .switchToHttp()
              .getResponse<{ status(code: number): { json(body: object): void } }>();
            response.status(418).json({ teapot: true });
          },
        });
      },
    });
    expectRefusal(await ask({ port }, post({ port }, '{')), 400, 'invalid_json');
    expect(seen).toEqual([]);
    const broken = await request(app.getHttpServer()).get('/cats/broken');
    expect({ status: broken.status, body: broken.body as object }).toEqual({
      status: 418,
      body: { teapot: true },
    });
  });

  test.each(['/cats/large', '/cats/stream'])('take their time for a slow reader: %s', async (path) => {
    const { port } = await startForeignApp({ adapter, boundary: { settings: { writeTimeoutMs: 100 } } });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'readable');
    await new Promise((resolve) => setTimeout(resolve, 400));
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(LARGE);
  });

  test('get 100 Continue', async () => {
    const { port } = await startForeignApp({ adapter });
    const connection = await RawConnection.open(port);
    connection.send(
      'POST /cats HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
    );
    expect((await connection.answer()).status).toBe(100);
    connection.send('{}');
    expect((await connection.answer()).status).toBe(201);
    connection.destroy();
  });
});

describe('on our adapter', () => {
  test('more requests ahead than may wait: the last one that is served says so', async () => {
    const { port } = await startForeignApp({ adapter: 'boundary' });
    const connection = await RawConnection.open(port);
    connection.send('GET /cats HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40));
    const answers = [];
    do answers.push(await connection.answer());
    while (answers.at(-1)?.headers.get('connection') !== 'close');
    expect(answers.length).toBeGreaterThan(16);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await connection.closed()).toBe(true);
  });

  test('a stop refuses new requests to the endpoint', async () => {
    let reached: (() => void) | undefined;
    let goOn: (() => void) | undefined;
    const stopping = new Promise<void>((resolve) => (reached = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    class SlowToStop {
      async beforeApplicationShutdown(): Promise<void> {
        reached?.();
        await held;
      }
    }
    const { app, port } = await startForeignApp({ adapter: 'boundary', providers: [SlowToStop] });
    const closed = app.close();
    await stopping;
    expectRefusal(await ask({ port }, post({ port }, INITIALIZE)), 503, 'overloaded');
    expect((await request(app.getHttpServer()).get('/cats')).status).toBe(200);
    goOn?.();
    await closed;
  });
});

type Reader = (incoming: NodeJS.ReadableStream, next: () => void) => void;
const whole: Reader = (incoming, next) => void incoming.on('end', next).resume();
const begun: Reader = (incoming, next) => void incoming.once('data', next);

describe('a body that somebody has read before', () => {
  const errors: unknown[] = [];
  beforeEach(() => {
    errors.splice(0);
    jest.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => void errors.push(message));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('is refused at once with 500, and the log says once what to do', async () => {
    const { port } = await startForeignApp({ bodyParser: true });
    for (let i = 0; i < 3; i++) {
      expectRefusal(await ask({ port }, post({ port }, INITIALIZE), 1500), 500, 'body_already_consumed');
    }
    expect(errors).toEqual([{ msg: expect.stringMatching(/BoundaryExpressAdapter\(\).*bodyParser: false/) }]);
  });

  test('is noticed when it is read but not parsed, and while it is still being read', async () => {
    for (const read of [whole, begun]) {
      const { port } = await startForeignApp({
        bodyParser: false,
        setUp: (app) => {
          app.use((incoming: NodeJS.ReadableStream, _response: unknown, next: () => void) => {
            read(incoming, () => next());
          });
        },
      });
      expectRefusal(await ask({ port }, post({ port }, INITIALIZE), 1500), 500, 'body_already_consumed');
    }
  });

  test('does not happen on the BoundaryExpressAdapter', async () => {
    const { port } = await startForeignApp({ adapter: 'boundary', bodyParser: true });
    expect((await ask({ port }, post({ port }, INITIALIZE))).status).toBe(200);
  });
});

const Public = (): ClassDecorator => SetMetadata('public', true);

/** A login of the application: everything is closed that is not declared public. */
class LoginGuard implements CanActivate {
  constructor(private readonly refusal: () => unknown) {}
  canActivate(context: ExecutionContext): boolean {
    if (new Reflector().get<boolean | undefined>('public', context.getClass())) return true;
    const refusal = this.refusal();
    if (refusal === false) return false;
    throw refusal;
  }
}

const REFUSALS: ReadonlyArray<
  readonly [name: string, refuse: () => unknown, status: number, code: PublicCode]
> = [
  ['UnauthorizedException', () => new UnauthorizedException('log in'), 403, 'forbidden'],
  ['ForbiddenException', () => new ForbiddenException(), 403, 'forbidden'],
  ['false', () => false as const, 403, 'forbidden'],
  ['429', () => new HttpException('slow down', 429), 503, 'overloaded'],
  ['a fault', () => new Error('secret'), 500, 'internal_error'],
];

describe('a global guard of the application', () => {
  test.each(REFUSALS)(
    'runs first, as everywhere in Nest; its %s is told in public codes',
    async (_name, refuse, status, code) => {
      const { port } = await startForeignApp({
        bodyParser: false,
        setUp: (app) => app.useGlobalGuards(new LoginGuard(refuse)),
      });
      expectRefusal(await ask({ port }, post({ port }, INITIALIZE)), status, code);
    },
  );

  test.each(ADAPTERS)(
    'lets the boundary pass by the decorators it knows, on the adapter %s',
    async (adapter) => {
      const { app, port } = await startForeignApp({
        adapter,
        bodyParser: false,
        boundary: { decorators: [Public()] },
        setUp: (it) => it.useGlobalGuards(new LoginGuard(() => new UnauthorizedException())),
      });
      const session = await openReadySession({ port });
      expect((await ask({ port }, post({ port }, call(1, 'ping'), { session }))).status).toBe(200);
      expect(
        (await ask({ port }, get({ port }, { token: null, target: META, headers: { Accept: '*/*' } })))
          .status,
      ).toBe(200);
      expect((await request(app.getHttpServer()).get('/cats')).status).toBe(401);
    },
  );
});

/** What the cache of @nestjs/cache-manager does: one answer for all who ask for the same path. */
class CacheInterceptor {
  readonly #cached: unknown[] = [];
  async intercept(
    context: ExecutionContext,
    next: { handle(): import('rxjs').Observable<unknown> },
  ): Promise<import('rxjs').Observable<unknown>> {
    const { of, tap } = await import('rxjs');
    if (context.switchToHttp().getRequest<{ method: string }>().method !== 'GET') return next.handle();
    const [cached] = this.#cached;
    return cached === undefined ? next.handle().pipe(tap((value) => this.#cached.push(value))) : of(cached);
  }
}

test.each(ADAPTERS)(
  'a global cache never gives the events of one session to another, adapter %s',
  async (adapter) => {
    const { port, app } = await startForeignApp({
      adapter,
      bodyParser: false,
      setUp: (it) => it.useGlobalInterceptors(new CacheInterceptor()),
    });
    const [first, second] = [await openReadySession({ port }, ALICE), await openReadySession({ port }, BOB)];
    await app.get(SessionService, { strict: false }).notify(first, 'notifications/message', { secret: 1 });
    const toFirst = streamedEvents(await ask({ port }, get({ port }, { session: first, token: ALICE })));
    const toSecond = streamedEvents(await ask({ port }, get({ port }, { session: second, token: BOB })));
    expect(toFirst.map(({ data }) => (JSON.parse(data ?? '') as { method: string }).method)).toEqual([
      'notifications/resources/list_changed',
      'notifications/message',
    ]);
    expect(toSecond).toHaveLength(1);
    expect(toSecond[0]?.data).not.toContain('secret');
    expect(toSecond[0]?.id).not.toBe(toFirst[0]?.id);
  },
);

describe('the path', () => {
  test.each(ADAPTERS)('is an option, and the metadata follows it, adapter %s', async (adapter) => {
    const { port } = await startForeignApp({ adapter, bodyParser: false, boundary: { path: '/api/v1/mcp' } });
    const resource = `http://127.0.0.1:${port}/api/v1/mcp`;
    for (const target of [META, `${META}/api/v1/mcp`]) {
      const answer = await ask(
        { port },
        get({ port }, { token: null, target, headers: { Accept: 'application/json' } }),
      );
      expect(JSON.parse(answer.body)).toMatchObject({ resource });
    }
    const refused = await ask({ port }, post({ port }, INITIALIZE, { token: null, target: '/api/v1/mcp' }));
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="http://127.0.0.1:${port}${META}/api/v1/mcp"`,
    );
    expect((await ask({ port }, post({ port }, INITIALIZE, { target: '/api/v1/mcp' }))).status).toBe(200);
    for (const target of ['/mcp', `${META}/mcp`]) {
      expect((await ask({ port }, get({ port }, { target }))).headers.get('x-powered-by')).toBe('Express');
    }
  });
});

describe('the address', () => {
  test('is known however the server is made to listen', async () => {
    const app = await createForeignApp({ bodyParser: false });
    await app.init();
    const server = app.getHttpServer();
    for (let i = 0; i < 2; i++) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      expect((await ask({ port }, post({ port }, INITIALIZE))).status).toBe(200);
      expect(app.get(Endpoint).resource).toBe(`http://127.0.0.1:${port}/mcp`);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('is told by who serves the application with a server of its own', async () => {
    const app = await createForeignApp({ bodyParser: false });
    await app.init();
    const server: Server = createBoundaryHttpServer(
      settingsFrom(),
      app.getHttpAdapter().getInstance() as RequestListener,
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    app.get(Endpoint).bind(port);
    expect((await ask({ port }, post({ port }, INITIALIZE))).status).toBe(200);
    const garbage = await ask({ port }, 'GET / HTTP/1.1\r\nHost : x\r\n\r\n');
    expectRefusal(garbage, 400, 'invalid_header');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

@Injectable()
class Users {
  readonly known = new Map([['secret', 'ada']]);
}

class UsersPolicy extends TokenPolicy {
  constructor(private readonly users: Users) {
    super();
  }
  override async authenticate(token: string): Promise<TokenVerdict> {
    const subject = this.users.known.get(token);
    if (subject === undefined) return { ok: false, code: 'invalid_token', reason: 'unknown' };
    const scopes = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read', 'notes:count'];
    return {
      ok: true,
      principal: {
        subject,
        tenant: 't',
        scopes,
        authorizationRevision: '1',
        tokenId: '1',
        expiresAt: Infinity,
      },
    };
  }
}

@Module({ providers: [Users], exports: [Users] })
class UsersModule {}

class TeamMethods {
  count(_params: JsonObject, { principal }: MethodContext): JsonObject {
    return { count: principal.subject.length };
  }
  list(): JsonObject {
    return { resources: [{ uri: 'team://one', name: 'one' }] };
  }
}
const declare = (member: 'count' | 'list', decorator: MethodDecorator): void => {
  decorator(
    TeamMethods.prototype,
    member,
    Object.getOwnPropertyDescriptor(TeamMethods.prototype, member) ?? {},
  );
};
declare('count', McpMethod('notes/count', { scope: 'notes:count' }));
declare('list', McpMethod('resources/list', { scope: 'resources:read' }));

describe('what a team gives', () => {
  test('its policy by forRootAsync, its methods from any provider, one of them in place of a shipped one', async () => {
    class TeamModule {}
    Module({
      imports: [
        BoundaryModule.forRootAsync({
          path: '/team',
          imports: [UsersModule],
          inject: [Users],
          useFactory: async (users: Users) => ({ tokenPolicy: new UsersPolicy(users) }),
        }),
      ],
      providers: [TeamMethods],
    })(TeamModule);
    const app = await NestFactory.create(TeamModule, new BoundaryExpressAdapter(), {
      logger: false,
      abortOnError: false,
    });
    await app.listen(0, '127.0.0.1');
    const to = { port: ((app.getHttpServer() as Server).address() as AddressInfo).port };
    const at = { target: '/team', token: 'secret' };
    const opened = await ask(to, post(to, INITIALIZE, at));
    const session = opened.headers.get('mcp-session-id') ?? '';
    await ask(to, post(to, { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...at, session }));
    expect(jsonRpcOf(await ask(to, post(to, call(1, 'notes/count'), { ...at, session }))).result).toEqual({
      count: 3,
    });
    expect(jsonRpcOf(await ask(to, post(to, call(2, 'resources/list'), { ...at, session }))).result).toEqual({
      resources: [{ uri: 'team://one', name: 'one' }],
    });
    const { body } = await ask(
      to,
      get(to, { token: null, target: `${META}/team`, headers: { Accept: '*/*' } }),
    );
    expect(JSON.parse(body)).toMatchObject({ scopes_supported: expect.arrayContaining(['notes:count']) });
    await app.close();
  });

  test('its store, clock and tenant directory are used', async () => {
    let now = 1_000_000_000_000;
    class TeamClock extends Clock {
      override now(): number {
        return now;
      }
    }
    const clock = new TeamClock();
    const created: string[] = [];
    class TeamStore extends InMemorySessionStore {
      override create(
        session: Parameters<InMemorySessionStore['create']>[0],
      ): ReturnType<InMemorySessionStore['create']> {
        created.push(session.id);
        return super.create(session);
      }
    }
    class NoTenants extends TenantDirectory {
      override hasData(): boolean {
        return false;
      }
    }
    const { port } = await startForeignApp({
      bodyParser: false,
      boundary: { clock, sessionStore: new TeamStore(clock, 2), tenantDirectory: new NoTenants() },
    });
    const session = await openReadySession({ port });
    expect(created).toEqual([session]);
    expectRefusal(
      await ask({ port }, post({ port }, call(1, 'resources/list'), { session })),
      403,
      'forbidden',
    );
    now += 60_000;
    expectRefusal(
      await ask({ port }, post({ port }, call(1, 'ping'), { session })),
      404,
      'session_not_found',
    );
  });

  test('a shipped method that nobody replaces stays', async () => {
    const { port } = await startForeignApp({ bodyParser: false });
    const session = await openReadySession({ port });
    const answer = await ask({ port }, post({ port }, call(1, 'resources/list'), { session }));
    expect(jsonRpcOfEvent(answer).result).toMatchObject({ resources: [{ name: 'handbook' }] });
  });
});

describe('refused at start', () => {
  class Other extends TeamMethods {}
  const Scoped = class extends TeamMethods {};
  Injectable({ scope: Scope.REQUEST })(Scoped);

  test.each([
    [
      'a method that is declared twice',
      [TeamMethods, Other],
      /'notes\/count'.* on Other\.count: the name is declared twice/,
    ],
    ['a method of a request-scoped provider', [Scoped], /must be a singleton/],
  ])('%s', async (_name, providers, message) => {
    const app = await createForeignApp({ providers });
    await expect(app.init()).rejects.toThrow(message);
  });

  test.each([
    ['another path', '/mcp/b'],
    ['the same path', '/mcp'],
  ])('a second BoundaryModule, with %s', async (_name, path) => {
    class TwiceModule {}
    Module({
      imports: ['/mcp', path].map((one) => BoundaryModule.forRoot({ path: one, tokenPolicy: policyOf() })),
    })(TwiceModule);
    const app = await NestFactory.create(TwiceModule, { logger: false, abortOnError: false });
    await expect(app.init()).rejects.toThrow('import BoundaryModule once');
    await app.close();
  });

  test('an alias of a provider is no second declaration', async () => {
    const app = await createForeignApp({
      providers: [TeamMethods, { provide: 'alias', useExisting: TeamMethods }],
    });
    await expect(app.init()).resolves.toBeDefined();
  });

  test('wrong options, with all problems in one message and no value in it', async () => {
    const boundary = {
      path: 'mcp/',
      tokenPolicy: { verify: () => true },
      sessionStore: { create: () => undefined },
      clock: Date,
      settings: { maxSessions: 0, colour: 'canary-blue' },
      tokenPolcy: policyOf(),
    } as unknown as BoundaryOptions;
    await expect(createForeignApp({ boundary })).rejects.toThrow(
      [
        '7 setting(s) cannot be used:',
        '  - colour is not a setting',
        '  - MCP_MAX_SESSIONS must be a whole number from 1 to 1000000',
        "  - path must be an absolute path such as /mcp: segments of letters, digits, '-', '_', '.' and '~', no slash at its end, not below /.well-known",
        '  - tokenPolcy is not an option',
        '  - clock has no method now',
        '  - tokenPolicy has no method authenticate',
        '  - sessionStore has no method find, delete, transition',
      ].join('\n'),
    );
  });

  test.each([
    ['no policy at all', { tokenPolicy: undefined }, /tokenPolicy is missing/],
    [
      'a store that cannot hold, with an idle lifetime',
      {
        sessionStore: { create() {}, find() {}, delete() {}, transition() {} },
        settings: { profile: 'service' },
      },
      /sessionStore has no method hold, release/,
    ],
  ])('%s', async (_name, boundary, message) => {
    await expect(createForeignApp({ boundary: boundary as unknown as BoundaryOptions })).rejects.toThrow(
      message,
    );
  });

  test.each(['/', '', 'mcp', '/mcp/', '/a/../b', '/a?b', '/%6dcp', '/.well-known/x'])(
    'the path %j',
    async (path) => {
      await expect(createForeignApp({ boundary: { path } })).rejects.toThrow(/path must be/);
    },
  );

  test('TLS on the BoundaryExpressAdapter', async () => {
    class Empty {}
    Module({})(Empty);
    const create = NestFactory.create(Empty, new BoundaryExpressAdapter(), {
      httpsOptions: {},
      logger: false,
      abortOnError: false,
    });
    await expect(create).rejects.toThrow(/TLS proxy/);
  });
});

test('an application context without HTTP starts too', async () => {
  class Script {}
  Module({ imports: [BoundaryModule.forRoot({ tokenPolicy: policyOf(), clock: new SystemClock() })] })(
    Script,
  );
  const context = await NestFactory.createApplicationContext(Script, { logger: false, abortOnError: false });
  expect(context.get(SessionService, { strict: false })).toBeInstanceOf(SessionService);
  await context.close();
});
