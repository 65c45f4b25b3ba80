/**
 * Every limit is a setting with a name, bounds and a default; a wrong one stops the start with one message that
 * lists every problem, and with exit code 2. That each limit is obeyed is tested where the limit is.
 */
import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { settingsFromEnvironment } from '../../src/config/environment.js';
import { settingDescriptors } from '../../src/config/setting.js';
import { SettingsError } from '../../src/config/settings-error.js';
import type { BoundarySettings } from '../../src/config/settings.js';
import { jsonRpcOf } from '../support/answers.js';
import { ask, call, openReadySession, post } from '../support/requests.js';
import { startServer } from '../support/server.js';
import { runCommand } from '../support/spawn-cli.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

/** The numbers of the contract and the names that others rely on. */
const LIMITS: ReadonlyArray<[name: string, property: keyof BoundarySettings, byDefault: number]> = [
  ['MCP_PORT', 'port', 3000],
  ['MCP_MAX_CONCURRENT_REQUESTS', 'maxConcurrentRequests', 64],
  ['MCP_MAX_PENDING_BODIES', 'maxPendingBodies', 256],
  ['MCP_MAX_CONNECTIONS', 'maxConnections', 1024],
  ['MCP_MAX_PATH_BYTES', 'maxPathBytes', 2048],
  ['MCP_MAX_HEADER_FIELDS', 'maxHeaderFields', 32],
  ['MCP_MAX_HEADER_VALUE_BYTES', 'maxHeaderValueBytes', 2048],
  ['MCP_MAX_HEADERS_BYTES', 'maxHeadersBytes', 12_288],
  ['MCP_MAX_BODY_BYTES', 'maxBodyBytes', 16_384],
  ['MCP_MAX_JSON_DEPTH', 'maxJsonDepth', 64],
  ['MCP_MAX_RESPONSE_BYTES', 'maxResponseBytes', 65_536],
  ['MCP_HEAD_TIMEOUT_MS', 'headTimeoutMs', 5000],
  ['MCP_BODY_TIMEOUT_MS', 'bodyTimeoutMs', 2000],
  ['MCP_MAX_DISCARD_BYTES', 'maxDiscardBytes', 1_048_576],
  ['MCP_DISCARD_TIMEOUT_MS', 'discardTimeoutMs', 1000],
  ['MCP_MAX_SESSIONS', 'maxSessions', 8],
  ['MCP_SESSION_TTL_SECONDS', 'sessionTtlSeconds', 60],
  ['MCP_MAX_EVENTS_PER_SESSION', 'maxEventsPerSession', 16],
  ['MCP_STREAM_RETRY_MS', 'streamRetryMs', 15_000],
];

const INTEGERS = settingDescriptors()
  .filter(({ kind }) => kind === 'integer')
  .map(({ env, property, bounds }) => {
    const [, min, max] = /^a whole number from (\d+) to (\d+)$/.exec(bounds) ?? [];
    return { env, property, min: Number(min), max: Number(max) };
  });

/** Values that are wrong for everything but integers, each name with its own. */
const WRONG_TEXTS: Readonly<Record<string, readonly string[]>> = {
  MCP_PUBLIC_URL: [
    '',
    'mcp.example/mcp',
    '/mcp',
    'ftp://mcp.example/mcp',
    `https://user:${CANARY}@mcp.example/mcp`,
    `https://mcp.example/mcp?${CANARY}`,
    `https://mcp.example/mcp#${CANARY}`,
    'https://MCP.example/mcp',
    'https://mcp.example:443/mcp',
    'https://mcp.example/a/../mcp',
    'https://mcp.example/m cp',
  ],
  MCP_ALLOWED_ORIGINS: [
    '',
    '*',
    'null',
    'https://a.example/',
    'https://a.example,',
    'https://a.example,,https://b.example',
    'https://A.example',
    'https://a.example:443',
    'a.example',
    `https://a.example,${CANARY}`,
  ],
  MCP_AUTHORIZATION_SERVERS: [
    '',
    CANARY,
    'http://as.example',
    `https://u:${CANARY}@as.example`,
    `https://as.example?${CANARY}`,
    'https://as.example#',
    'https://as.example,',
  ],
  MCP_RESOURCE_NAME: ['', 'a\nb', 'a\u0000', CANARY.repeat(22)],
  MCP_TOKENS_FILE: [''],
  MCP_CHALLENGE_SCOPE: ['', 'all', 'NEEDED', 'needed,granted-and-needed', CANARY],
  MCP_LOG_LEVEL: ['', 'trace', 'INFO', CANARY],
  MCP_ACCEPT_MISSING_PROTOCOL_VERSION: ['', '1', 'TRUE', CANARY],
  MCP_ACCEPT_OTHER_PROTOCOL_VERSION: ['', '1', 'yes', CANARY],
  MCP_ACCEPT_METADATA_CREDENTIALS: ['', '0', ' true', CANARY],
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    settingsFromEnvironment(environment);
  } catch (error) {
    if (error instanceof SettingsError && !error.message.includes(CANARY)) return error.problems;
    throw error;
  }
  return [];
}

const namesOf = (problems: readonly string[]): string[] =>
  problems.map((problem) => problem.split(' ')[0] ?? '');

