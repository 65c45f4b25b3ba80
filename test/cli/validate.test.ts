/** `validate` as a process: what it prints, where, and with which exit code. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULE_IDS } from '../../src/validator/catalogue.js';
import { type Ended, runCommand, type SpawnOptions } from '../support/spawn-cli.js';
import {
  as,
  AUTHORIZATION,
  c,
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  DEFAULTS,
  GUIDE,
  handshake,
  type Json,
  SERVER_CAPABILITIES,
  SERVER_INFO,
  type Step,
  TOOL,
} from '../support/validator-world.js';

const SUMMARY =
  '{"status":"ok","profile":"offline-mcp-teaching-profile-v2","protocol_version":"2025-11-25","case_count":54,"passed":16,"expected_failures":38}\n';
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

/** Code and output of `validate …`; it may be told what stdin holds. */
async function spawnCli(args: readonly string[], options: SpawnOptions = {}): Promise<Omit<Ended, 'signal'>> {
  const { code, stdout, stderr } = await runCommand(args, options);
  return { code, stdout, stderr };
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
  return path;
}

const ping: Step = { direction: 'client_to_server', message: { jsonrpc: '2.0', id: 2, method: 'ping' } };
const bad: Step = { direction: 'client_to_server', message: { jsonrpc: '2.0', id: null, method: 'ping' } };

function fixture(cases: unknown, changes: Json = {}): Json {
  return {
    schema_version: 3,
    protocol_version: '2025-11-25',
    transport_context_defaults: DEFAULTS,
    authorization: AUTHORIZATION,
    client: { info: CLIENT_INFO, capabilities: CLIENT_CAPABILITIES },
    server: { info: SERVER_INFO, capabilities: SERVER_CAPABILITIES },
    tool: TOOL,
    cases,
    ...changes,
  };
}

const good = { name: 'good', expect: 'pass', steps: [ping] };
const wrong = { name: 'wrong', expect: 'fail', error: 'json.invalid', steps: [bad] };

function jsonl(steps: readonly Step[]): string {
  return steps
    .map(({ direction, message, context }) =>
      JSON.stringify({ direction, message, transport_context: context }),
    )
    .join('\n');
}

const read = (id: number, context?: unknown): Step =>
  c({ id, method: 'resources/read', params: { uri: GUIDE } }, context);

const exchange = (at: number, post: unknown, answer: unknown): Json => ({
  startedDateTime: `2025-11-25T10:00:0${at}.000Z`,
  time: 10,
  request: {
    method: 'POST',
    url: 'https://door.example/mcp',
    headers: [],
    postData: { mimeType: 'application/json', text: JSON.stringify(post) },
  },
  response: {
    status: answer === undefined ? 202 : 200,
    headers: [],
    content: { mimeType: 'application/json', text: answer === undefined ? '' : JSON.stringify(answer) },
  },
});

