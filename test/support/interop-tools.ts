/**
 * The real clients that are programs of their own, run as their users run them. `npm run interop:tools` installs
 * them; without that their tests are skipped on a person's machine and fail where CI is set.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../interop/tools/node_modules/', import.meta.url));
/** Node for the one that needs more than ours: the package of this machine's kind holds the binary itself. */
const LATER_NODE = join(MODULES, `node-linux-${process.arch}/bin/node`);

export const MCP_REMOTE = [process.execPath, join(MODULES, 'mcp-remote/dist/proxy.js')] as const;
export const INSPECTOR = [
  existsSync(LATER_NODE) ? LATER_NODE : process.execPath,
  join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
] as const;

export const areToolsInstalled = existsSync(MODULES);
export const mustToolsBeThere = process.env['BOUNDARY_INTEROP_TOOLS'] === 'required';

export interface ToolRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Tool {
  #stdout = '';
  #stderr = '';
  readonly #home = mkdtempSync(join(tmpdir(), 'interop-'));
  readonly #child;

  /** Starts it with an empty home and without this process's environment. */
  constructor([node, script]: readonly [string, string], args: readonly string[]) {
    this.#child = spawn(node, [script, ...args], {
      cwd: this.#home,
      env: { PATH: process.env['PATH'], HOME: this.#home, MCP_REMOTE_CONFIG_DIR: join(this.#home, 'auth') },
    });
    this.#child.stdout.on('data', (chunk) => (this.#stdout += chunk));
    this.#child.stderr.on('data', (chunk) => (this.#stderr += chunk));
    this.#child.stdin.on('error', () => {});
  }

  /** One line on its standard input. */
  say(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The JSON messages on its standard output so far. */
  get said(): Array<Record<string, unknown>> {
    const lines = this.#stdout.split('\n').slice(0, -1);
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Closes its standard input and waits for its end; one that hangs is ended, and has no exit code. */
  async end(timeoutMs = 20_000): Promise<ToolRun> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs);
    const [exitCode] = (await once(this.#child, 'close')) as [number | null];
    clearTimeout(timer);
    rmSync(this.#home, { recursive: true, force: true });
    return { exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }
}
