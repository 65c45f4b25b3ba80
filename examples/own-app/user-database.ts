/** A stand-in for the team's own database of users, access tokens and notes. */
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

export interface User {
  readonly name: string;
  readonly team: string;
  readonly notes: ReadonlyMap<string, string>;
}

export interface Grant {
  readonly user: User;
  /** The resource that the token was issued for. */
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

@Injectable()
export class UserDatabase {
  readonly #users = new Map<string, User>([
    ['ada', { name: 'ada', team: 'engines', notes: new Map([['first', 'Cards, not gears.']]) }],
    ['grace', { name: 'grace', team: 'compilers', notes: new Map() }],
  ]);
  readonly #grants = new Map<string, Grant>();

  /** What the team's authorization server would do. */
  issueToken(name: string, audience: string, scopes: readonly string[]): string {
    const user = this.#users.get(name);
    if (user === undefined) throw new Error(`no user ${name}`);
    const token = randomBytes(32).toString('base64url');
    this.#grants.set(token, { user, audience, scopes, expiresAt: Date.now() + 3_600_000 });
    return token;
  }

  findGrant(token: string): Grant | undefined {
    return this.#grants.get(token);
  }

  notesOf(name: string): ReadonlyMap<string, string> {
    return this.#users.get(name)?.notes ?? new Map();
  }
}
