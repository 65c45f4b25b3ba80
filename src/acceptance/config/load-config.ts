/*
 * accept.yaml → one frozen value with secrets read, or one error that lists every problem. Reads the file, its
 * secrets and the files to hash; sends nothing.
 */
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { parse } from 'yaml';
import { readKey } from '../record/keys.js';
import { AcceptFile, type SecretSource, type TokenSources, type ToolRoles } from './accept-config.js';

/** Roles that a token can have. */
export type TokenRole = keyof TokenSources;

/** Bounds of a run, all known. */
export interface RunLimits {
  readonly checkMs: number;
  readonly overallMs: number;
  readonly idleMs: number;
  readonly cancelMs: number;
  readonly oversizeBytes: number;
  readonly memoryGrowthBytes: number;
}

/** A checked configuration. Tokens are in here: never print it. */
export interface AcceptConfig {
  readonly environment: string;
  readonly release: string;
  readonly target: URL;
  readonly resource: string;
  readonly authorizationServer: string;
  readonly directUpstream: URL | undefined;
  readonly revisions: readonly string[];
  readonly identity: string | undefined;
  readonly tokens: Readonly<Partial<Record<TokenRole, string>>>;
  readonly tools: ToolRoles | undefined;
  readonly nonceArgument: string;
  readonly witness:
    | { readonly kind: 'http'; readonly url: URL; readonly token: string | undefined }
    | { readonly kind: 'tool'; readonly tool: string }
    | undefined;
  readonly logs: readonly string[];
  readonly hashes: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly gateway: { readonly answersItself: boolean; readonly pid: number | undefined };
  readonly limits: RunLimits;
  readonly exceptions: NonNullable<AcceptFile['exceptions']>;
  readonly signingKey: string;
  readonly ca: Buffer | undefined;
  /** Everything that must not leave the process. */
  readonly secrets: readonly string[];
}

/** An unusable configuration: every problem in one message. */
export class UnusableConfig extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** What reading a configuration depends on. */
export interface ConfigSource {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly checkIds: ReadonlySet<string>;
}

/** Reads and checks a configuration. Throws UnusableConfig. */
export function loadConfig({ path, env, checkIds }: ConfigSource): AcceptConfig {
  let raw: unknown;
  try {
    raw = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UnusableConfig([`${path}: ${(error as Error).message.split('\n')[0] ?? 'unreadable'}`]);
  }
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    throw new UnusableConfig([`${path}: must be a mapping`]);
  }
  const file = plainToInstance(AcceptFile, raw);
  const errors = validateSync(file, { whitelist: true, forbidNonWhitelisted: true });
  const problems = errors.flatMap((error) => sentences(error, ''));
  const reader = new Reader(dirname(resolve(path)), env, problems);
  return assemble(file, reader, checkIds);
}

function assemble(file: AcceptFile, reader: Reader, checkIds: ReadonlySet<string>): AcceptConfig {
  const { problems } = reader;
  const tokens: Partial<Record<TokenRole, string>> = {};
  for (const [role, source] of entriesOf(file.tokens)) {
    const value = reader.secret(`tokens.${role}`, source as SecretSource);
    if (value !== undefined) tokens[role as TokenRole] = value;
  }
  const signingKey = reader.secret('signingKey', file.signingKey);
  if (signingKey !== undefined && readKey(signingKey, 'private') === undefined) {
    problems.push('signingKey: must be an Ed25519 private key as JWK; `accept keygen` makes one');
  }
  const witnessToken = reader.secret('witness.token', file.witness?.token);
  const witness = witnessOf(file, witnessToken, problems);
  const hashes = Object.fromEntries(
    entriesOf(file.hash).map(([name, path]) => [name, reader.hash(`hash.${name}`, path)]),
  );
  for (const known of Array.isArray(file.exceptions) ? file.exceptions : []) {
    if (typeof known?.check === 'string' && !checkIds.has(known.check)) {
      problems.push(`exceptions: there is no check ${known.check}`);
    }
  }
  const values = Object.values(tokens);
  if (new Set(values).size !== values.length) problems.push('tokens: two roles hold the same token');
  const ca = file.caFile === undefined ? undefined : reader.bytes('caFile', file.caFile);
  if (problems.length > 0) throw new UnusableConfig(problems);

  const limits = file.limits ?? {};
  return Object.freeze({
    environment: file.environment,
    release: file.release,
    target: new URL(file.target),
    resource: file.resource,
    authorizationServer: file.authorizationServer,
    directUpstream: file.directUpstream === undefined ? undefined : new URL(file.directUpstream),
    revisions: file.revisions,
    identity: file.identity,
    tokens,
    tools: file.tools,
    nonceArgument: file.tools?.nonceArgument ?? 'nonce',
    witness,
    logs: (file.logs ?? []).map((path) => reader.path(path)),
    hashes: hashes as Record<string, string>,
    versions: Object.fromEntries(
      Object.entries(file.versions ?? {}).filter(([, value]) => value !== undefined),
    ),
    gateway: { answersItself: file.gateway?.answersItself ?? false, pid: file.gateway?.pid },
    limits: {
      checkMs: (limits.checkSeconds ?? 60) * 1000,
      overallMs: (limits.overallSeconds ?? 900) * 1000,
      idleMs: limits.idleMs ?? 60_000,
      cancelMs: limits.cancelMs ?? 5000,
      oversizeBytes: limits.oversizeBytes ?? 8 * 1024 * 1024,
      memoryGrowthBytes: (limits.memoryGrowthMegabytes ?? 128) * 1024 * 1024,
    },
    exceptions: file.exceptions ?? [],
    signingKey: signingKey ?? '',
    ca,
    secrets: [...values, ...(witnessToken === undefined ? [] : [witnessToken]), ...privateParts(signingKey)],
  });
}

