/*
 * Signs and verifies a record: a JWS (EdDSA, Ed25519) over its canonical JSON, kept beside it in one file that has
 * one possible form. Needs the record and a key, nothing else.
 */
import { calculateJwkThumbprint, FlattenedSign, flattenedVerify, importJWK, type JWK } from 'jose';
import { canonicalJson } from './canonical-json.js';
import { ALG } from './keys.js';
import { RECORD_FORMAT, type AcceptanceRecord } from './record.js';

/** A record file: signed, or `jws: null` for an incomplete run. */
export interface RecordFile {
  readonly record: AcceptanceRecord;
  readonly jws: { readonly protected: string; readonly signature: string } | null;
}

/** Why a file does not verify. */
export type VerifyProblem =
  | 'not-utf-8'
  | 'not-canonical'
  | 'not-a-record'
  | 'unsigned'
  | 'wrong-algorithm'
  | 'other-key'
  | 'bad-signature'
  | 'unusable-key';

/** What a verification says. */
export type VerifyResult =
  | { readonly ok: true; readonly record: AcceptanceRecord; readonly keyId: string }
  | { readonly ok: false; readonly problem: VerifyProblem };

/** The bytes of a record file. Without a key it is unsigned. */
export async function writeRecordFile(
  record: AcceptanceRecord,
  privateJwk: JWK | undefined,
): Promise<string> {
  if (privateJwk === undefined) return `${canonicalJson({ record, jws: null })}\n`;
  const payload = new TextEncoder().encode(canonicalJson(record));
  const kid = await calculateJwkThumbprint(privateJwk);
  const signed = await new FlattenedSign(payload)
    .setProtectedHeader({ alg: ALG, kid, typ: 'acceptance-record+jws' })
    .sign(await importJWK(privateJwk, ALG));
  return `${canonicalJson({ record, jws: { protected: signed.protected, signature: signed.signature } })}\n`;
}

/** Verifies the bytes of a record file. Any changed byte fails, since there is one form only. */
export async function verifyRecordFile(bytes: Uint8Array, publicJwk: JWK): Promise<VerifyResult> {
  let file: RecordFile;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { ok: false, problem: 'not-utf-8' };
  }
  try {
    file = JSON.parse(text) as RecordFile;
    if (`${canonicalJson(file)}\n` !== text) return { ok: false, problem: 'not-canonical' };
  } catch {
    return { ok: false, problem: 'not-canonical' };
  }
  if (file?.record?.format !== RECORD_FORMAT) return { ok: false, problem: 'not-a-record' };
  if (file.jws === null || typeof file.jws !== 'object') return { ok: false, problem: 'unsigned' };
  if (Object.keys(file).length !== 2 || Object.keys(file.jws).length !== 2)
    return { ok: false, problem: 'not-a-record' };
  return verifySignature(file.record, file.jws, publicJwk);
}

/** Base64url has spare bits in its last character: only the one canonical spelling counts. */
function isCanonicalBase64Url(part: unknown): part is string {
  return typeof part === 'string' && Buffer.from(part, 'base64url').toString('base64url') === part;
}

async function verifySignature(
  record: AcceptanceRecord,
  jws: NonNullable<RecordFile['jws']>,
  publicJwk: JWK,
): Promise<VerifyResult> {
  if (!isCanonicalBase64Url(jws.protected) || !isCanonicalBase64Url(jws.signature))
    return { ok: false, problem: 'bad-signature' };
  let key: Awaited<ReturnType<typeof importJWK>>;
  let keyId: string;
  try {
    const { kty, crv, x } = publicJwk;
    key = await importJWK({ kty, crv, x } as JWK, ALG);
    keyId = await calculateJwkThumbprint(publicJwk);
  } catch {
    return { ok: false, problem: 'unusable-key' };
  }
  const payload = Buffer.from(canonicalJson(record), 'utf8').toString('base64url');
  try {
    const { protectedHeader } = await flattenedVerify({ ...jws, payload }, key, { algorithms: [ALG] });
    if (protectedHeader?.kid !== keyId) return { ok: false, problem: 'other-key' };
    return { ok: true, record, keyId };
  } catch (error) {
    const code = (error as { code?: string }).code;
    return { ok: false, problem: code === 'ERR_JOSE_ALG_NOT_ALLOWED' ? 'wrong-algorithm' : 'bad-signature' };
  }
}
