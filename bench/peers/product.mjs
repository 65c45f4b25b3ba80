/**
 * What is measured of ours: the built code in dist/, and its options for the benchmark, which are the defaults but
 * for the number and life of sessions and the level of the log.
 */
import { LIFETIME_MS, SCOPES, TOKEN } from '../credentials.mjs';
import { versionIn, versionsOf } from './versions.mjs';

const DIST = new URL('../../dist/', import.meta.url);

/**
 * @param {string} path within dist/
 * @returns {Promise<any>}
 */
export function load(path) {
  return import(new URL(path, DIST).href);
}

/** @param {import('./listen.mjs').PeerOptions} options */
export async function boundaryOptions({ maxSessions, log }) {
  const { buildTokenBook, tokenDigest } = await load('auth/token-book.js');
  const tokenBook = buildTokenBook({
    issuer: 'urn:nest-mcp-boundary:bench',
    tokens: [
      {
        digest: tokenDigest(TOKEN),
        tokenId: 'bench',
        subject: 'bench',
        tenant: 'bench',
        scopes: SCOPES,
        authorizationRevision: '1',
        expiresAt: Date.now() + LIFETIME_MS,
      },
    ],
  });
  const settings = { port: 0, maxSessions, sessionTtlSeconds: LIFETIME_MS / 1000, logLevel: log };
  return { settings, tokenBook };
}

export function ourVersions() {
  return { 'nest-mcp-boundary': versionIn(''), ...versionsOf(['@nestjs/core', 'express']) };
}
