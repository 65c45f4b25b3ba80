/*
 * The whole bed: upstream, witness and a proxy on loopback, and the accept.yaml that names them. Everything is
 * started here and stopped here; the directory holds secrets and is taken away at the end.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { MODERN_REVISION, type JudgedRevision } from '../revision.js';
import { generateKeys } from '../record/sign.js';
import { BED_IDENTITY, BedTokens } from './bearer.js';
import { isProxyFault, isUpstreamFault } from './faults.js';
import { Ledger } from './ledger.js';
import { startNginx } from './nginx.js';
import { isNginxFault } from './nginx-faults.js';
import { startProxy, type ProxyOptions } from './proxy.js';
import { BED_TOOL } from './tools.js';
import { METADATA_PATH, startUpstream } from './upstream.js';
import { startWitness } from './witness-server.js';

/** How the bed is set up. Times are short by default: everything is on loopback. */
export interface BedOptions {
  readonly proxy: 'embedded' | 'nginx';
  readonly revision?: JudgedRevision;
  /** Breaks one thing; see faults.ts and nginx-faults.ts. */
  readonly fault?: string | undefined;
  /** The embedded proxy in a process of its own, so that its memory is measured. */
  readonly isolated?: boolean;
  readonly idleMs?: number;
  readonly cancelMs?: number;
  readonly longMegabytes?: number;
  readonly memoryGrowthMegabytes?: number;
  readonly witness?: 'http' | 'tool';
}

/** A running bed. */
export interface Bed {
  readonly configPath: string;
  readonly publicKey: string;
  /** Every secret that the bed made, for tests that search for them. */
  readonly secrets: readonly string[];
  readonly stop: () => Promise<void>;
}

/** A package of the bed is not installed, or a fault does not fit the proxy; one line for the user. */
export class BedUnavailable extends Error {}

const RESOURCE = 'https://mcp.bed.example/mcp';
const AUTHORIZATION_SERVER = 'https://login.bed.example';
const KEEP_ALIVE_MS = 400;
const PROGRESS = { intervalMs: 100, events: 5 };
const PADDING_BYTES = 65_536;

/** Starts a bed. Throws BedUnavailable or NginxUnavailable. */
export async function startBed(options: BedOptions): Promise<Bed> {
  const { fault, proxy } = options;
  const fits =
    fault === undefined ||
    isUpstreamFault(fault) ||
    (proxy === 'embedded' ? isProxyFault(fault) : isNginxFault(fault));
  if (!fits) throw new BedUnavailable(`the ${proxy} proxy has no fault ${fault}`);
  const sdk = await load(() => import('@modelcontextprotocol/server'), '@modelcontextprotocol/server');

  const directory = mkdtempSync(join(tmpdir(), 'mcp-acceptance-'));
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.toReversed()) await each();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const ledger = new Ledger();
    const metadataUrl = `${new URL(RESOURCE).origin}${METADATA_PATH}`;
    const upstreamFault = fault !== undefined && isUpstreamFault(fault) ? fault : undefined;
    const tokens = new BedTokens(RESOURCE, metadataUrl, upstreamFault);
    const gatewayKey = randomBytes(24).toString('base64url');
    const witnessToken = randomBytes(24).toString('base64url');
    const upstream = await startUpstream({
      sdk,
      tokens,
      ledger,
      gatewayKey,
      resource: RESOURCE,
      authorizationServer: AUTHORIZATION_SERVER,
      keepAliveMs: KEEP_ALIVE_MS,
      fault: upstreamFault,
    });
    stops.push(upstream.stop);
    const witness = await startWitness(ledger, witnessToken);
    stops.push(witness.stop);
    const gateway = await startGateway(options, directory, upstream.port, gatewayKey, tokens.byRole.valid);
    stops.push(gateway.stop);
    const keys = await generateKeys();
    const config = describe(options, gateway, upstream.port, witness.port);
    const configPath = writeConfig(directory, config, {
      ...tokens.byRole,
      witness: witnessToken,
      signing: JSON.stringify(keys.privateJwk),
    });
    const secrets = [...Object.values(tokens.byRole), witnessToken, gatewayKey, String(keys.privateJwk.d)];
    return { configPath, publicKey: JSON.stringify(keys.publicJwk), secrets, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Gateway {
  readonly port: number;
  readonly pid: number | undefined;
  readonly version: string;
  readonly logPaths: readonly string[];
  readonly configPath: string | undefined;
  readonly stop: () => Promise<void>;
}

async function startGateway(
  options: BedOptions,
  directory: string,
  upstreamPort: number,
  gatewayKey: string,
  ownToken: string,
): Promise<Gateway> {
  const { fault, idleMs = 1200 } = options;
  if (options.proxy === 'nginx') {
    const prefix = mkdtempSync(join(tmpdir(), 'mcp-acceptance-nginx-'));
    const remove = (): void => rmSync(prefix, { recursive: true, force: true });
    const nginxFault = fault !== undefined && isNginxFault(fault) ? fault : undefined;
    try {
      const nginx = await startNginx({ directory: prefix, upstreamPort, gatewayKey, fault: nginxFault });
      const stop = (): Promise<void> => nginx.stop().finally(remove);
      return { ...nginx, version: `nginx ${nginx.version}`, stop };
    } catch (error) {
      remove();
      throw error;
    }
  }
  const httpxy = await load(() => import('httpxy'), 'httpxy');
  const logPath = join(directory, 'access.log');
  const proxyOptions: ProxyOptions = {
    upstreamPort,
    gatewayKey,
    allowedTools: Object.values(BED_TOOL).filter((name) => name !== BED_TOOL.forbidden),
    logPath,
    cutAfterMs: Math.round(idleMs / 2),
    ownToken,
    fault: fault !== undefined && isProxyFault(fault) ? fault : undefined,
  };
  const running =
    options.isolated === true
      ? await forkProxy(proxyOptions)
      : { ...(await startProxy(httpxy, proxyOptions)), pid: undefined };
  return { ...running, version: 'embedded (httpxy)', logPaths: [logPath], configPath: undefined };
}

async function forkProxy(
  options: ProxyOptions,
): Promise<{ port: number; pid: number; stop: () => Promise<void> }> {
  const child = fork(fileURLToPath(new URL('./proxy-process.js', import.meta.url)), {
    stdio: 'ignore',
    // Little garbage, so that what the proxy keeps shows.
    execArgv: ['--max-semi-space-size=2'],
  });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const port = new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new BedUnavailable('the embedded proxy did not start')));
  });
  child.send(options);
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  return { port: await port, pid: child.pid ?? 0, stop };
}