describe('validate', () => {
  it('runs the shipped fixture, from any directory', async () => {
    expect(await spawnCli(['validate'], { cwd: folder })).toEqual({ code: 0, stdout: SUMMARY, stderr: '' });
  });

  it('prints a row for each case with --verbose, the summary last', async () => {
    const { code, stdout } = await spawnCli(['validate', '--verbose']);
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(55);
    expect(`${lines.at(-1)}\n`).toBe(SUMMARY);
    expect(stdout).toContain('resources.prefix_is_not_child at step 2 /params/uri: ');
  });

  it('prints one JSON report with --json', async () => {
    const { stdout } = await spawnCli(['validate', '--json']);
    const report = JSON.parse(stdout) as { case_count: number; cases: Json[] };
    expect(report).toMatchObject({ status: 'ok', case_count: 54, passed: 16, expected_failures: 38 });
    expect(report.cases).toHaveLength(54);
    expect(report.cases.find(({ rule }) => rule === 'envelope.id_type')).toMatchObject({
      status: 'expected_failure',
      expected_rule: 'envelope.id_type',
      step: 0,
      pointer: '/id',
      reason: 'The id must be a string or integer, not null.',
    });
  });

  it('reads stdin for -', async () => {
    const { code, stdout } = await spawnCli(['validate', '-'], { input: JSON.stringify(fixture([good])) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'ok',
      case_count: 1,
      passed: 1,
      expected_failures: 0,
    });
  });

  it('exits 1 when a case has not met its expectation, and says which on stderr', async () => {
    const path = await file('wrong.json', fixture([good, wrong]));
    const { code, stdout, stderr } = await spawnCli(['validate', path]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      case_count: 2,
      passed: 1,
      expected_failures: 0,
      unmet: 1,
    });
    expect(stderr).toBe(
      'wrong_reason       wrong: envelope.id_type at step 0 /id: The id must be a string or integer, not null. (expected json.invalid)\n',
    );
  });

  it.each<[string, Json]>([
    ['a pass that fails', { ...good, steps: [bad] }],
    ['a fail that passes', { ...good, expect: 'fail' }],
    ['another text', { ...wrong, error: undefined, error_contains: 'no such words' }],
  ])('exits 1 for %s', async (_name, one) => {
    expect((await spawnCli(['validate', '-'], { input: JSON.stringify(fixture([one])) })).code).toBe(1);
  });

  it('runs one case with --case', async () => {
    const path = await file('two.json', fixture([good, wrong]));
    const { code, stdout } = await spawnCli(['validate', path, '--case', 'good']);
    expect([code, (JSON.parse(stdout) as Json)['case_count']]).toEqual([0, 1]);
    const missing = await spawnCli(['validate', path, '--case', 'absent']);
    expect(missing).toEqual({
      code: 2,
      stdout: '',
      stderr: 'validate: the fixture cannot be used: it has no case of that name\n',
    });
  });

  it('prints every rule with --rules', async () => {
    const { code, stdout } = await spawnCli(['validate', '--rules']);
    expect(code).toBe(0);
    for (const id of RULE_IDS) expect(stdout).toContain(`| ${id} | `);
    const rows = JSON.parse((await spawnCli(['validate', '--rules', '--json'])).stdout) as Json[];
    expect(rows.map(({ id }) => id)).toEqual(RULE_IDS);
  });
});

