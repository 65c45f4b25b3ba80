/**
 * Names for tokens and sessions that a log may hold: a keyed hash whose key is random per process, so that
 * lines of one caller can be joined and nobody can go back, or check a guess, from the log alone.
 */
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import type { Principal } from '../exchange/principal.js';

const HEX_DIGITS = 16;

@Injectable()
export class Correlation {
  readonly #key = randomBytes(32);
  /** A live principal and session are asked for on every request: their names are kept as long as they live. */
  readonly #tokens = new WeakMap<Principal, string>();

  ofToken(token: string, principal: Principal | undefined): string {
    const known = principal && this.#tokens.get(principal);
    if (known !== undefined) return known;
    const name = this.#name(`token\n${token}`);
    if (principal !== undefined) this.#tokens.set(principal, name);
    return name;
  }

  ofSession(id: string): string {
    return this.#name(`session\n${id}`);
  }

  #name(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex').slice(0, HEX_DIGITS);
  }
}
