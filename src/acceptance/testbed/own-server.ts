/*
 * The server of this package as the bed's upstream for revision 2025-11-25: started as a process by its command
 * line, told everything by environment and a tokens file, and otherwise unknown.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TokenRole } from '../config/load-config.js';
import type { Running } from './upstream.js';

/** The built command line; the same path from src and from dist. */
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const READY_MS = 20_000;

/** The server could not be started; one line for the user. */
export class OwnServerUnavailable extends Error {}

/** What the server is told. */
export interface OwnServerOptions {
  readonly directory: string;
  readonly resource: string;
  readonly authorizationServer: string;
}

/** A running server and the tokens it knows. */
export interface OwnServer extends Running {
  readonly tokens: Readonly<Record<TokenRole, string>>;
}

/** Starts the server on a free loopback port. Throws OwnServerUnavailable. */
export async function startOwnServer({
  directory,
  resource,
  authorizationServer,
}: OwnServerOptions): Promise<OwnServer> {
  if (!existsSync(MAIN)) throw new OwnServerUnavailable('the server is not built: npm run build');
  const { file, tokens } = makeTokens();
  const path = join(directory, 'tokens.json');
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      MCP_PORT: '0',
      MCP_PUBLIC_URL: resource,
      MCP_AUTHORIZATION_SERVERS: authorizationServer,
      MCP_TOKENS_FILE: path,
      MCP_MAX_SESSIONS: '64',
    },
  });
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const port = await new Promise<number | undefined>((done) => {
    let said = '';
    const timer = setTimeout(() => done(undefined), READY_MS);
    const listen = (chunk: Buffer): void => {
      said = (said + chunk.toString('utf8')).slice(-65_536);
      const found = /"msg":"ready"[^\n]*"port":(\d+)|"port":(\d+)[^\n]*"msg":"ready"/.exec(said);
      if (found === null) return;
      clearTimeout(timer);
      done(Number(found[1] ?? found[2]));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', () => {
      clearTimeout(timer);
      done(undefined);
    });
  });
  if (port === undefined) {
    await stop();
    throw new OwnServerUnavailable('the server did not start; try: nest-mcp-boundary serve');
  }
  return { port, stop, tokens };
}

function makeTokens(): { file: object; tokens: OwnServer['tokens'] } {
  const roles: TokenRole[] = ['valid', 'expired', 'neighbour', 'downstream', 'narrow', 'other'];
  const tokens = Object.fromEntries(roles.map((role) => [role, randomBytes(32).toString('base64url')]));
  const use = ['mcp:connect', 'mcp:use', 'mcp:stream', 'mcp:session'];
  const record = (role: TokenRole, bent: object): object => ({
    token: tokens[role],
    token_id: role,
    subject: 'alice',
    tenant: 'bed',
    scopes: [...use, 'resources:read'],
    authorization_revision: '1',
    ...(role === 'expired' ? { expires_at: '2020-01-01T00:00:00Z' } : { expires_in: 3600 }),
    ...bent,
  });
  const file = {
    issuer: 'https://login.bed.example',
    tokens: [
      record('valid', {}),
      record('expired', {}),
      record('neighbour', { audience: 'https://neighbour.bed.example/mcp' }),
      record('downstream', { audience: 'https://api.bed.example/' }),
      record('narrow', { scopes: use }),
      record('other', { subject: 'mallory' }),
    ],
  };
  return { file, tokens: tokens as OwnServer['tokens'] };
}
