/**
 * The bearer scheme on both ways: reads a token from Authorization (RFC 9110 section 11.4, RFC 6750 section 2.1)
 * and writes a challenge for WWW-Authenticate (RFC 9110 section 11.6.1). Whether a token is any good, and which
 * parameters a challenge has, is for others to say.
 */

export type BearerReading =
  | { kind: 'none' }
  /** The Bearer scheme with something after it that is no token. */
  | { kind: 'malformed' }
  | { kind: 'token'; token: string };

/** A challenge that cannot be written. The message never holds the value. */
export class ChallengeError extends Error {
  override readonly name = 'ChallengeError';
}

// RFC 9110 section 5.6.2; an auth-scheme is a token (section 11.1).
const SCHEME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+/;
const PARAMETER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 6750 section 2.1, b64token, after 1*SP; the same as token68 in RFC 9110 section 11.2.
const CREDENTIALS = /^ +([A-Za-z0-9\-._~+/]+=*)$/;
// RFC 9110 section 5.6.4 without obs-text, which nobody should write any more.
const QUOTABLE = /^[\t -~]*$/;

const NONE: BearerReading = { kind: 'none' };
const MALFORMED: BearerReading = { kind: 'malformed' };

/** Another scheme, or a value that begins with none, is `none`: the caller has not tried to bear a token. */
export function readBearer(authorization: string | undefined): BearerReading {
  if (authorization === undefined) return NONE;
  const scheme = SCHEME.exec(authorization)?.[0];
  if (scheme?.toLowerCase() !== 'bearer') return NONE;
  const token = CREDENTIALS.exec(authorization.slice(scheme.length))?.[1];
  return token === undefined ? MALFORMED : { kind: 'token', token };
}

/**
 * `Bearer name="value", …`; without parameters the scheme alone.
 *
 * @throws ChallengeError when a name is no token or a value cannot be quoted.
 */
export function formatBearerChallenge(params: ReadonlyArray<readonly [name: string, value: string]>): string {
  const written = params.map(([name, value]) => {
    if (!PARAMETER_NAME.test(name)) throw new ChallengeError('not a parameter name');
    return `${name}=${quoteParam(value)}`;
  });
  return written.length === 0 ? 'Bearer' : `Bearer ${written.join(', ')}`;
}

/**
 * A quoted-string (RFC 9110 section 5.6.4), quote and backslash escaped.
 *
 * @throws ChallengeError for anything but ASCII text: a line end would start a header of its own.
 */
export function quoteParam(value: string): string {
  if (!QUOTABLE.test(value)) throw new ChallengeError('not a quotable value');
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