function witnessOf(file: AcceptFile, token: string | undefined, problems: string[]): AcceptConfig['witness'] {
  const source = file.witness;
  if (source === undefined) return undefined;
  if ((source.url === undefined) === (source.tool === undefined)) {
    problems.push('witness: give either url or tool');
    return undefined;
  }
  if (source.tool !== undefined) return { kind: 'tool', tool: source.tool };
  return URL.canParse(source.url ?? '') ? { kind: 'http', url: new URL(source.url ?? ''), token } : undefined;
}

/** Reads files and secrets, collecting problems on the way. */
class Reader {
  private readonly secretFiles = new Set<string>();

  constructor(
    private readonly base: string,
    private readonly env: NodeJS.ProcessEnv,
    readonly problems: string[],
  ) {}

  path(given: string): string {
    return resolve(this.base, given);
  }

  secret(name: string, source: SecretSource | undefined): string | undefined {
    if (source === undefined || source === null || typeof source !== 'object') return undefined;
    const ways = [source.literal, source.env, source.file].filter((way) => way !== undefined);
    if (ways.length !== 1) {
      this.problems.push(`${name}: give exactly one of literal, env, file`);
      return undefined;
    }
    const value = source.literal ?? this.fromEnv(name, source.env) ?? this.fromFile(name, source.file);
    if (value !== undefined && value.length < 8) {
      this.problems.push(`${name}: shorter than 8 characters, which could not be kept out of a record`);
    }
    return value;
  }

  bytes(name: string, given: string): Buffer | undefined {
    try {
      return readFileSync(this.path(given));
    } catch (error) {
      this.problems.push(
        `${name}: cannot read ${given} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      );
      return undefined;
    }
  }

  /** SHA-256 of a file, hex. A file that holds a secret is refused: its hash could be matched. */
  hash(name: string, given: unknown): string | undefined {
    if (typeof given !== 'string') {
      this.problems.push(`${name}: must be a path`);
      return undefined;
    }
    if (this.secretFiles.has(this.path(given))) {
      this.problems.push(`${name}: is also the file of a secret, whose hash must not be published`);
      return undefined;
    }
    const bytes = this.bytes(name, given);
    return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
  }

  private fromEnv(name: string, variable: string | undefined): string | undefined {
    if (variable === undefined) return undefined;
    const value = this.env[variable];
    if (value === undefined || value === '')
      this.problems.push(`${name}: environment variable ${variable} is not set`);
    return value === '' ? undefined : value;
  }

  private fromFile(name: string, given: string | undefined): string | undefined {
    if (given === undefined) return undefined;
    this.secretFiles.add(this.path(given));
    return this.bytes(name, given)?.toString('utf8').trim();
  }
}

function sentences(error: ValidationError, prefix: string): string[] {
  const where = `${prefix}${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((text) =>
    text.startsWith('property ') ? `${where}: is not a setting` : `${where}: ${text.replace(/^\S+ /, '')}`,
  );
  return [...own, ...(error.children ?? []).flatMap((child) => sentences(child, `${where}.`))];
}

function entriesOf(value: unknown): [string, unknown][] {
  return value !== null && typeof value === 'object'
    ? Object.entries(value).filter(([, item]) => item !== undefined)
    : [];
}

/** The private member of a JWK, and the text itself if it is not one. */
function privateParts(key: string | undefined): string[] {
  if (key === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(key);
    const d = (parsed as { d?: unknown } | null)?.d;
    return typeof d === 'string' ? [d] : [];
  } catch {
    return [key];
  }
}
