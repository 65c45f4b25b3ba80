import { describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import type { Principal } from '../../src/exchange/principal.js';
import { TokenPolicy, type TokenVerdict } from '../../src/auth/token-policy.js';
import { attack, startTarget, type Target } from '../../src/cli/attack.js';
import { memoryIo } from '../support/memory-io.js';
import { startHostile } from '../support/hostile-server.js';
import { runCommand } from '../support/spawn-cli.js';

function line(blocked: number, verdict: 'BLOCK' | 'ALLOW'): string {
  return `{"blocked_attacks": ${blocked}, "profile": "loopback-streamable-http-teaching-profile-v1", "protocol_version": "2025-11-25", "verdict": "${verdict}"}\n`;
}

describe('attack', () => {
  test('as a process: one line, nothing else, exit code 0', async () => {
    const ended = await runCommand(['attack']);
    expect(ended).toEqual({ code: 0, signal: null, stdout: line(4, 'BLOCK'), stderr: '' });
  });

  test('as a process with --verbose: the same line; the refusals on stderr, nothing secret', async () => {
    const { code, stdout, stderr } = await runCommand(['attack', '--verbose']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: line(4, 'BLOCK') });
    for (const text of [
      'foreign Origin: must be 403 invalid_origin',
      '> origin: https://attacker.example',
      '{"error":"invalid_origin"}',
      '{"error":"invalid_token"}',
      '{"error":"insufficient_scope"}',
    ]) {
      expect(stderr).toContain(text);
    }
    expect(new Set(stderr.match(/authorization: .*/g))).toEqual(new Set(['authorization: Bearer <token>']));
    expect(new Set(stderr.match(/mcp-session-id: .*/g))).toEqual(new Set(['mcp-session-id: <session id>']));
  });

  test('as a function', async () => {
    const io = memoryIo();
    expect(await attack(io)).toBe(0);
    expect({ out: io.out(), err: io.err() }).toEqual({ out: line(4, 'BLOCK'), err: '' });
  });
});

/** A policy that turns the honest verdict into another one. */
class Weakened extends TokenPolicy {
  constructor(
    private readonly honest: TokenPolicy,
    private readonly weaken: (verdict: TokenVerdict, known: Principal) => TokenVerdict,
  ) {
    super();
  }

  /** Whom the policy last let in, for a verdict that needs somebody. */
  #known: Principal = {
    subject: 'nobody',
    tenant: 'nobody',
    scopes: ['mcp:connect'],
    authorizationRevision: '1',
    tokenId: 'none',
    expiresAt: Number.MAX_SAFE_INTEGER,
  };

  override async authenticate(token: string, resource: string): Promise<TokenVerdict> {
    const verdict = await this.honest.authenticate(token, resource);
    if (verdict.ok) this.#known = verdict.principal;
    return this.weaken(verdict, this.#known);
  }
}

const weakenedBy =
  (weaken: (verdict: TokenVerdict, known: Principal) => TokenVerdict) => (): Promise<Target> =>
    startTarget({ policy: (honest) => new Weakened(honest, weaken) });

const letIn = (reason: string) =>
  weakenedBy((verdict, principal) =>
    !verdict.ok && verdict.reason === reason ? { ok: true, principal } : verdict,
  );

const everyScope = weakenedBy((verdict) =>
  verdict.ok
    ? { ok: true, principal: { ...verdict.principal, scopes: ['mcp:connect', 'mcp:use', 'resources:read'] } }
    : verdict,
);

const openOrigin = (): Promise<Target> =>
  startTarget({ settings: { allowedOrigins: ['https://attacker.example'] } });

/** The honest server behind something that adds what it got as a header to every answer. */
async function echoing(): Promise<Target> {
  const target = await startTarget();
  const { port } = new URL(target.url);
  const { url } = await startHostile(({ method, path, headers, body }, reply) => {
    const upstream = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { ...headers, host: `127.0.0.1:${port}` },
    });
    upstream.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'X-Echo': headers['authorization'] });
      answer.pipe(reply);
    });
    upstream.end(body);
  });
  return { ...target, url };
}

describe('attack on a server with a hole', () => {
  test.each<[name: string, start: () => Promise<Target>, blocked: number, words: RegExp]>([
    [
      'revocation is not looked at',
      letIn('revoked'),
      3,
      /^not blocked: revoked token: the server did what was asked\n$/,
    ],
    [
      'any token will do',
      letIn('unknown'),
      3,
      /^not blocked: unknown token: the server did what was asked\n$/,
    ],
    [
      'scopes are not looked at',
      everyScope,
      3,
      /^not blocked: insufficient scope: the server did what was asked\n$/,
    ],
    [
      'every origin is welcome',
      openOrigin,
      3,
      /^not blocked: foreign Origin: the server did what was asked\n$/,
    ],
    ['answers hold the token', echoing, 0, /^(?:not blocked: .*: an answer holds a token\n){4}$/],
    [
      'every token is refused, so that nothing is proved',
      weakenedBy(() => ({ ok: false, code: 'invalid_token', reason: 'unknown' })),
      2,
      /insufficient scope: could not be tried: .*\n.*revoked token: could not be tried: /,
    ],
    [
      'the wrong refusal',
      weakenedBy((verdict) =>
        verdict.ok ? verdict : { ok: false, code: 'forbidden', reason: 'tenant_not_allowed' },
      ),
      2,
      /unknown token: the server refused the request \(HTTP 403, forbidden\)\n/,
    ],
  ])('%s: ALLOW, and exit code 1', async (_name, start, blocked, words) => {
    const io = memoryIo();
    expect(await attack(io, { start })).toBe(1);
    expect(io.out()).toBe(line(blocked, 'ALLOW'));
    expect(io.err()).toMatch(words);
  });
});