describe('unusable input exits 2 with one line, no stack, no path, no secret', () => {
  it.each<[string, unknown, string]>([
    ['broken JSON', '{"a":', 'invalid JSON at line 1, column 6: unexpected end'],
    ['an unknown key', fixture([good], { extra: 1 }), 'the fixture has unknown keys: extra'],
    [
      'an unknown key that looks like a token',
      fixture([good], { [SECRET]: 1 }),
      'the fixture has unknown keys: (withheld)',
    ],
    ['another schema_version', fixture([good], { schema_version: 4 }), 'schema_version must be 3'],
    ['nothing', '', 'invalid JSON at line 1, column 1: unexpected end'],
    ['too much', ' '.repeat(2_000_001), 'it exceeds 2000000 bytes'],
    ['bytes that are no UTF-8', Uint8Array.of(0xff), 'it is not valid UTF-8'],
  ])('%s', async (_name, content, problem) => {
    const path = await file('unusable.json', content);
    expect(await spawnCli(['validate', path])).toEqual({
      code: 2,
      stdout: '',
      stderr: `validate: the fixture cannot be used: ${problem}\n`,
    });
  });

  it.each<[string, string[]]>([
    ['fixture', []],
    ['transcript', ['--transcript']],
    ['HAR file', ['--har']],
  ])('a %s that is not there, or a directory', async (what, option) => {
    const absent = join(folder, 'absent', 'secret-name.json');
    const stderr = (problem: string): string => `validate: the ${what} cannot be used: ${problem}\n`;
    expect(await spawnCli(['validate', ...option, absent])).toEqual({
      code: 2,
      stdout: '',
      stderr: stderr('there is no such file (ENOENT)'),
    });
    expect(await spawnCli(['validate', ...option, folder])).toEqual({
      code: 2,
      stdout: '',
      stderr: stderr('it is a directory (EISDIR)'),
    });
  });

  it('does not read all of an endless input', async () => {
    const { code, stderr } = await spawnCli(['validate', '/dev/zero']);
    expect([code, stderr]).toEqual([2, 'validate: the fixture cannot be used: it exceeds 2000000 bytes\n']);
  });

  it.each([
    [['--policy', 'x'], '--policy needs --transcript'],
    [['a.json', '--transcript', 'b'], 'a fixture, --transcript and --har exclude each other'],
    [['--har', 'a', '--case', 'b'], '--case needs a fixture'],
  ])('%j', async (args, problem) => {
    const { code, stderr } = await spawnCli(['validate', ...args]);
    expect([code, stderr]).toEqual([2, `validate: the set of options cannot be used: ${problem}\n`]);
  });

  it('an option that does not exist', async () => {
    const { code, stderr } = await spawnCli(['validate', '--colour']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('    at ');
  });
});

describe('validate --transcript', () => {
  it('prints each finding with line and pointer, and ends with counts', async () => {
    const path = await file(
      'session.jsonl',
      jsonl([...handshake({ steps: [] }), bad, c({ id: 3, method: 'ping' }), c({ id: 3, method: 'ping' })]),
    );
    const { code, stdout, stderr } = await spawnCli(['validate', '--transcript', path]);
    const lines = stdout.trimEnd().split('\n');
    expect([code, stderr]).toEqual([1, '']);
    expect(lines.slice(0, 2)).toEqual([
      'line 4 /message/id: envelope.id_type: The id must be a string or integer, not null.',
      'line 6 /message/id: correlation.duplicate_outstanding_id: The client sent a duplicate outstanding request id.',
    ]);
    expect(JSON.parse(lines[2] as string)).toMatchObject({
      status: 'findings',
      messages: 6,
      findings: 2,
      not_judged: 0,
    });
  });

  it('exits 0 when nothing was found; notices do not count', async () => {
    const steps = [...handshake({ steps: [] }), c({ id: 1, method: 'prompts/list' })];
    const { code, stdout } = await spawnCli(['validate', '--transcript', '-', '--verbose'], {
      input: jsonl(steps),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('line 4 /message/method: method.not_implemented (not judged): ');
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) as string)).toMatchObject({
      status: 'ok',
      not_judged: 1,
    });
  });

  it('prints findings as JSON Lines with --json', async () => {
    const { stdout } = await spawnCli(['validate', '--transcript', '-', '--json'], {
      input: jsonl([...handshake({ steps: [] }), bad]),
    });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(rows[0]).toEqual({
      kind: 'finding',
      line: 4,
      rule: 'envelope.id_type',
      pointer: '/message/id',
      reason: 'The id must be a string or integer, not null.',
      facts: { actual: 'null' },
    });
    expect(rows[1]).toHaveProperty('status', 'findings');
  });

  it('judges snapshots with --policy', async () => {
    const policy = await file('policy.json', {
      authorization: AUTHORIZATION,
      transport_context_defaults: DEFAULTS,
    });
    const input = jsonl([
      ...handshake({ steps: [] }),
      read(1, as()),
      read(2),
      read(3, as({ tenant: 'south' })),
    ]);
    const { stdout } = await spawnCli(['validate', '--transcript', '-', '--policy', policy], { input });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'line 5: authorization.context_missing: The method resources/read needs a transport_context: roots or session state never replace authorization.',
      'line 6: authorization.tenant_binding: The tenant breaks the principal binding: the subject belongs to another tenant.',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no authorization', {}, 'it must be an object with the key authorization'],
    ['an unknown key', { authorization: AUTHORIZATION, tool: {} }, 'it has unknown keys: tool'],
    ['a broken policy', { authorization: {} }, '/authorization lacks the key protected_resource'],
    ['no JSON', 'x', 'invalid JSON at line 1, column 1: unexpected character'],
  ])('refuses a policy with %s', async (_name, content, problem) => {
    const policy = await file('bad-policy.json', content);
    const { code, stderr } = await spawnCli(['validate', '--transcript', '-', '--policy', policy]);
    expect([code, stderr]).toEqual([2, `validate: the policy cannot be used: ${problem}\n`]);
  });

  it('goes on after lines that are no messages, in CRLF and without a last line end', async () => {
    const lines = [...jsonl(handshake({ steps: [] })).split('\n'), 'what?', '', '[]', JSON.stringify(ping)];
    const { stdout } = await spawnCli(['validate', '--transcript', '-'], { input: lines.join('\r\n') });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'line 4: json.invalid: The text is invalid JSON at offset 0: unexpected character.',
      'line 6: step.shape: The step is not an object.',
    ]);
    expect(stdout).toContain('"messages":4,"findings":2,');
  });

  it('passes over a line that is too long, and one that is no UTF-8', async () => {
    const path = await file(
      'long.jsonl',
      Buffer.concat([
        Buffer.from(`"${'x'.repeat(2_000_000)}"\n`),
        Buffer.of(0x22, 0xff, 0x22, 0x0a),
        Buffer.from(JSON.stringify(ping)),
      ]),
    );
    const { stdout } = await spawnCli(['validate', '--transcript', path]);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'line 1: json.too_large: The JSON text exceeds the limit of 2000000 bytes.',
      'line 2: json.invalid_utf8: The JSON text is not valid UTF-8.',
      'line 3 /message/method: lifecycle.initialize_first: The initialize request must be the first interaction, not ping.',
    ]);
  });
});

