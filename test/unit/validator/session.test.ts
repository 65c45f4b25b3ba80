/** A session over several messages: states, atomicity, directions, correlation, subscriptions, revisions, tasks. */

import { describe, expect, it } from '@jest/globals';
import { LIMITS } from '../../../src/validator/limits.js';
import { METHODS } from '../../../src/validator/methods.js';
import { NOTIFICATIONS } from '../../../src/validator/notifications.js';
import {
  as,
  c,
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  feed,
  GUIDE,
  GUIDEBOOK,
  handshake,
  INTRO,
  type Json,
  run,
  s,
  type Script,
  SERVER_CAPABILITIES,
  SERVER_INFO,
  testSession,
  written,
} from '../../support/validator-world.js';

/** The rule of each step, or `-`. */
const rules = (script: Script): string[] => run(script).map((found) => found?.rule ?? '-');
const ping = (id: unknown): Json => ({ id, method: 'ping' });
const ok = (id: unknown, result: Json = {}): Json => ({ id, result });
const error = (id: unknown): Json => ({ id, error: { code: -32603, message: 'no' } });
const list = { id: 2, method: 'tools/list' };
const subscribe = (id: number, uri = GUIDE): Json => ({ id, method: 'resources/subscribe', params: { uri } });
const unsubscribe = (id: number, uri = GUIDE): Json => ({
  id,
  method: 'resources/unsubscribe',
  params: { uri },
});
const updated = (uri = GUIDE): Json => ({ method: 'notifications/resources/updated', params: { uri } });
const answer = { protocolVersion: '2025-11-25', capabilities: SERVER_CAPABILITIES, serverInfo: SERVER_INFO };
const initialized = { method: 'notifications/initialized' };

const askFor = (includeContext: string): ReturnType<typeof s> =>
  s({
    id: 2,
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: { type: 'text', text: '' } }],
      maxTokens: 1,
      includeContext,
    },
  });
const readAs = (context: unknown): string =>
  rules({ steps: [c({ id: 2, method: 'resources/read', params: { uri: GUIDE } }, context)] })[0] as string;
const callWith = (args: Json, more: Json = {}): ReturnType<typeof c> =>
  c({ id: 2, method: 'tools/call', params: { name: 'convert_amount', arguments: args, ...more } });
const callText = (amount: string): string =>
  `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"convert_amount","arguments":{"amount":${amount}}}}`;
const progressTo = (value: number): ReturnType<typeof s> =>
  s({ method: 'notifications/progress', params: { progressToken: 'p', progress: value } });

describe('atomicity', () => {
  it('a malformed result leaves its request answerable, as often as it takes', () => {
    const steps = [
      c(list),
      s(ok(2, { tools: 'none' })),
      s(ok(2, { tools: [{}] })),
      s(ok(2, { tools: [] })),
      s(ok(2)),
    ];
    expect(rules({ steps })).toEqual([
      '-',
      'shape.type',
      'shape.missing_member',
      '-',
      'correlation.no_matching_request',
    ]);
  });

  it('a malformed initialize result leaves the handshake where it was', () => {
    const steps = [s(ok(1, { ...answer, serverInfo: {} })), c(initialized), s(ok(1, answer)), c(initialized)];
    expect(rules({ setup: 'initialize_request_only', steps })).toEqual([
      'lifecycle.info_shape',
      'lifecycle.initialized_order',
      '-',
      '-',
    ]);
  });

  it('a malformed subscribe result subscribes to nothing, and its good repetition does', () => {
    const steps = [
      c(subscribe(2), as()),
      s(ok(2, { subscribed: true })),
      s(updated(), as()),
      s(ok(2)),
      s(updated(), as()),
    ];
    expect(rules({ steps })).toEqual([
      '-',
      'shape.unknown_member',
      'resources.no_active_subscription',
      '-',
      '-',
    ]);
  });

  it('an error consumes the request and creates nothing', () => {
    const steps = [c(subscribe(2), as()), s(error(2)), s(ok(2)), s(updated(), as())];
    expect(rules({ steps })).toEqual([
      '-',
      '-',
      'correlation.no_matching_request',
      'resources.no_active_subscription',
    ]);
  });

  it('a malformed error consumes nothing', () => {
    const steps = [c(list), s({ id: 2, error: { code: '1', message: 'no' } }), s(ok(2, { tools: [] }))];
    expect(rules({ steps })).toEqual(['-', 'envelope.error_shape', '-']);
  });

  it('a refused request does not become pending and does not use up its id', () => {
    const steps = [
      c({ ...list, params: { page: 1 } }),
      s(ok(2, { tools: [] })),
      c(list),
      s(ok(2, { tools: [] })),
    ];
    expect(rules({ steps })).toEqual(['shape.unknown_member', 'correlation.no_matching_request', '-', '-']);
  });

  it.each([
    'prompts/list',
    'prompts/get',
    'logging/setLevel',
    'completion/complete',
    'tasks/get',
    'tasks/result',
    'tasks/cancel',
  ])('%s is refused before it becomes pending', (method) => {
    const session = testSession();
    for (const step of handshake({ steps: [] })) feed(session, step);
    expect(feed(session, c({ id: 2, method }))?.rule).toBe('method.not_implemented');
    expect(session.state.client.pending.size).toBe(0);
    expect(session.state.client.history.has(2)).toBe(false);
  });
});

