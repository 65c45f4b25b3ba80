/**
 * `attack`: four attempts on the real application on a random loopback port, each of which must be refused with its
 * own status and code, and no answer may hold a token. One line on stdout says how many were blocked; what got
 * through is on stderr.
 */
import { BASE_SCOPES, SHIPPED_SCOPES } from '../auth/scope-catalog.js';
import { ClientError } from '../client/client-error.js';
import type { RoundTrip } from '../client/loopback-http.js';
import { ACCEPTED_REVISION, McpClient } from '../client/mcp-client.js';
import { randomToken, startTeachingApp, type TeachingApp, type TeachingAppOptions } from '../teaching-app.js';
import type { CliIo } from './cli-io.js';
import { type ExitCode, exitCodeOfVerdict } from './exit-code.js';
import { roundTripText } from './round-trip-text.js';
import type { RegisterCommand } from './run-cli.js';
import { PROFILE, verdictLine } from './verdict.js';

/** Who holds a token: `reader` may do everything, `pinger` may not list resources, `leaver` will be revoked. */
const GRANTS = {
  reader: SHIPPED_SCOPES,
  pinger: BASE_SCOPES,
  leaver: SHIPPED_SCOPES,
} as const;

export type Target = TeachingApp<keyof typeof GRANTS>;

interface Arena {
  readonly target: Target;
  /** Of the attempt with a token that was never issued. */
  readonly unknownToken: string;
  readonly client: (token: string, headers?: Readonly<Record<string, string>>) => McpClient;
}

interface Attack {
  readonly name: string;
  /** How the server must refuse. */
  readonly status: number;
  readonly publicCode: string;
  /** What WWW-Authenticate must say; undefined = there must be none. */
  readonly challenge: RegExp | undefined;
  /** Gets ready, all of which must succeed, and gives the one request that must not. */
  readonly prepare: (arena: Arena) => Promise<() => Promise<unknown>>;
}

const ATTACKS: readonly Attack[] = [
  {
    // A page of another site that somebody has open, with a token that is good: the Origin alone must be enough.
    name: 'foreign Origin',
    status: 403,
    publicCode: 'invalid_origin',
    challenge: undefined,
    prepare: async ({ client, target }) => {
      const foreign = client(target.tokens.reader, { Origin: 'https://attacker.example' });
      return () => foreign.initialize();
    },
  },
  {
    name: 'unknown token',
    status: 401,
    publicCode: 'invalid_token',
    challenge: /^Bearer (?:.*, )?error="invalid_token"/,
    prepare: async ({ client, unknownToken }) => {
      const stranger = client(unknownToken);
      return () => stranger.initialize();
    },
  },
  {
    name: 'insufficient scope',
    status: 403,
    publicCode: 'insufficient_scope',
    challenge: /^Bearer (?:.*, )?error="insufficient_scope"/,
    prepare: async ({ client, target }) => {
      const pinger = client(target.tokens.pinger);
      await pinger.connect();
      await pinger.ping();
      return () => pinger.listResources();
    },
  },
  {
    name: 'revoked token',
    status: 401,
    publicCode: 'invalid_token',
    challenge: /^Bearer (?:.*, )?error="invalid_token"/,
    prepare: async ({ client, target }) => {
      const leaver = client(target.tokens.leaver);
      await leaver.connect();
      await leaver.ping();
      target.revoke('leaver');
      return () => leaver.ping();
    },
  },
];

export interface AttackOptions {
  /** Show each round trip on stderr. */
  readonly verbose?: boolean | undefined;
  /** Starts what is attacked; default: the real application, not weakened. */
  readonly start?: (() => Promise<Target>) | undefined;
}

/** @param weaken makes holes, so that a test can prove that they are found */
export function startTarget(
  weaken: Omit<TeachingAppOptions<keyof typeof GRANTS>, 'grants'> = {},
): Promise<Target> {
  return startTeachingApp({ ...weaken, grants: GRANTS });
}

export const registerAttack: RegisterCommand = (program, io, report) => {
  program
    .command('attack')
    .description('start the server, try four attacks on it, and say BLOCK or ALLOW')
    .option('--verbose', 'show each HTTP round trip on stderr')
    .action(async ({ verbose }: { verbose?: boolean }) => {
      const code = await attack(io, { verbose });
      report(code);
    });
};

export async function attack(
  io: CliIo,
  { verbose = false, start = startTarget }: AttackOptions = {},
): Promise<ExitCode> {
  const target = await start();
  try {
    let blocked = 0;
    for (const each of ATTACKS) {
      if (verbose) io.stderr.write(`${each.name}: must be ${each.status} ${each.publicCode}\n\n`);
      const hole = await holeFoundBy(each, target, (roundTrip) => {
        if (verbose) io.stderr.write(roundTripText(roundTrip, io.isTerminal));
      });
      if (hole === undefined) blocked++;
      else io.stderr.write(`not blocked: ${each.name}: ${hole}\n`);
    }
    const verdict = blocked === ATTACKS.length ? 'BLOCK' : 'ALLOW';
    io.stdout.write(
      verdictLine({
        blocked_attacks: blocked,
        profile: PROFILE,
        protocol_version: ACCEPTED_REVISION,
        verdict,
      }),
    );
    return exitCodeOfVerdict(verdict);
  } finally {
    await target.stop();
  }
}

/** @returns why the attack does not count as blocked, or undefined */
async function holeFoundBy(
  { status, publicCode, challenge, prepare }: Attack,
  target: Target,
  onRoundTrip: (roundTrip: RoundTrip) => void,
): Promise<string | undefined> {
  const unknownToken = randomToken();
  const tokens = [...Object.values(target.tokens), unknownToken];
  let leaks = 0;
  const client: Arena['client'] = (token, headers) =>
    new McpClient({
      url: target.url,
      token,
      headers,
      onRoundTrip: (roundTrip) => {
        if (isLeaking(roundTrip, tokens)) leaks++;
        onRoundTrip(roundTrip);
      },
    });

  const strike = await prepare({ target, unknownToken, client }).catch((error: unknown) => error);
  if (typeof strike !== 'function') return `could not be tried: ${wordsOf(strike)}`;
  const refusal: unknown = await strike().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal === undefined) return 'the server did what was asked';
  if (!(refusal instanceof ClientError) || refusal.code !== 'refused') return wordsOf(refusal);
  const { facts } = refusal;
  if (facts.status !== status || facts.publicCode !== publicCode) return refusal.message;
  const isChallengeRight =
    challenge === undefined ? facts.challenge === undefined : challenge.test(facts.challenge ?? '');
  if (!isChallengeRight) return 'the challenge is not the one that belongs to the refusal';
  return leaks > 0 ? 'an answer holds a token' : undefined;
}

function isLeaking({ outcome }: RoundTrip, tokens: readonly string[]): boolean {
  if (outcome instanceof ClientError) return false;
  const texts = [outcome.text, ...outcome.headers.values(), ...outcome.headers.keys()];
  return texts.some((text) => tokens.some((token) => text.includes(token)));
}

function wordsOf(error: unknown): string {
  return error instanceof ClientError ? error.message : 'an unforeseen failure';
}
