import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain, type Explanation, type ExplainOptions } from '../../src/cli/explain.js';
import { CATALOG } from '../../src/errors/catalog.js';
import { GATE_LIST } from '../../src/gate-trace.js';
import { memoryIo } from '../support/memory-io.js';
import { startHostile } from '../support/hostile-server.js';
import { startServer } from '../support/server.js';
import { runCommand } from '../support/spawn-cli.js';
import { ALICE, ALICE_AND_BOB } from '../support/tokens.js';

const TOKEN = 'canary-token';
const SESSION = 'canary-session';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const FIELDS = {
  Host: 'mcp.example.com',
  Authorization: `Bearer ${TOKEN}`,
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
  'MCP-Session-Id': SESSION,
  'MCP-Protocol-Version': '2025-11-25',
} as const;

function raw(
  changes: Readonly<Record<string, string | undefined>> = {},
  body = PING,
  target = '/mcp',
): string {
  const fields = Object.entries({ ...FIELDS, 'Content-Length': String(Buffer.byteLength(body)), ...changes });
  const lines = fields.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'explain-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function explained(
  text: string,
  options: ExplainOptions = {},
): Promise<Explanation & { exitCode: number }> {
  const file = join(folder, 'request.txt');
  writeFileSync(file, text);
  const io = memoryIo();
  const exitCode = await explain(io, file, { ...options, json: true });
  expect(io.out()).not.toContain('canary');
  return { ...(JSON.parse(io.out()) as Explanation), exitCode };
}

const refusingGate = ({ gates }: Explanation): number | undefined =>
  gates.find(({ outcome }) => outcome === 'refused')?.number;

describe('explain a request', () => {
  test('that passes every gate', async () => {
    const explanation = await explained(raw());
    expect(explanation).toMatchObject({ exitCode: 0, status: 200, request: 'POST /mcp HTTP/1.1' });
    expect(new Set(explanation.gates.map(({ outcome }) => outcome))).toEqual(new Set(['passed']));
    expect(explanation.code).toBeUndefined();
  });

  test.each([
    ['a foreign origin', { Origin: 'https://attacker.example' }, {}, 4, 403, 'invalid_origin'],
    ['Accept */*', { Accept: '*/*' }, {}, 6, 406, 'not_acceptable'],
    ['text/plain', { 'Content-Type': 'text/plain' }, {}, 6, 415, 'unsupported_media_type'],
    ['no length', { 'Content-Length': undefined }, {}, 7, 411, 'length_required'],
    ['no token', { Authorization: undefined }, {}, 8, 401, 'authorization_required'],
    ['a token that is not assumed', {}, { assume: false }, 8, 401, 'invalid_token'],
    ['a token with too few scopes', {}, { scopes: 'mcp:connect' }, 8, 403, 'insufficient_scope'],
    ['no version', { 'MCP-Protocol-Version': undefined }, {}, 9, 400, 'missing_protocol_version'],
    ['no session', { 'MCP-Session-Id': undefined }, {}, 9, 400, 'missing_or_invalid_session'],
  ] as const)('with %s', async (_what, changes, options, gate, status, code) => {
    const explanation = await explained(raw(changes), options);
    expect(explanation).toMatchObject({ exitCode: 1, status, code, rule: CATALOG[code].meaning });
    expect(explanation.cure).toEqual(expect.stringMatching(/\.$/));
    expect(refusingGate(explanation)).toBe(gate);
    const order = explanation.gates.map(({ outcome }) => outcome);
    expect(order.slice(0, order.indexOf('refused')).every((outcome) => outcome === 'passed')).toBe(true);
    expect(order.slice(order.indexOf('refused') + 1).every((outcome) => outcome === 'not reached')).toBe(
      true,
    );
  });

  test('with a token in the query, which is not shown', async () => {
    const explanation = await explained(raw({}, PING, `/mcp?access_token=${TOKEN}`));
    expect(explanation).toMatchObject({ code: 'query_not_allowed', request: 'POST /mcp?… HTTP/1.1' });
  });

  test('that the parser refuses before any gate', async () => {
    const explanation = await explained(
      raw().replace('Content-Length:', 'Content-Length: 1\r\nContent-Length:'),
    );
    expect(explanation).toMatchObject({ status: 400, code: 'duplicate_header' });
    expect(new Set(explanation.gates.map(({ outcome }) => outcome))).toEqual(new Set(['not reached']));
  });

  test('whose method refuses, behind all gates', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"no/such"}';
    expect(await explained(raw({}, body))).toMatchObject({ exitCode: 0, status: 200, jsonRpcError: -32601 });
  });

  test('pasted with LF and with the line end of an editor', async () => {
    const explanation = await explained(`${raw().replaceAll('\r\n', '\n')}\n`);
    expect(explanation.status).toBe(200);
    expect(explanation.notes).toEqual(
      expect.arrayContaining([expect.stringContaining('CRLF'), expect.stringContaining('an editor adds')]),
    );
  });

  test('pasted from a curl -v log', async () => {
    const log = [
      '* Connected',
      '> DELETE /mcp HTTP/1.1',
      '> Host: 127.0.0.1:3000',
      `> Authorization: Bearer ${TOKEN}`,
    ];
    const lines = [
      ...log,
      `> MCP-Session-Id: ${SESSION}`,
      '> MCP-Protocol-Version: 2025-11-25',
      '> ',
      '< HTTP/1.1 204',
    ];
    expect(await explained(lines.join('\n'))).toMatchObject({ status: 204, exitCode: 0 });
  });

  test.each([
    ['bare', `curl http://127.0.0.1:3000/mcp -d '${PING}'`, 'not_acceptable'],
    [
      'with its own type',
      `curl -H 'Accept: application/json, text/event-stream' localhost:3000/mcp -d '${PING}'`,
      'unsupported_media_type',
    ],
    [
      'right but for the token',
      `curl -sS -X POST --url "http://127.0.0.1:3000/mcp" \\\n -H "Accept: application/json, text/event-stream" \\\n --json $'${PING}'`,
      'authorization_required',
    ],
    ['a GET', `curl -N http://127.0.0.1:3000/mcp -H 'Accept: text/event-stream'`, 'authorization_required'],
  ])('as a curl command, %s', async (_what, command, code) => {
    const explanation = await explained(command);
    expect(explanation.code).toBe(code);
  });

  test('as a curl command for HEAD, whose answer has no body and so no code', async () => {
    const explanation = await explained('curl -I http://127.0.0.1:3000/mcp');
    expect(explanation).toMatchObject({ status: 405, request: 'HEAD /mcp HTTP/1.1' });
    expect(refusingGate(explanation)).toBe(5);
  });

  test('on a server that runs: the public code tells the gate', async () => {
    const server = await startServer({ tokens: ALICE_AND_BOB });
    const own = { Host: `127.0.0.1:${server.port}`, Authorization: `Bearer ${ALICE}` };
    const explanation = await explained(raw(own), { url: server.resource });
    expect(explanation).toMatchObject({ status: 404, code: 'session_not_found' });
    expect(refusingGate(explanation)).toBe(9);
  });

  test('on a server of somebody else: its code is not taken for one of ours', async () => {
    const stranger = await startHostile((_request, reply) => reply.writeHead(404).end('{"error":"made_up"}'));
    const explanation = await explained(raw(), { url: stranger.url });
    expect(explanation.status).toBe(404);
    expect(explanation.code).toBeUndefined();
  });
});

