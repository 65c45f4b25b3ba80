/**
 * A refusal as bytes: status, header fields and body for one public code. The exception filter and the
 * answer to what Node's parser refuses both come from here, so that they cannot differ.
 */
import { STATUS_CODES } from 'node:http';
import { formatBearerChallenge } from '../protocol/bearer.js';
import type { RefusalFacts } from './boundary-error.js';
import { CATALOG, type ChallengeKind, type PublicCode } from './catalog.js';

export interface Refusal {
  readonly status: number;
  /** Name, value, name, value …, as `writeHead` takes them. */
  readonly headers: string[];
  readonly body: string;
}

/** @param resourceMetadata URL for challenges; only codes with a challenge ask for it */
export function refusalOf(code: PublicCode, facts: RefusalFacts, resourceMetadata: () => string): Refusal {
  const { status, challenge } = CATALOG[code];
  const body = `{"error":"${code}"}`;
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    'Connection',
    'close',
  ];
  if (challenge !== 'none') {
    headers.push('WWW-Authenticate', challengeOf(challenge, facts.scopes ?? [], resourceMetadata()));
  }
  if (facts.allow !== undefined) headers.push('Allow', facts.allow.join(', '));
  if (facts.retryAfterSeconds !== undefined) headers.push('Retry-After', String(facts.retryAfterSeconds));
  return { status, headers, body };
}

function challengeOf(
  kind: Exclude<ChallengeKind, 'none'>,
  scopes: readonly string[],
  resourceMetadata: string,
): string {
  const scope = ['scope', scopes.join(' ')] as const;
  const metadata = ['resource_metadata', resourceMetadata] as const;
  if (kind === 'authorization_required') return formatBearerChallenge([metadata, scope]);
  if (kind === 'invalid_token') return formatBearerChallenge([['error', kind], metadata, scope]);
  return formatBearerChallenge([['error', kind], scope, metadata]);
}

/** The refusal as a whole HTTP/1.1 message, for a socket whose request has no response object. */
export function serializeRefusal({ status, headers, body }: Refusal): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\nDate: ${new Date().toUTCString()}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