describe('the handshake', () => {
  const opening = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO },
  };

  it('walks new → waiting → waiting → ready', () => {
    const session = testSession();
    const states = [c(opening), s(ok(1, answer)), c(initialized)].map((step) => {
      expect(feed(session, step)).toBeUndefined();
      return session.state.lifecycle;
    });
    expect(states).toEqual([
      'waiting_for_initialize_response',
      'waiting_for_initialized_notification',
      'ready',
    ]);
  });

  it('lets both sides ping while it runs, and the server log', () => {
    const log = { method: 'notifications/message', params: { level: 'info', data: 'up' } };
    const steps = [
      c(opening),
      c(ping(2)),
      s(ok(2)),
      s(ping(1)),
      c(ok(1)),
      s(ok(1, answer)),
      s(log),
      c(initialized),
    ];
    expect(new Set(rules({ setup: 'none', steps }))).toEqual(new Set(['-']));
  });

  it.each<[string, Json]>([
    ['ping', ping(2)],
    ['tools/list', list],
    [
      'notifications/progress',
      { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    ],
  ])('refuses %s before it', (_name, message) => {
    expect(rules({ setup: 'none', steps: [c(message)] })).toEqual(['lifecycle.initialize_first']);
  });

  it('refuses a response before it', () => {
    expect(rules({ setup: 'none', steps: [s(ok(1))] })).toEqual(['correlation.no_matching_request']);
  });

  it('refuses a second initialize in every later state', () => {
    const again = c({ ...opening, id: 9 });
    expect(
      rules({ setup: 'none', steps: [c(opening), again, s(ok(1, answer)), again, c(initialized), again] }),
    ).toEqual([
      '-',
      'lifecycle.initialize_twice',
      '-',
      'lifecycle.initialize_twice',
      '-',
      'lifecycle.initialize_twice',
    ]);
  });

  it('refuses initialized twice', () => {
    expect(rules({ steps: [c(initialized)] })).toEqual(['lifecycle.initialized_order']);
  });

  it('may be tried again after an error, with another id', () => {
    const steps = [
      c(opening),
      s(error(1)),
      c(initialized),
      c(opening),
      c({ ...opening, id: 2 }),
      s(ok(2, answer)),
      c(initialized),
    ];
    expect(rules({ setup: 'none', steps })).toEqual([
      '-',
      '-',
      'lifecycle.initialized_order',
      'correlation.id_reused',
      '-',
      '-',
      '-',
    ]);
  });

  it.each<[string, Json, string]>([
    ['no clientInfo', { protocolVersion: '2025-11-25', capabilities: {} }, 'shape.missing_member'],
    [
      'capabilities as array',
      { protocolVersion: '2025-11-25', capabilities: [], clientInfo: CLIENT_INFO },
      'lifecycle.capabilities_shape',
    ],
    [
      'an empty version',
      { protocolVersion: '', capabilities: {}, clientInfo: CLIENT_INFO },
      'lifecycle.protocol_version_shape',
    ],
    [
      'an empty name',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: '', version: '1' } },
      'lifecycle.info_shape',
    ],
    [
      'roots as boolean',
      { protocolVersion: '2025-11-25', capabilities: { roots: true }, clientInfo: CLIENT_INFO },
      'lifecycle.capabilities_shape',
    ],
    [
      'sampling.tools as boolean',
      { protocolVersion: '2025-11-25', capabilities: { sampling: { tools: true } }, clientInfo: CLIENT_INFO },
      'lifecycle.capabilities_shape',
    ],
    [
      'a deep task capability as boolean',
      {
        protocolVersion: '2025-11-25',
        capabilities: { tasks: { requests: { sampling: { createMessage: true } } } },
        clientInfo: CLIENT_INFO,
      },
      'lifecycle.capabilities_shape',
    ],
    [
      'an experimental entry as string',
      { protocolVersion: '2025-11-25', capabilities: { experimental: { x: 'y' } }, clientInfo: CLIENT_INFO },
      'lifecycle.capabilities_shape',
    ],
  ])('refuses %s', (_name, params, rule) => {
    expect(rules({ setup: 'none', steps: [c({ ...opening, params })] })).toEqual([rule]);
  });

  it('takes titles, icons, descriptions and capabilities that it does not know', () => {
    const clientInfo = {
      ...CLIENT_INFO,
      title: 'T',
      description: 'D',
      websiteUrl: 'https://example.com/',
      icons: [{ src: 'data:image/png;base64,TQ==' }],
    };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { extensions: { a: 1 } },
      clientInfo,
      _meta: {},
    };
    expect(rules({ setup: 'none', steps: [c({ ...opening, params })] })).toEqual(['-']);
  });
});

