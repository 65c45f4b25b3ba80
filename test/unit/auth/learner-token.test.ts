/** The policy of a first try: one learner, one token that nobody can guess, every scope. */
import { describe, expect, test } from '@jest/globals';
import { makeLearnerBook } from '../../../src/auth/learner-token.js';
import { OfflineTokenPolicy } from '../../../src/auth/offline-token-policy.js';
import { Clock } from '../../../src/config/clock.js';

class StillClock extends Clock {
  now(): number {
    return 1_000;
  }
}
const clock = new StillClock();
const issuer = 'https://issuer.example';

describe('the learner token', () => {
  test('is accepted with all scopes for whatever resource this server is', () => {
    const { book, token } = makeLearnerBook({ clock, issuer });
    const verdict = new OfflineTokenPolicy(book, clock).authenticate(token, 'http://127.0.0.1:3000/mcp');
    expect(verdict).toMatchObject({
      ok: true,
      principal: {
        subject: 'learner',
        scopes: ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session', 'resources:read'],
      },
    });
  });

  test('is 256 random bits in base64url, another one each time', () => {
    const first = makeLearnerBook({ clock, issuer }).token;
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(makeLearnerBook({ clock, issuer }).token).not.toBe(first);
  });

  test('takes its randomness as an argument', () => {
    const sizes: number[] = [];
    const random = (size: number) => {
      sizes.push(size);
      return new Uint8Array(size).fill(255);
    };
    expect(makeLearnerBook({ clock, issuer, random }).token).toBe(`${'_'.repeat(42)}8`);
    expect(sizes).toEqual([32]);
  });

  test('is not kept in the book', () => {
    const { book, token } = makeLearnerBook({ clock, issuer });
    expect(JSON.stringify([...book.records])).not.toContain(token);
  });
});
