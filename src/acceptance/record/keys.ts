/*
 * Keys for signing records: Ed25519 as JWK, made and read. No key leaves this process but by the caller.
 */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** The one algorithm of records. */
export const ALG = 'EdDSA';

/** A new Ed25519 pair as JWKs with their thumbprint as key id. */
export async function generateKeys(): Promise<{ readonly privateJwk: JWK; readonly publicJwk: JWK }> {
  const pair = await generateKeyPair(ALG, { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const { d } = await exportJWK(pair.privateKey);
  const named = { ...publicJwk, kid, alg: ALG, use: 'sig' };
  return { publicJwk: named, privateJwk: { ...named, ...(d !== undefined && { d }) } };
}

/** Reads a JWK from text; undefined if it is not an Ed25519 key of the wanted kind. */
export function readKey(text: string, kind: 'private' | 'public'): JWK | undefined {
  try {
    const jwk = JSON.parse(text) as JWK;
    const right = jwk.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.x === 'string';
    return right && (kind === 'public' || typeof jwk.d === 'string') ? jwk : undefined;
  } catch {
    return undefined;
  }
}