describe('validate --har', () => {
  const [request, answer, initialized] = handshake({ steps: [] }) as [Step, Step, Step];
  const entries = [exchange(0, request.message, answer.message), exchange(1, initialized.message, undefined)];

  it('exits 0 for a good export', async () => {
    const path = await file('good.har', { log: { version: '1.2', entries } });
    const { code, stdout } = await spawnCli(['validate', '--har', path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', messages: 3, skipped_entries: 0 });
  });

  it('exits 1 with entry and side of a finding', async () => {
    const path = await file('bad.har', {
      log: { entries: [...entries, exchange(2, ping.message, { jsonrpc: '2.0', id: 2 })] },
    });
    const { code, stdout } = await spawnCli(['validate', '--har', path]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^entry 2 response: envelope\.kind: /);
  });

  it('exits 2 for what is no export', async () => {
    const path = await file('no.har', {});
    expect(await spawnCli(['validate', '--har', path])).toMatchObject({
      code: 2,
      stderr: 'validate: the HAR file cannot be used: it has no log.entries\n',
    });
  });
});

describe('a transcript of 200 MB', () => {
  it('is judged in bounded memory', async () => {
    const path = join(folder, 'large.jsonl');
    const note = 'x'.repeat(1500);
    function* session(): Generator<string> {
      yield `${jsonl(handshake({ steps: [] }))}\n`;
      for (let id = 1, written = 0; written < 200_000_000; id += 100) {
        let block = '';
        for (let i = id; i < id + 100; i++) {
          // Integers that count up are one interval; every other id is a string that has to be remembered.
          const key = i % 2 === 0 ? String(i) : `"request-number-${i}"`;
          block += `{"direction":"client_to_server","message":{"jsonrpc":"2.0","id":${key},"method":"ping","params":{"_meta":{"note":"${note}"}}}}\n`;
          block += `{"direction":"server_to_client","message":{"jsonrpc":"2.0","id":${key},"result":{}}}\n`;
        }
        written += block.length;
        yield block;
      }
    }
    await writeFile(path, session());
    // 32 MB of old space cannot hold a sixth of the text.
    const { code, stdout, stderr } = await spawnCli(['validate', '--transcript', path], {
      env: { NODE_OPTIONS: '--max-old-space-size=32' },
    });
    await rm(path);
    expect([code, stderr]).toEqual([0, '']);
    expect((JSON.parse(stdout) as { messages: number }).messages).toBeGreaterThan(200_000);
  }, 120_000);

  it('keeps nothing of a long line alive, though its request is outstanding', async () => {
    const path = join(folder, 'outstanding.jsonl');
    const note = 'x'.repeat(1_900_000);
    function* session(): Generator<string> {
      yield `${jsonl(handshake({ steps: [] }))}\n`;
      for (let i = 0; i < 60; i++) {
        const id = `"a-request-of-number-${i}"`;
        const meta = `{"note":"${note}","progressToken":"a-token-of-number-${i}"}`;
        yield `{"direction":"client_to_server","message":{"jsonrpc":"2.0","id":${id},"method":"resources/read","params":{"uri":"docs://north/page/number/${i}","_meta":${meta}}}}\n`;
      }
    }
    await writeFile(path, session());
    const { code, stderr } = await spawnCli(['validate', '--transcript', path], {
      env: { NODE_OPTIONS: '--max-old-space-size=48' },
    });
    await rm(path);
    expect([code, stderr]).toEqual([0, '']);
  }, 120_000);
});
