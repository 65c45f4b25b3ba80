/**
 * Names for tokens and sessions that a log may hold: a keyed hash whose key is random per process, so that
 * lines of one caller can be joined and nobody can go back, or check a guess, from the log alone.
 */
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import type { Principal } from '../exchange/principal.js';
import type { Session } from '../exchange/session.js';

const HEX_DIGITS = 16;

@Injectable()
export class Correlation {
  readonly #key = randomBytes(32);
  /** Live principals and sessions come with every request: their names are kept as long as they live. */
  readonly #names = new WeakMap<Principal | Session, string>();

  /** The name of what is known already, made without looking at the secret again. */
  known(holder: Principal | Session | undefined): string | undefined {
    return holder && this.#names.get(holder);
  }

  ofToken(token: string, principal: Principal | undefined): string {
    return this.#keep(principal, this.#name(`token\n${token}`));
  }

  ofSession(id: string, session: Session | undefined): string {
    return this.#keep(session, this.#name(`session\n${id}`));
  }

  #keep(holder: Principal | Session | undefined, name: string): string {
    if (holder !== undefined) this.#names.set(holder, name);
    return name;
  }

  #name(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex').slice(0, HEX_DIGITS);
  }
}