describe('correlation', () => {
  it('is by sender, type and value', () => {
    const steps = [c(ping(5)), c(ping('5')), s(ping(5)), s(ok('5')), c(ok(5)), s(ok(5))];
    expect(new Set(rules({ steps }))).toEqual(new Set(['-']));
  });

  it('is not satisfied by the sender answering itself', () => {
    expect(rules({ steps: [c(ping(5)), c(ok(5))] })).toEqual(['-', 'correlation.no_matching_request']);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'envelope.id_type'],
    ['true', true, 'envelope.id_type'],
    ['a fraction', 1.5, 'envelope.id_type'],
    ['an object', {}, 'envelope.id_type'],
    ['minus zero', -0, 'envelope.id_type'],
    ['a big integer', 2 ** 53, 'envelope.id_precision'],
    ['the empty string', '', '-'],
    ['a negative integer', -1, '-'],
    ['zero', 0, '-'],
  ])('judges %s as id', (_name, id, rule) => {
    expect(rules({ steps: [c(ping(id))] })).toEqual([rule]);
  });

  it.each(['1.0', '1e2', '1E2', '-0', '10.00e-1'])(
    'refuses %s as id though its value is an integer',
    (id) => {
      expect(rules({ steps: [written(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)] })).toEqual([
        'envelope.id_type',
      ]);
    },
  );

  it('lets a cancelled request make room for another', () => {
    const steps = [
      ...Array.from({ length: LIMITS.outstanding }, (_, i) => c(ping(i))),
      c(ping(5000)),
      c({ method: 'notifications/cancelled', params: { requestId: 3 } }),
      c(ping(5000)),
      s(ok(3)),
      s(ok(4)),
    ];
    expect(rules({ steps }).slice(LIMITS.outstanding)).toEqual([
      'correlation.too_many_outstanding',
      '-',
      '-',
      'correlation.no_matching_request',
      '-',
    ]);
  });

  it('lets the answer to a cancelled request cross it on the wire, both ways round', () => {
    const cancel = c({ method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(rules({ steps: [c(ping(2)), cancel, s(ok(2))] })).toEqual(['-', '-', '-']);
    expect(rules({ steps: [c(ping(2)), s(ok(2)), cancel] })).toEqual(['-', '-', '-']);
  });
});

describe('directions', () => {
  const requests = [...METHODS].filter(([, rule]) => rule.sender !== 'both');
  it.each(requests.map(([method, { sender }]) => [method, sender] as const))(
    '%s comes from the %s only',
    (method, sender) => {
      const send = sender === 'client' ? s : c;
      expect(rules({ steps: [send({ id: 2, method })] })).toEqual(['method.wrong_direction']);
    },
  );

  const notifications = [...NOTIFICATIONS].filter(([, rule]) => rule.sender !== 'both');
  it.each(notifications.map(([method, { sender }]) => [method, sender] as const))(
    '%s comes from the %s only',
    (method, sender) => {
      const send = sender === 'client' ? s : c;
      expect(rules({ steps: [send({ method })] })).toEqual(['notification.wrong_direction']);
    },
  );
});

describe('capabilities', () => {
  const needs = [...METHODS].flatMap(([method, { sender, capability }]) =>
    capability === undefined ? [] : [[method, sender, capability] as const],
  );
  it.each(needs)('%s (from the %s) needs %s', (method, sender, capability) => {
    const script =
      sender === 'server'
        ? { client: {}, steps: [s({ id: 2, method })] }
        : { server: {}, steps: [c({ id: 2, method })] };
    expect(run(script)).toMatchObject([{ rule: 'capability.undeclared', facts: { capability } }]);
  });

  const notified = [...NOTIFICATIONS].flatMap(([method, { sender, capability }]) =>
    capability === undefined || sender === 'both' ? [] : [[method, sender, capability[1]] as const],
  );
  it.each(notified)('%s (from the %s) needs %s', (method, sender, capability) => {
    const script = { client: {}, server: {}, steps: [(sender === 'server' ? s : c)({ method })] };
    expect(run(script)).toMatchObject([{ rule: 'capability.undeclared', facts: { capability } }]);
  });

  it('a boolean that is false declares nothing', () => {
    const script = {
      server: { tools: { listChanged: false } },
      steps: [s({ method: 'notifications/tools/list_changed' })],
    };
    expect(rules(script)).toEqual(['capability.undeclared']);
  });

  const form = s({
    id: 2,
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  });
  it.each<[string, Json, string]>([
    ['{} means form', { elicitation: {} }, '-'],
    ['form', { elicitation: { form: {} } }, '-'],
    ['url alone is no form', { elicitation: { url: {} } }, 'capability.undeclared'],
  ])('elicitation: %s', (_name, client, rule) => {
    expect(rules({ client, steps: [form] })).toEqual([rule]);
  });

  it('task augmentation needs its own capability, at the receiver', () => {
    const call = c({
      id: 2,
      method: 'tools/call',
      params: { name: 'convert_amount', arguments: { amount: 1 }, task: {} },
    });
    const { tasks: _tasks, ...server } = SERVER_CAPABILITIES;
    expect(run({ server, steps: [call] })).toMatchObject([
      { facts: { capability: 'tasks.requests.tools.call' } },
    ]);
    const { tasks: _own, ...client } = CLIENT_CAPABILITIES;
    expect(rules({ client, steps: [call] })).toEqual(['-']);
  });

  it('includeContext other than none needs sampling.context', () => {
    expect(rules({ client: { sampling: {} }, steps: [askFor('none')] })).toEqual(['-']);
    expect(run({ client: { sampling: {} }, steps: [askFor('allServers')] })).toMatchObject([
      { facts: { capability: 'sampling.context' } },
    ]);
  });
});

describe('subscriptions', () => {
  const active = [c(subscribe(2), as()), s(ok(2))];

  it('keep on after a failed unsubscribe, and end after a successful one', () => {
    const steps = [
      ...active,
      c(unsubscribe(3), as()),
      s(error(3)),
      s(updated(), as()),
      c(unsubscribe(4), as()),
      s(ok(4)),
      s(updated(), as()),
    ];
    expect(rules({ steps }).at(-4)).toBe('-');
    expect(rules({ steps }).at(-1)).toBe('resources.no_active_subscription');
  });

  it('belong to their principal', () => {
    expect(rules({ steps: [...active, s(updated(), as({ subject: 'eve' }))] }).at(-1)).toBe(
      'resources.no_active_subscription',
    );
  });

  it('cover listed children, not prefixes, and not parents', () => {
    expect(
      rules({ steps: [...active, s(updated(INTRO), as()), s(updated(GUIDEBOOK), as())] }).slice(2),
    ).toEqual(['-', 'resources.prefix_is_not_child']);
    const ofChild = [c(subscribe(2, INTRO), as()), s(ok(2)), s(updated(GUIDE), as())];
    expect(rules({ steps: ofChild }).at(-1)).toBe('resources.no_active_subscription');
  });

  it('need no snapshot for list_changed', () => {
    expect(rules({ steps: [s({ method: 'notifications/resources/list_changed' })] })).toEqual(['-']);
  });

  it('end when another revision is activated, not when the same one is', () => {
    expect(rules({ steps: [...active, { revision: 'first' }, s(updated(), as())] }).at(-1)).toBe('-');
    const moved = [...active, { revision: 'second' }, { revision: 'first' }, s(updated(), as())];
    expect(rules({ steps: moved }).at(-1)).toBe('resources.no_active_subscription');
  });

  it('do not come about by a result that arrives under another revision', () => {
    const steps = [
      c(subscribe(2), as()),
      { revision: 'second' },
      s(ok(2)),
      { revision: 'first' },
      s(updated(), as()),
      s(ok(2)),
      s(updated(), as()),
    ];
    expect(rules({ steps })).toEqual([
      '-',
      '-',
      'authorization.stale_revision',
      '-',
      'resources.no_active_subscription',
      '-',
      '-',
    ]);
  });

  it('are checked again on delivery', () => {
    expect(rules({ steps: [...active, s(updated(), as({ token_active: false }))] }).at(-1)).toBe(
      'authorization.token_inactive',
    );
    expect(rules({ steps: [...active, s(updated(), as({ scopes: ['resources:read'] }))] }).at(-1)).toBe(
      'authorization.scope_missing',
    );
    expect(rules({ steps: [...active, s(updated())] }).at(-1)).toBe('authorization.context_missing');
  });
});

describe('the authorization snapshot', () => {
  it.each<[string, unknown]>([
    ['a string', 'ada'],
    ['null', null],
    ['scopes as string', as({ scopes: 'resources:read' })],
    ['a scope twice', as({ scopes: ['resources:read', 'resources:read'] })],
    ['no tenant', { ...as(), tenant: undefined }],
    ['a subject that is no string', as({ subject: 7 })],
    ['token_active as string', as({ token_active: 'yes' })],
    ['an audience that is no string', as({ token_audience: null })],
    ['an unknown member', as({ issuer: 'x' })],
  ])('is refused as %s', (_name, context) => {
    expect(readAs(context)).toBe('authorization.context_shape');
  });

  it('does not find a subject that only Object.prototype has', () => {
    expect(readAs(as({ subject: 'constructor' }))).toBe('authorization.unknown_subject');
  });

  it('is refused on responses and on other requests, policy or not', () => {
    const steps = [c({ id: 2, method: 'resources/list' }, as()), s(ok(2, { resources: [] }), as())];
    expect(rules({ steps }).at(-1)).toBe('authorization.context_not_allowed');
    expect(rules({ hasPolicy: false, steps: [c(ping(2), as())] })).toEqual([
      'authorization.context_not_allowed',
    ]);
  });

  it('is never replaced by roots', () => {
    const steps = [
      s({ id: 2, method: 'roots/list' }),
      c(ok(2, { roots: [{ uri: 'file:///north' }] })),
      c({ id: 3, method: 'resources/list' }),
    ];
    expect(rules({ steps }).at(-1)).toBe('authorization.context_missing');
  });

  it('keeps other tenants out of list results too', () => {
    const steps = [
      c({ id: 2, method: 'resources/list' }, as()),
      s(ok(2, { resources: [{ uri: 'docs://south/plan', name: 'plan' }] })),
    ];
    expect(rules({ steps }).at(-1)).toBe('resources.wrong_tenant');
  });
});

describe('tools and tasks', () => {
  it('judges every depth of structured content', () => {
    const steps = [callWith({ amount: 1 }), s(ok(2, { content: [], structuredContent: { result: 'one' } }))];
    expect(run({ steps }).at(-1)).toMatchObject({
      rule: 'value.type',
      pointer: '/result/structuredContent/result',
    });
  });

  it('does not judge the structured content of an execution error', () => {
    const steps = [
      callWith({ amount: 1 }),
      s(ok(2, { content: [], isError: true, structuredContent: { code: 7 } })),
    ];
    expect(rules({ steps })).toEqual(['-', '-']);
  });

  it('compares big integers exactly', () => {
    expect(rules({ steps: [written(callText('9007199254740993'))] })).toEqual(['value.range']);
    expect(rules({ steps: [written(callText('9'.repeat(300)))] })).toEqual(['value.range']);
    expect(rules({ steps: [written(callText('9007199254740992'))] })).toEqual(['-']);
    expect(rules({ steps: [written(callText('-1'))] })).toEqual(['value.range']);
  });

  it('does not take a property of Object.prototype for a declared one', () => {
    expect(rules({ steps: [callWith({ amount: 1, constructor: 1 })] })).toEqual(['value.additional']);
    expect(
      rules({
        steps: [
          written(
            '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"convert_amount","arguments":{"amount":1,"__proto__":{}}}}',
          ),
        ],
      }),
    ).toEqual(['value.additional']);
  });

  it('keeps the progress token of a task until the task ends', () => {
    const task = {
      taskId: 't',
      status: 'working',
      createdAt: '2025-11-25T10:00:00Z',
      lastUpdatedAt: '2025-11-25T10:00:00Z',
      ttl: null,
    };
    const steps = [
      callWith({ amount: 1 }, { task: {}, _meta: { progressToken: 'p' } }),
      s(ok(2, { task })),
      progressTo(1),
      s({ method: 'notifications/tasks/status', params: { ...task, status: 'completed' } }),
      progressTo(2),
    ];
    expect(rules({ steps })).toEqual(['-', '-', '-', '-', 'progress.token_unknown']);
  });

  it('refuses a task id for a second task', () => {
    const task = {
      taskId: 't',
      status: 'working',
      createdAt: '2025-11-25T10:00:00Z',
      lastUpdatedAt: '2025-11-25T10:00:00Z',
      ttl: null,
    };
    const steps = [
      callWith({ amount: 1 }, { task: {} }),
      s(ok(2, { task })),
      c({
        id: 3,
        method: 'tools/call',
        params: { name: 'convert_amount', arguments: { amount: 1 }, task: {} },
      }),
      s(ok(3, { task })),
    ];
    expect(rules({ steps }).at(-1)).toBe('tasks.duplicate_id');
  });

  it('judges an accepted form against the form that was asked', () => {
    const form = s({
      id: 2,
      method: 'elicitation/create',
      params: {
        message: 'm',
        requestedSchema: {
          type: 'object',
          properties: {
            colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
            many: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, maxItems: 1 },
          },
          required: ['colour'],
        },
      },
    });
    const accept = (content: Json): string[] =>
      rules({ steps: [form, c(ok(2, { action: 'accept', content }))] });
    expect(accept({ colour: 'r', many: ['a'] })).toEqual(['-', '-']);
    expect(accept({ colour: 'g' })).toEqual(['-', 'value.enum']);
    expect(accept({ many: [] })).toEqual(['-', 'value.required']);
    expect(accept({ colour: 'r', many: ['b'] })).toEqual(['-', 'value.enum']);
  });
});

