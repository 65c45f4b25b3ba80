/**
 * The document of MCP_TOKENS_FILE: bytes in, a {@link TokenBook} or the list of everything wrong with it out.
 * All or nothing, since a policy of which half was understood would be a guess.
 *
 * Strict JSON first (a duplicate key could hide a second token), then the shape of each object, then what spans
 * records: duplicates, and the choices of which exactly one must be made. Problems never contain a value.
 * Watching the file is tokens-file-watcher's work.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../config/clock.js';
import {
  decodeUtf8,
  parseStrictJsonBytes,
  type JsonObject,
  type JsonValue,
} from '../protocol/strict-json.js';
import { parseRfc3339 } from './rfc3339.js';
import {
  buildTokenBook,
  pairKey,
  tokenDigest,
  type CurrentRevision,
  type TokenBook,
  type TokenClaims,
} from './token-book.js';
import {
  atPositions,
  brokenPositions,
  CLAIM,
  isJsonObject,
  readShape,
  RevisionShape,
  TokenShape,
  TokensFileShape,
  type TokensFileProblem,
} from './tokens-file-shape.js';

/** Bigger files are not read. Lookup is by digest, so the bound is one of load time, not of requests. */
export const MAX_TOKENS_FILE_BYTES = 4 * 1024 * 1024;
export const TOO_LARGE: TokensFileProblem = {
  path: '',
  problem: `is larger than ${MAX_TOKENS_FILE_BYTES} bytes`,
};
/** Loading this many takes a good part of the second in which an edit has to take effect. */
const MAX_TOKEN_RECORDS = 10_000;
/** The document is four levels deep; a little more, so that what is too deep is still named by its place. */
const MAX_DEPTH = 16;
const MAX_PROBLEMS_TOLD = 100;

export type TokensFileResult =
  | { readonly ok: true; readonly book: TokenBook }
  | { readonly ok: false; readonly problems: readonly TokensFileProblem[] };

export interface TokensFileOptions {
  /** Tells the instant of loading, from which `expires_in` counts. */
  readonly clock: Clock;
  /** The book that this one will replace: `expires_in` of a record with the same content goes on from there. */
  readonly previous?: TokenBook | undefined;
}

/** The start can't go on: everything that is wrong with the tokens file, in one message. */
export class TokensFileError extends Error {
  override readonly name = 'TokensFileError';
  readonly problems: readonly TokensFileProblem[];

  constructor(problems: readonly TokensFileProblem[]) {
    super(`MCP_TOKENS_FILE has ${problems.length} problem(s):\n${wordProblems(problems).join('\n')}`);
    this.problems = problems;
  }
}

/** One line for each problem, up to a number that a log line or a terminal can bear. */
export function wordProblems(problems: readonly TokensFileProblem[]): string[] {
  const shown = problems.slice(0, MAX_PROBLEMS_TOLD);
  const lines = shown.map(({ path, problem }) => `${path === '' ? 'the file' : path}: ${problem}`);
  if (problems.length > shown.length) lines.push(`and ${problems.length - shown.length} more`);
  return lines;
}

/** Reads the document; never throws, whatever the bytes are. */
export function readTokensFile(bytes: Uint8Array, options: TokensFileOptions): TokensFileResult {
  if (bytes.length > MAX_TOKENS_FILE_BYTES) {
    return failed([TOO_LARGE]);
  }
  const parsed = parseStrictJsonBytes(bytes, { maxDepth: MAX_DEPTH });
  if (!parsed.ok) {
    const place = parsed.code === 'invalid_utf8' ? '' : ` at ${lineAndColumn(bytes, parsed.offset)}`;
    return failed([{ path: '', problem: `is not strict JSON: ${parsed.code}, ${parsed.reason}${place}` }]);
  }
  const problems: TokensFileProblem[] = [];
  const file = readShape(TokensFileShape, parsed.value, '', problems);
  if (!file || !isJsonObject(parsed.value)) return failed(problems);

  const { tokens, lifetimes } = readTokens(parsed.value, options, problems);
  const revisions = readRevisions(parsed.value, problems);
  const allowedTenants = readAllowedTenants(parsed.value, problems);
  if (problems.length > 0) return failed(problems);
  const { issuer, revoked } = file;
  return {
    ok: true,
    book: buildTokenBook({ issuer, tokens, revisions, allowedTenants, revoked, lifetimes }),
  };
}