describe('names, defaults, bounds', () => {
  test.each(LIMITS)('[N.settings] %s', (name, property, byDefault) => {
    expect(settingsFromEnvironment({})[property]).toBe(byDefault);
    const other = byDefault + 1;
    expect(settingsFromEnvironment({ [name]: String(other) })[property]).toBe(other);
  });

  test.each(INTEGERS)(
    '[N.settings] $env takes $min to $max, in plain digits only',
    ({ env, property, min, max }) => {
      for (const value of [min, max]) {
        const settings = settingsFromEnvironment({ [env]: String(value) });
        expect(settings[property as keyof BoundarySettings]).toBe(value);
      }
      const wrong = [
        String(min - 1),
        String(max + 1),
        '',
        ' ',
        `0${max}`,
        `+${max}`,
        `${max}.0`,
        `${max}e0`,
        ` ${max}`,
        `${max} `,
        '0x10',
        'NaN',
        'Infinity',
        '9'.repeat(30),
        CANARY,
        '１０',
      ];
      for (const value of wrong)
        expect([value, namesOf(problemsOf({ [env]: value }))]).toEqual([value, [env]]);
    },
  );

  test.each(Object.entries(WRONG_TEXTS))(
    '[N.settings] %s refuses what it cannot use, without a word of it',
    (env, values) => {
      for (const value of values)
        expect([value, namesOf(problemsOf({ [env]: value }))]).toEqual([value, [env]]);
    },
  );

  test('[N.settings] every setting is one of these', () => {
    const tested = [...INTEGERS.map(({ env }) => env), ...Object.keys(WRONG_TEXTS)];
    expect(tested.toSorted()).toEqual(
      settingDescriptors()
        .map(({ env }) => env)
        .toSorted(),
    );
  });

  test('[N.settings] lists are read with spaces around their items', () => {
    const { allowedOrigins, authorizationServers } = settingsFromEnvironment({
      MCP_ALLOWED_ORIGINS: ' https://a.example , http://b.example:8080',
      MCP_AUTHORIZATION_SERVERS: 'https://as.example/ , http://[::1]:9000',
    });
    expect(allowedOrigins).toEqual(['https://a.example', 'http://b.example:8080']);
    expect(authorizationServers).toEqual(['https://as.example/', 'http://[::1]:9000']);
  });

  test('[N.settings] settings are frozen', () => {
    const settings = settingsFromEnvironment({});
    expect(() => Object.assign(settings, { port: 1 })).toThrow(TypeError);
  });

  test.each([
    'MCP_',
    'MCP_MAX_SESSION',
    'MCP_max_sessions',
    'MCP___proto__',
    'MCP_constructor',
    'MCP_TOKENS',
  ])('[N.settings] %s is not a setting', (name) => {
    expect(problemsOf({ [name]: CANARY })).toEqual([`${name} is not a setting`]);
  });

  test('[N.settings] what does not begin with MCP_ is not looked at', () => {
    expect(problemsOf({ PATH: '/', MCP: 'x', mcp_port: 'x', XMCP_PORT: 'x' })).toEqual([]);
  });
});

/** For a process to start on a busy machine. */
const START_MS = 30_000;

describe('the start', () => {
  const rounds: ReadonlyArray<[name: string, valueOf: (integer: (typeof INTEGERS)[number]) => string]> = [
    ['all beyond their bounds', ({ max }) => String(max + 1)],
    ['no numbers at all', () => CANARY],
  ];
  test.each(rounds)(
    '[N.settings] %s: exit code 2, every problem in one message, no value, no stack',
    async (_name, valueOf) => {
      const env: Record<string, string> = {
        MCP_NOT_A_SETTING: CANARY,
        ...Object.fromEntries(INTEGERS.map((integer) => [integer.env, valueOf(integer)])),
        ...Object.fromEntries(
          Object.entries(WRONG_TEXTS).map(([name, values]) => [name, values.at(-1) ?? '']),
        ),
      };
      // Spawning takes no NUL in a value.
      env['MCP_RESOURCE_NAME'] = 'a\nb';
      const { code, stdout, stderr } = await runCommand(['serve'], { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      const [first, ...problems] = stderr.trimEnd().split('\n');
      expect(first).toBe(
        `nest-mcp-boundary cannot start: ${Object.keys(env).length} setting(s) cannot be used:`,
      );
      expect(namesOf(problems.map((line) => line.replace(/^ {2}- /, ''))).toSorted()).toEqual(
        Object.keys(env).toSorted(),
      );
      expect(stderr).not.toContain(CANARY);
      expect(stderr).not.toMatch(/\n\s+at |\.js|Error:/);
    },
    START_MS,
  );

  test(
    '[N.settings] a tokens file that cannot be used: exit code 2, its problems, no value, no stack',
    async () => {
      // This very file is no JSON.
      const env = { MCP_PORT: '0', MCP_TOKENS_FILE: new URL(import.meta.url).pathname };
      const { code, stdout, stderr } = await runCommand(['serve'], { env });
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^nest-mcp-boundary cannot start: MCP_TOKENS_FILE has 1 problem\(s\):\nthe file: is not strict JSON/,
      );
      expect(`${stdout}${stderr}`).not.toMatch(/\n\s*at |\.js|Error:|canary|"ready"/);
    },
    START_MS,
  );
});

describe('limits that are obeyed', () => {
  test('[N.settings] MCP_MAX_SESSIONS, MCP_MAX_RESPONSE_BYTES', async () => {
    const server = await startServer({
      tokens: ALICE_AND_BOB,
      env: { MCP_MAX_SESSIONS: '2', MCP_MAX_RESPONSE_BYTES: '100000' },
    });
    const session = await openReadySession(server);
    await openReadySession(server);
    await expect(openReadySession(server)).rejects.toThrow('session_capacity_exceeded');
    const big = (bytes: number) => ask(server, post(server, call(1, 'test/big', { bytes }), { session }));
    expect(jsonRpcOf(await big(99_000)).result).toBeDefined();
    expect(jsonRpcOf(await big(101_000)).error).toMatchObject({ data: { code: 'response_too_large' } });
  });
});
