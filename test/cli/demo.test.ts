import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { demo, type Lesson } from '../../src/cli/demo.js';
import { memoryIo } from '../support/memory-io.js';
import { startHostile } from '../support/hostile-server.js';
import { runCommand } from '../support/spawn-cli.js';

const PASS =
  '{"http_round_trips": 8, "profile": "loopback-streamable-http-teaching-profile-v1", "protocol_version": "2025-11-25", "verdict": "PASS"}\n';
const TOKEN = 'canary-token';
const SESSION = 'canary-session';
const HANDBOOK = 'kb://tenant/learner/handbook';

describe('demo', () => {
  test('as a process: one line, nothing else, exit code 0', async () => {
    expect(await runCommand(['demo'])).toEqual({ code: 0, signal: null, stdout: PASS, stderr: '' });
  });

  test('as a process with --verbose: the same line; eight round trips on stderr, no colour, nothing secret', async () => {
    const { code, stdout, stderr } = await runCommand(['demo', '--verbose']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: PASS });
    expect(stderr.match(/^\[\d\] (?:POST|GET|DELETE) \/mcp$/gm)).toHaveLength(8);
    expect(stderr).toContain('> last-event-id: get-');
    expect(stderr).toContain('< 202 Accepted');
    expect(stderr).toContain('{"error":"session_not_found"}');
    expect(stderr).not.toContain('\u001b');
    expect(new Set(stderr.match(/authorization: .*/g))).toEqual(new Set(['authorization: Bearer <token>']));
    expect(new Set(stderr.match(/mcp-session-id: .*/g))).toEqual(new Set(['mcp-session-id: <session id>']));
  });

  test('as a function', async () => {
    const io = memoryIo();
    expect(await demo(io)).toBe(0);
    expect({ out: io.out(), err: io.err() }).toEqual({ out: PASS, err: '' });
  });

  test('colour where a person looks', async () => {
    const io = memoryIo({ isTerminal: true });
    expect(await demo(io, { verbose: true })).toBe(0);
    expect(io.out()).toBe(PASS);
    expect(io.err()).toContain('\u001b[1mPOST /mcp\u001b[22m');
  });
});

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  serverInfo: { name: 'x', version: '1' },
};
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';

type Write = (reply: ServerResponse, id: number | undefined) => void;

/** A server without a thought of its own: its n-th answer, whatever was asked. */
const SCRIPT: readonly Write[] = [
  (reply, id) => json(reply, 200, { jsonrpc: '2.0', id, result: INITIALIZED }),
  (reply) => reply.writeHead(202).end(),
  (reply, id) => json(reply, 200, { jsonrpc: '2.0', id, result: {} }),
  (reply, id) => list(reply, id, HANDBOOK),
  (reply) => stream(reply, `id: g-1\nretry: 15000\ndata: ${CHANGED}\n\n`),
  (reply) => stream(reply, 'id: g-1\nretry: 15000\n\n'),
  (reply) => reply.writeHead(204).end(),
  (reply) => json(reply, 404, { error: 'session_not_found' }),
];

function json(reply: ServerResponse, status: number, value: object): void {
  reply.writeHead(status, { 'Content-Type': 'application/json', 'MCP-Session-Id': SESSION });
  reply.end(JSON.stringify(value));
}

function stream(reply: ServerResponse, events: string): void {
  reply.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events);
}

function list(reply: ServerResponse, id: number | undefined, uri: string): void {
  const result = { resources: [{ uri, name: 'handbook', mimeType: 'text/markdown' }] };
  stream(reply, `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
}

/** A lesson on a server that gives `wrong` as its answer number `at`. */
function lessonWith(at: number, wrong: Write): () => Promise<Lesson> {
  return async () => {
    let count = 0;
    const { url } = await startHostile(({ body }, reply) => {
      const { id } = (body === '' ? {} : JSON.parse(body)) as { id?: number };
      count += 1;
      (count === at ? wrong : SCRIPT[count - 1])?.(reply, id);
    });
    return { url, token: TOKEN, handbookUri: HANDBOOK, stop: async () => undefined };
  };
}

const evil: Write = (reply) => stream(reply, `: \u001b[2J\u009b31m ${TOKEN}\n\n`);

describe('demo against a server that errs once', () => {
  test('the script itself passes', async () => {
    const io = memoryIo();
    expect(await demo(io, { start: lessonWith(0, () => undefined) })).toBe(0);
    expect(io.out()).toBe(PASS);
  });

  test.each<[name: string, at: number, wrong: Write, reason: string]>([
    [
      'another version',
      1,
      (r, id) =>
        json(r, 200, { jsonrpc: '2.0', id, result: { ...INITIALIZED, protocolVersion: '2025-06-18' } }),
      'initialize: the server does not speak',
    ],
    ['200 for a notification', 2, (r) => json(r, 200, {}), 'notifications/initialized: the status'],
    [
      'the id of another',
      3,
      (r) => json(r, 200, { jsonrpc: '2.0', id: 77, result: {} }),
      'ping: the answer does not bear the id',
    ],
    [
      'the handbook of another tenant',
      4,
      (r, id) => list(r, id, 'kb://tenant/other/handbook'),
      'resources/list: not the one handbook',
    ],
    [
      'nothing queued',
      5,
      (r) => stream(r, 'id: g-1\nretry: 15000\n\n'),
      'GET stream: not the one notification',
    ],
    ['no retry', 5, (r) => stream(r, `id: g-1\ndata: ${CHANGED}\n\n`), 'GET stream: no event id or no retry'],
    [
      'a replay',
      6,
      (r) => stream(r, `id: g-1\nretry: 15000\ndata: ${CHANGED}\n\n`),
      'GET resumed: something was replayed',
    ],
    [
      'a replay after the cursor',
      6,
      (r) => stream(r, `id: g-1\nretry: 1\n\ndata: ${CHANGED}\n\n`),
      'GET resumed: something was replayed',
    ],
    ['another cursor', 6, (r) => stream(r, 'id: g-2\nretry: 15000\n\n'), 'GET resumed: the cursor moved'],
    [
      'a session that cannot be ended',
      7,
      (r) => json(r, 405, { error: 'method_not_allowed' }),
      'DELETE: the server refused the request (HTTP 405, method_not_allowed)',
    ],
    [
      'a session that lives on',
      8,
      (r, id) => json(r, 200, { jsonrpc: '2.0', id, result: {} }),
      'ping after DELETE: not refused',
    ],
    ['another refusal', 8, (r) => json(r, 404, { error: 'not_found' }), 'ping after DELETE: not refused'],
  ])('%s: FAIL with the trips that were made, exit code 1', async (_name, at, wrong, reason) => {
    const io = memoryIo();
    expect(await demo(io, { start: lessonWith(at, wrong) })).toBe(1);
    expect(JSON.parse(io.out())).toEqual({
      http_round_trips: at,
      profile: 'loopback-streamable-http-teaching-profile-v1',
      protocol_version: '2025-11-25',
      verdict: 'FAIL',
    });
    expect(io.out().split('\n')).toHaveLength(2);
    expect(io.err()).toContain(`demo failed: ${reason}`);
    expect(io.err()).not.toContain('canary');
  });

  test('nothing that it sends drives the terminal or shows the token', async () => {
    const io = memoryIo();
    expect(await demo(io, { verbose: true, start: lessonWith(4, evil) })).toBe(1);
    expect(io.err()).toContain(String.raw`< : \u001b[2J\u009b31m <token>`);
    expect(io.err()).not.toContain('\u001b');
    expect(io.err()).not.toContain('canary');
  });
});