function readTokens(document: JsonObject, options: TokensFileOptions, problems: TokensFileProblem[]) {
  const loadedAt = options.clock.now();
  const tokens: TokenClaims[] = [];
  const lifetimes = new Map<string, number>();
  const places = { token: new Map<string, string>(), token_id: new Map<string, string>() };
  const list = listOf(document['tokens']);
  if (list.length > MAX_TOKEN_RECORDS) {
    problems.push({ path: '/tokens', problem: `has more than ${MAX_TOKEN_RECORDS} records` });
    return { tokens, lifetimes };
  }
  for (const [index, value] of list.entries()) {
    const path = `/tokens/${index}`;
    const before = problems.length;
    const record = readShape(TokenShape, value, path, problems);
    if (!record) continue;
    problems.push(...choiceProblems(record, path));
    const digest = digestOf(record);
    problems.push(...repeated(places.token, digest, path, 'token'));
    problems.push(...repeated(places.token_id, record.token_id, path, 'token_id'));
    if (problems.length > before || digest === undefined) continue;

    const content = contentDigest(record, digest);
    const expiresAt = expiryOf(record, options.previous?.lifetimes.get(content), loadedAt);
    if (record.expires_in !== undefined) lifetimes.set(content, expiresAt);
    tokens.push({
      digest,
      tokenId: record.token_id,
      subject: record.subject,
      tenant: record.tenant,
      scopes: record.scopes,
      authorizationRevision: record.authorization_revision,
      expiresAt,
      active: record.active,
      issuer: record.issuer,
      audience: record.audience,
      resource: record.resource,
      authorizationResource: record.authorization_resource,
      tokenResource: record.token_resource,
    });
  }
  return { tokens, lifetimes };
}

function choiceProblems(record: TokenShape, path: string): TokensFileProblem[] {
  const problems: TokensFileProblem[] = [];
  if ((record.token === undefined) === (record.token_sha256 === undefined)) {
    problems.push({ path, problem: 'must have exactly one of token and token_sha256' });
  }
  if ((record.expires_at === undefined) === (record.expires_in === undefined)) {
    problems.push({ path, problem: 'must have exactly one of expires_at and expires_in' });
  }
  return problems;
}

function digestOf(record: TokenShape): string | undefined {
  if (typeof record.token === 'string') return tokenDigest(record.token);
  return typeof record.token_sha256 === 'string' ? record.token_sha256.toLowerCase() : undefined;
}

function repeated(
  places: Map<string, string>,
  key: string | undefined,
  path: string,
  what: string,
): TokensFileProblem[] {
  if (typeof key !== 'string') return [];
  const first = places.get(key);
  if (first !== undefined) return [{ path, problem: `has the same ${what} as ${first}` }];
  places.set(key, path);
  return [];
}

/** Two records with the same digest of content are the same record, however they are written down. */
function contentDigest(record: TokenShape, digest: string): string {
  const content = [
    digest,
    record.token_id,
    record.subject,
    record.tenant,
    record.scopes,
    record.authorization_revision,
    record.expires_in ?? null,
    record.active ?? true,
    record.issuer ?? null,
    record.audience ?? null,
    record.resource ?? null,
    record.authorization_resource ?? null,
    record.token_resource ?? null,
  ];
  return hash('sha256', JSON.stringify(content), 'hex');
}

function expiryOf(record: TokenShape, before: number | undefined, loadedAt: number): number {
  if (record.expires_in !== undefined) return before ?? loadedAt + record.expires_in * 1000;
  return parseRfc3339(record.expires_at ?? '') ?? 0;
}

function readRevisions(
  document: JsonObject,
  problems: TokensFileProblem[],
): readonly CurrentRevision[] | undefined {
  if (document['revisions'] === undefined) return undefined;
  const places = new Map<string, string>();
  return listOf(document['revisions']).flatMap((value, index) => {
    const path = `/revisions/${index}`;
    const before = problems.length;
    const entry = readShape(RevisionShape, value, path, problems);
    if (!entry || problems.length > before) return [];
    problems.push(...repeated(places, pairKey(entry), path, 'subject and tenant'));
    return [entry];
  });
}

/** By hand: its names are subjects, so any name is allowed here, `__proto__` too, and none is ever told. */
function readAllowedTenants(
  document: JsonObject,
  problems: TokensFileProblem[],
): ReadonlyMap<string, readonly string[]> | undefined {
  const value = document['allowed_tenants'];
  if (!isJsonObject(value)) return undefined;
  const allowed = new Map<string, readonly string[]>();
  for (const [index, [subject, tenants]] of Object.entries(value).entries()) {
    const member = `member ${index} (from 0, names that are whole numbers first)`;
    const tell = (problem: string) =>
      problems.push({ path: '/allowed_tenants', problem: `${member}: ${problem}` });
    if (!CLAIM.holds(subject)) tell(`its name ${CLAIM.text}`);
    if (!Array.isArray(tenants)) {
      tell('must be an array');
      continue;
    }
    const broken = brokenPositions(tenants, CLAIM);
    if (broken.length > 0) tell(atPositions(broken, `each ${CLAIM.text}`));
    else allowed.set(subject, tenants as string[]);
  }
  return allowed;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function lineAndColumn(bytes: Uint8Array, offset: number): string {
  const lines = (decodeUtf8(bytes) ?? '').slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function failed(problems: readonly TokensFileProblem[]): TokensFileResult {
  return { ok: false, problems };
}
