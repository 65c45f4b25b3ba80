/*
 * Runs the real nginx on the shipped configuration, as a child in a directory of its own: addresses and key are
 * filled in, and a named fault edits the text. Never touches the system's nginx.
 */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GATEWAY_HEADER, type Running } from './upstream.js';
import { NGINX_FAULTS, type NginxFault } from './nginx-faults.js';

/** How nginx is set up. */
export interface NginxOptions {
  /** An empty directory that becomes nginx's prefix. */
  readonly directory: string;
  readonly upstreamPort: number;
  readonly gatewayKey: string;
  /** The Host that the upstream expects. */
  readonly publicHost: string;
  /** False takes the rules out that read headers of revision 2026-07-28. */
  readonly rules: boolean;
  readonly fault?: NginxFault | undefined;
}

/** A running nginx. */
export interface RunningNginx extends Running {
  readonly pid: number;
  readonly version: string;
  readonly configPath: string;
  /** The access log. */
  readonly logPath: string;
}

/** nginx is not installed, or would not start. */
export class NginxUnavailable extends Error {}

/** Where the shipped configuration lies: beside src or dist. */
export const NGINX_EXAMPLE = fileURLToPath(new URL('../../../examples/nginx/', import.meta.url));

const READY_MS = 5000;

/** Starts nginx on a free loopback port. Throws NginxUnavailable with one line for the user. */
export async function startNginx(options: NginxOptions): Promise<RunningNginx> {
  const version = await versionOf();
  const port = await freePort();
  const { directory } = options;
  const configPath = join(directory, 'nginx.conf');
  for (const folder of ['logs', 'temp']) mkdirSync(join(directory, folder), { recursive: true });
  // Workers run as another user when nginx is started as root, and have to reach their temporary files.
  chmodSync(directory, 0o755);
  copyFileSync(join(NGINX_EXAMPLE, 'allowed-tools.conf'), join(directory, 'allowed-tools.conf'));
  const key = `proxy_set_header ${GATEWAY_HEADER} "${options.gatewayKey}";\n`;
  writeFileSync(join(directory, 'gateway-key.conf'), key, { mode: 0o600 });
  writeFileSync(configPath, render(options, port));

  const child = spawn(
    'nginx',
    ['-p', directory, '-c', configPath, '-e', join(directory, 'logs/error.log'), '-g', 'daemon off;'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString('utf8')));
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  if (!(await isReady(port, () => child.exitCode !== null))) {
    await stop();
    throw new NginxUnavailable(`nginx did not start: ${complaint.trim().split('\n')[0] ?? ''}`);
  }
  const logPath = join(directory, 'logs/access.log');
  return { port, stop, pid: child.pid ?? 0, version, configPath, logPath };
}

/** In front of a server of the stateful revision there is neither this version nor a tool name to decide on. */
const WITHOUT_RULES: readonly (readonly [string, string])[] = [
  ['"POST 2026-07-28" current;', '"~^POST " current;'],
  ['"POST " missing;', ''],
];

function render({ upstreamPort, publicHost, rules, fault }: NginxOptions, port: number): string {
  const edits: readonly (readonly [string, string])[] = [
    ['listen 127.0.0.1:8080;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${upstreamPort};`],
    ['proxy_set_header Host mcp.example.com;', `proxy_set_header Host ${publicHost};`],
    ...(rules ? [] : WITHOUT_RULES),
    ...(fault === undefined ? [] : NGINX_FAULTS[fault]),
  ];
  return edits.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`the shipped nginx configuration has no line ${from}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(NGINX_EXAMPLE, 'nginx.conf'), 'utf8'),
  );
}

function versionOf(): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('nginx', ['-v'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    child.on('error', () =>
      reject(new NginxUnavailable('nginx is not installed; on Debian: apt-get install nginx')),
    );
    child.on('close', () => resolve(/nginx\/(\S+)/.exec(text)?.[1] ?? 'unknown'));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function isReady(port: number, gone: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < READY_MS && !gone(); waited += 25) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined));
      socket.on('error', () => resolve(false));
    });
    if (open) return true;
    await delay(25);
  }
  return false;
}
