/**
 * The real standalone server with what only a test needs: a clock that can be turned, a token policy that can be
 * swapped, captured logs, and a few methods that are slow, big or broken on purpose. It gets the product's
 * modules as an argument, so that the same harness runs the sources (inside the test process) and the built
 * code (in a process of its own, see served.mjs).
 */
import { Module } from '@nestjs/common';
import { Writable } from 'node:stream';

/** Values that break whoever looks at them, by the name under which a test asks for one. */
const HOSTILE = {
  undefined: () => undefined,
  'null prototype': () => Object.create(null),
  'throwing toString': () => ({
    toString() {
      throw new Error('toString');
    },
  }),
  'throwing message': () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('message');
      },
    }),
  'no constructor': () => Object.assign(new Error('x'), { constructor: undefined }),
  'endless causes': () => {
    const error = new Error('x');
    error.cause = error;
    return error;
  },
  'unserializable data': (McpMethodError) => new McpMethodError(-32000, 'x', { value: 1n }),
};

/** One for all servers of a process, since Nest's Logger is: every line goes to the server that started last. */
let logged = '';

const UNSERIALIZABLE = {
  bigint: { value: 1n },
  list: [1],
  text: 'text',
  'toJSON without a result': { toJSON() {} },
  function() {},
};

/** @param {import('./harness.d.mts').Product} product */
export async function openHarness(product, options) {
  const { startApp, settingsFromEnvironment, readTokensFile, OfflineTokenPolicy, Clock } = product;
  const { PinoLoggerService, pinoTo, SessionService, McpMethod, McpMethodError, TenantDirectory } = product;

  let turned = 0;
  let frozenAt;
  class TestClock extends Clock {
    now() {
      return (frozenAt ?? Date.now()) + turned;
    }
  }
  const clock = new TestClock();

  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const logger = new PinoLoggerService(pinoTo(sink, 'debug'), () => {});

  let book;
  function bookOf(document) {
    const result = readTokensFile(Buffer.from(JSON.stringify(document)), { clock, previous: book });
    if (!result.ok) throw new Error(`test tokens: ${JSON.stringify(result.problems)}`);
    book = result.book;
    return book;
  }
  const policy = options.tokens && new OfflineTokenPolicy(bookOf(options.tokens), clock);

  /** Calls of `test/hold` that wait for `release`. */
  const held = new Set();
  let aborted = 0;

  class TestMethods {
    /** Answers when the test says so, or fails when it is cancelled. */
    hold(_params, { signal }) {
      return new Promise((resolve, reject) => {
        held.add(resolve);
        signal.addEventListener('abort', () => {
          aborted++;
          held.delete(resolve);
          reject(new Error('aborted'));
        });
      });
    }
    echo(params) {
      return { params };
    }
    big({ bytes }) {
      return { text: 'x'.repeat(bytes) };
    }
    throwing({ text }) {
      throw new Error(`cannot go on with ${text}`, { cause: new Error(`because of ${text}`) });
    }
    async rejecting({ text }) {
      throw new TypeError(`cannot go on with ${text}`);
    }
    failing({ bytes }) {
      const data = bytes === undefined ? { uri: 'kb://nowhere' } : { text: 'x'.repeat(bytes) };
      throw new McpMethodError(-32002, 'Resource not found', data);
    }
    /** Throws what no sane method throws; see HOSTILE. */
    hostile({ kind }) {
      throw HOSTILE[kind](McpMethodError);
    }
    /** Answers what is no JSON object. */
    unserializable({ kind }) {
      return UNSERIALIZABLE[kind];
    }
    hostileNotification({ kind }) {
      throw HOSTILE[kind](McpMethodError);
    }
    throwingNotification({ text }) {
      throw new Error(`cannot go on with ${text}`);
    }
  }
  const declare = (member, name, declared) =>
    McpMethod(name, declared)(
      TestMethods.prototype,
      member,
      Object.getOwnPropertyDescriptor(TestMethods.prototype, member),
    );
  declare('hold', 'test/hold', {});
  declare('echo', 'test/echo', {});
  declare('big', 'test/big', {});
  declare('throwing', 'test/throwing', {});
  declare('rejecting', 'test/rejecting', { answer: 'sse' });
  declare('failing', 'test/failing', {});
  declare('hostile', 'test/hostile', {});
  declare('unserializable', 'test/unserializable', {});
  declare('hostileNotification', 'notifications/test/hostile', {});
  declare('throwingNotification', 'notifications/test/throwing', {});
  class TestModule {}
  Module({ providers: [TestMethods] })(TestModule);

  class TestTenants extends TenantDirectory {
    hasData(principal) {
      return !(options.tenantsWithoutData ?? []).includes(principal.tenant);
    }
  }

  const settings = settingsFromEnvironment({ MCP_PORT: '0', ...options.env });
  const running = await startApp({
    settings,
    clock,
    logger,
    modules: [TestModule],
    tenantDirectory: new TestTenants(),
    ...(policy && { tokenPolicy: policy }),
  });

  return {
    address: { port: running.port, origin: running.origin, resource: running.resource },
    commands: {
      advance(milliseconds) {
        turned += milliseconds;
      },
      freeze() {
        frozenAt = Date.now();
      },
      setTokens(document) {
        policy.replace(bookOf(document));
      },
      markStale() {
        policy.markStale();
      },
      async notify(sessionId, method, params) {
        try {
          await running.app.get(SessionService, { strict: false }).notify(sessionId, method, params);
          return 'queued';
        } catch (error) {
          return error.code ?? error.message;
        }
      },
      release() {
        const waiting = held.size;
        for (const resolve of held) resolve({ held: true });
        held.clear();
        return waiting;
      },
      held: () => held.size,
      aborted: () => aborted,
      logs: () => logged,
      /** Bytes of live heap after a collection; only with --expose-gc. */
      heap() {
        globalThis.gc?.();
        return process.memoryUsage().heapUsed;
      },
      stop: () => running.stop(),
    },
  };
}
