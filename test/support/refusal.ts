/**
 * What every refusal looks like on the wire, whatever refused, and that neither it nor the log holds a secret.
 * Both checks are exact: a header that nobody expected is a failure.
 */
import { expect } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import type { RawAnswer } from './raw-http.js';
import type { TestServer } from './server.js';
import { CANARY } from './tokens.js';

const CHALLENGED: ReadonlySet<PublicCode> = new Set([
  'authorization_required',
  'invalid_token',
  'insufficient_scope',
]);

/**
 * @param extra headers beyond those of every refusal, names in lower case, values exact. `allow` of a 405,
 * `retry-after` of `overloaded` and `www-authenticate` of a challenge must be there without being named; naming
 * them pins their value.
 */
export function expectRefusal(
  answer: RawAnswer,
  status: number,
  code: PublicCode,
  extra: Readonly<Record<string, string>> = {},
): void {
  const body = `{"error":"${code}"}`;
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  const actual = Object.fromEntries(answer.headers);
  const expected: Record<string, unknown> = {
    date: expect.any(String),
    'content-type': 'application/json',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(code === 'method_not_allowed' && { allow: expect.any(String) }),
    ...(code === 'overloaded' && { 'retry-after': expect.stringMatching(/^[1-9][0-9]*$/) }),
    ...(CHALLENGED.has(code) && { 'www-authenticate': expect.stringMatching(/^Bearer /) }),
    ...extra,
  };
  expect(actual).toEqual(expected);
  expect(answer.text).not.toContain(CANARY);
}

/** No token, claim or session id in any log line so far. */
export async function expectNoLeak(server: TestServer, ...sessions: string[]): Promise<void> {
  const logs = await server.logs();
  for (const secret of [CANARY, ...sessions]) {
    expect(logs.split('\n').filter((line) => line.includes(secret))).toEqual([]);
  }
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code?: string;
  readonly reason?: string;
}

/** The request log so far: one entry for every request that came to the gates. */
export async function loggedRequests(server: TestServer): Promise<LoggedRequest[]> {
  return (await server.logs())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LoggedRequest & { msg?: string })
    .filter(({ msg }) => msg === 'request');
}