describe('a transcript goes on where a fixture stops', () => {
  const lenient = { mode: 'transcript' } as const;

  it('matches the answer to a bad request without judging it', () => {
    const steps = [c({ ...list, params: { page: 1 } }), s(error(2)), c(ping(3)), s(ok(3))];
    expect(rules({ ...lenient, steps })).toEqual(['shape.unknown_member', '-', '-', '-']);
  });

  it('judges a message on which a snapshot has no place, and matches its answer', () => {
    const steps = [c(list, as()), s(ok(2, { tools: [] })), c(ping(true), as())];
    expect(rules({ ...lenient, steps })).toEqual([
      'authorization.context_not_allowed',
      '-',
      'envelope.id_type',
    ]);
  });

  it('says once that the beginning is missing, and then judges what it can', () => {
    const steps = [
      c(list),
      s(ok(2, { tools: [{ name: 'a b', inputSchema: { type: 'object' } }] })),
      c(ping(true)),
      c(ping(4)),
    ];
    expect(rules({ ...lenient, setup: 'none', hasPolicy: false, steps })).toEqual([
      'lifecycle.initialize_first',
      '-',
      'envelope.id_type',
      '-',
    ]);
  });

  it('notes methods that it does not judge, and matches their answers', () => {
    const session = testSession({ ...lenient, hasPolicy: false });
    for (const step of handshake({ steps: [] })) feed(session, step);
    expect(feed(session, c({ id: 2, method: 'prompts/list' }))).toBeUndefined();
    expect(session.state.takeNotes()).toMatchObject([{ rule: 'method.not_implemented' }]);
    expect(feed(session, s(ok(2, { prompts: [] })))).toBeUndefined();
    expect(session.state.takeNotes()).toEqual([]);
  });

  it('notes a tool schema outside the dialect, and then does not judge its arguments', () => {
    const session = testSession({ ...lenient, hasPolicy: false });
    for (const step of handshake({ steps: [] })) feed(session, step);
    const inputSchema = { type: 'object', properties: { q: { type: ['string', 'null'] } }, $schema: 'x' };
    feed(session, c(list));
    expect(feed(session, s(ok(2, { tools: [{ name: 'find', inputSchema }] })))).toBeUndefined();
    expect(session.state.takeNotes()).toMatchObject([{ rule: 'schema.unsupported_keyword' }]);
    expect(
      feed(session, c({ id: 3, method: 'tools/call', params: { name: 'find', arguments: { q: 7 } } })),
    ).toBeUndefined();
    expect(feed(session, c({ id: 4, method: 'tools/call', params: { name: 'gone' } }))?.rule).toBe(
      'tools.unknown',
    );
  });
});