const file = (name: string): object => ({ file: `secrets/${name}` });

/** accept.yaml of the bed, as a value; secrets are files beside it. */
function describe(options: BedOptions, gateway: Gateway, upstreamPort: number, witnessPort: number): object {
  const megabytes = options.longMegabytes ?? 96;
  const roles = ['valid', 'expired', 'neighbour', 'downstream', 'narrow'];
  return {
    environment: 'testbed',
    release: 'testbed',
    target: `http://127.0.0.1:${gateway.port}/mcp`,
    resource: RESOURCE,
    authorizationServer: AUTHORIZATION_SERVER,
    directUpstream: `http://127.0.0.1:${upstreamPort}/mcp`,
    revisions: [MODERN_REVISION],
    identity: BED_IDENTITY,
    tokens: Object.fromEntries(roles.map((role) => [role, file(role)])),
    tools: {
      counting: BED_TOOL.counting,
      forbidden: BED_TOOL.forbidden,
      progress: { name: BED_TOOL.progress, arguments: PROGRESS, ...PROGRESS },
      long: {
        name: BED_TOOL.progress,
        arguments: {
          intervalMs: 0,
          events: Math.ceil((megabytes * 1_000_000) / PADDING_BYTES) + 1,
          paddingBytes: PADDING_BYTES,
        },
        megabytes,
      },
      slow: { name: BED_TOOL.slow, arguments: { durationMs: 3000 } },
      headerParameter: { name: BED_TOOL.region, argument: 'region', header: 'Region' },
      failing: { name: BED_TOOL.failing, code: -32602 },
    },
    witness:
      options.witness === 'tool'
        ? { tool: BED_TOOL.witness }
        : { url: `http://127.0.0.1:${witnessPort}/witness`, token: file('witness') },
    logs: gateway.logPaths.slice(0, 1),
    ...(gateway.configPath !== undefined && { hash: { proxyConfiguration: gateway.configPath } }),
    versions: { proxy: gateway.version, server: '@modelcontextprotocol/server 2' },
    gateway: {
      ...(options.proxy === 'nginx' && { answersItself: true }),
      ...(gateway.pid !== undefined && { pid: gateway.pid }),
    },
    limits: {
      checkSeconds: 20,
      overallSeconds: 120,
      idleMs: options.idleMs ?? 1200,
      cancelMs: options.cancelMs ?? 1500,
      oversizeBytes: 131_072,
      memoryGrowthMegabytes: options.memoryGrowthMegabytes ?? 64,
    },
    signingKey: file('signing'),
  };
}

function writeConfig(directory: string, config: object, secrets: Readonly<Record<string, string>>): string {
  mkdirSync(join(directory, 'secrets'), { mode: 0o700 });
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(directory, 'secrets', name), value, { mode: 0o600 });
  }
  const path = join(directory, 'accept.yaml');
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

async function load<T>(get: () => Promise<T>, name: string): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BedUnavailable(`the bed needs the package ${name}: npm install ${name}`);
  }
}