describe('explain as a command', () => {
  test('reads standard input, draws the gates, uses no colour in a pipe, shows no secret', async () => {
    const { code, stdout, stderr } = await runCommand(['explain'], {
      input: raw({ Accept: 'application/json' }),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain(
      '   6  refused      can the caller take what is answered, and is the body JSON?',
    );
    expect(stdout).toContain('  answer     406 not_acceptable');
    expect(stdout).not.toContain('canary');
    expect(stdout).not.toContain('\u001b');
  });

  test('uses colour where a person looks', async () => {
    const file = join(folder, 'coloured.txt');
    writeFileSync(file, raw());
    const io = memoryIo({ isTerminal: true });
    expect(await explain(io, file)).toBe(0);
    expect(io.out()).toContain('\u001b[32mpassed');
  });

  test.each([
    ['nothing', '', 'nothing was pasted'],
    ['prose', 'please help', 'the first line is neither'],
    ['an open quote', "curl 'http://127.0.0.1", 'is not closed'],
    ['curl without URL', 'curl -s', 'has no URL'],
    ['a body from a file', 'curl http://127.0.0.1/mcp -d @secret.json', 'is not read'],
  ])('%s: exit code 2 and one line', async (_what, input, problem) => {
    const { code, stdout, stderr } = await runCommand(['explain'], { input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^explain: .*\n$/);
    expect(stderr).toContain(problem);
  });

  test('a file that is not there: exit code 2, and its name is not told', async () => {
    const { code, stderr } = await runCommand(['explain', '/canary/none']);
    expect(code).toBe(2);
    expect(stderr).toBe('explain: the request cannot be read\n');
  });
});

test('the gates together refuse with every code that is a refusal at a gate', () => {
  const atGates = new Set(GATE_LIST.flatMap(({ codes }) => codes));
  const behindGates = [
    'invalid_initialize',
    'unsupported_notification',
    'unexpected_response',
    'invalid_last_event_id',
    'session_capacity_exceeded',
    'event_capacity_exceeded',
    'metadata_does_not_accept_credentials',
    'internal_error',
  ];
  expect(Object.keys(CATALOG).filter((code) => !atGates.has(code as keyof typeof CATALOG))).toEqual(
    behindGates,
  );
});
