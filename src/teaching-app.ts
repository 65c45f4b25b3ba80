/**
 * The real application for one lesson: any free port, no log, tokens of its own that nobody else has ever seen and
 * that end with it. For `demo` and `attack`, which prove the server from outside and need only its URL, the tokens,
 * and the issuer's power to revoke one.
 */
import { randomBytes } from 'node:crypto';
import { OfflineTokenPolicy } from './auth/offline-token-policy.js';
import { buildTokenBook, tokenDigest, type TokenBook } from './auth/token-book.js';
import type { TokenPolicy } from './auth/token-policy.js';
import { SystemClock } from './config/clock.js';
import type { SettingsInput } from './config/settings.js';
import { startApp } from './create-app.js';

const ISSUER = 'urn:nest-mcp-boundary:teaching';
const LIFETIME_MS = 10 * 60 * 1000;
const TOKEN_BYTES = 32;

export interface TeachingAppOptions<Name extends string> {
  /** A token for each name, with these scopes; the name is its subject and its tenant too. */
  readonly grants: Readonly<Record<Name, readonly string[]>>;
  readonly settings?: SettingsInput | undefined;
  /** Puts another policy in front of the honest one, e.g. to prove that a hole is found. */
  readonly policy?: ((honest: TokenPolicy) => TokenPolicy) | undefined;
}

export interface TeachingApp<Name extends string> {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly tokens: Readonly<Record<Name, string>>;
  revoke(name: Name): void;
  stop(): Promise<void>;
}

export async function startTeachingApp<Name extends string>(
  options: TeachingAppOptions<Name>,
): Promise<TeachingApp<Name>> {
  const names = Object.keys(options.grants) as Name[];
  const tokens = Object.fromEntries(names.map((name) => [name, randomToken()])) as Record<Name, string>;
  const clock = new SystemClock();
  const expiresAt = clock.now() + LIFETIME_MS;
  const revoked = new Set<Name>();
  const book = (): TokenBook =>
    buildTokenBook({
      issuer: ISSUER,
      tokens: names.map((name) => ({
        digest: tokenDigest(tokens[name]),
        tokenId: name,
        subject: name,
        tenant: name,
        scopes: options.grants[name],
        authorizationRevision: '1',
        expiresAt,
      })),
      revoked: [...revoked],
    });
  const honest = new OfflineTokenPolicy(book(), clock);
  const running = await startApp({
    settings: { ...options.settings, port: 0 },
    clock,
    logger: false,
    tokenPolicy: options.policy?.(honest) ?? honest,
  });
  return {
    url: running.resource,
    tokens,
    revoke: (name) => {
      revoked.add(name);
      honest.replace(book());
    },
    stop: () => running.stop(),
  };
}

/** 256 random bits, so that nobody guesses it. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}
