/** The in-memory verifier of every peer but ours: SHA-256 of the token → who it speaks for. Keeps no token. */
import { hash } from 'node:crypto';
import { LIFETIME_MS, SCOPES, TOKEN } from '../credentials.mjs';

/**
 * @typedef {object} Grant
 * @property {string} subject
 * @property {string} tenant
 * @property {readonly string[]} scopes
 * @property {string} revision
 * @property {number} expiresAt milliseconds since the epoch
 */

/** @type {ReadonlyMap<string, Grant>} */
const GRANTS = new Map([
  [
    hash('sha256', TOKEN, 'hex'),
    {
      subject: 'bench',
      tenant: 'bench',
      scopes: SCOPES,
      revision: '1',
      expiresAt: Date.now() + LIFETIME_MS,
    },
  ],
]);

/** @param {string} token */
export function grantOf(token) {
  return GRANTS.get(hash('sha256', token, 'hex'));
}
