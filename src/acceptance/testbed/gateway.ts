/*
 * The proxy under test, whichever it is: embedded in this process, embedded in one of its own, or nginx.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BedUnavailable, loadPackage } from './bed-unavailable.js';
import { isProxyFault } from './faults.js';
import { startNginx } from './nginx.js';
import { isNginxFault } from './nginx-faults.js';
import { startProxy, type ProxyOptions } from './proxy.js';
import { BED_TOOL } from './tools.js';

/** How a gateway is set up. */
export interface GatewayOptions {
  readonly proxy: 'embedded' | 'nginx';
  readonly fault: string | undefined;
  readonly isolated: boolean;
  /** Where the embedded proxy writes its access log. */
  readonly directory: string;
  readonly upstreamPort: number;
  readonly gatewayKey: string;
  readonly publicHost: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly cutAfterMs: number;
  /** False in front of a server whose requests do not name tools. */
  readonly rules: boolean;
}

/** A running gateway. */
export interface Gateway {
  readonly port: number;
  readonly pid: number | undefined;
  readonly version: string;
  readonly logPath: string;
  readonly configPath: string | undefined;
  readonly stop: () => Promise<void>;
}

/** Starts it. Throws BedUnavailable or NginxUnavailable. */
export function startGateway(options: GatewayOptions): Promise<Gateway> {
  return options.proxy === 'nginx' ? startNginxGateway(options) : startEmbedded(options);
}

async function startNginxGateway({ fault, ...options }: GatewayOptions): Promise<Gateway> {
  // Beside the bed's directory, which only we may enter: nginx's workers run as another user.
  const directory = mkdtempSync(join(tmpdir(), 'mcp-acceptance-nginx-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const nginxFault = fault !== undefined && isNginxFault(fault) ? fault : undefined;
  try {
    const nginx = await startNginx({ ...options, directory, fault: nginxFault });
    const stop = (): Promise<void> => nginx.stop().finally(remove);
    return { ...nginx, version: `nginx ${nginx.version}`, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

async function startEmbedded(options: GatewayOptions): Promise<Gateway> {
  const httpxy = await loadPackage(() => import('httpxy'), 'httpxy');
  const { fault, directory } = options;
  const logPath = join(directory, 'access.log');
  const proxyOptions: ProxyOptions = {
    ...options,
    logPath,
    allowedTools: Object.values(BED_TOOL).filter((name) => name !== BED_TOOL.forbidden),
    fault: fault !== undefined && isProxyFault(fault) ? fault : undefined,
  };
  const running = options.isolated
    ? await forkProxy(proxyOptions)
    : { ...(await startProxy(httpxy, proxyOptions)), pid: undefined };
  return { ...running, version: 'embedded (httpxy)', logPath, configPath: undefined };
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
