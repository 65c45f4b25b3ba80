/**
 * The server as a process: settings from the environment, one structured line when ready, a graceful stop on
 * SIGTERM and SIGINT. Exit codes: 0 after a stop, 2 when it cannot start.
 */
import { makeLearnerBook } from './auth/learner-token.js';
import { TokensFileError } from './auth/tokens-file.js';
import type { TokenBook } from './auth/token-book.js';
import { SystemClock } from './config/clock.js';
import { settingsFromEnvironment } from './config/environment.js';
import type { BoundarySettings } from './config/settings.js';
import { SettingsError } from './config/settings-error.js';
import { startApp } from './create-app.js';
import { createLogger } from './logger.js';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs until a signal comes. `stderr` gets what a person must read and no log may hold. */
export async function serve(environment: Environment, stderr: NodeJS.WritableStream): Promise<0 | 2> {
  const stopAsked = stopSignal();
  try {
    const settings = settingsFromEnvironment(environment);
    const logger = createLogger(settings.logLevel);
    const tokenBook = learnerBook(settings, environment, stderr);
    const running = await startApp({ settings, logger, ...(tokenBook && { tokenBook }) });
    logger.log({ msg: 'ready', resource: running.resource, address: running.origin, port: running.port });
    await stopAsked;
    logger.log({ msg: 'stopping' });
    await running.stop();
    logger.log({ msg: 'stopped' });
    logger.flush();
    return 0;
  } catch (error) {
    stderr.write(`nest-mcp-boundary cannot start: ${startProblem(error)}\n`);
    return 2;
  }
}

/**
 * Resolves at the first signal that asks for a stop. Later ones change nothing, since the stop is bounded: Ctrl+C
 * reaches a process twice when its parent passes signals on, as npm and Nest's command line do. So the listeners
 * stay until the process ends.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve());
  });
}

function learnerBook(
  { tokensFile }: BoundarySettings,
  environment: Environment,
  stderr: NodeJS.WritableStream,
): TokenBook | undefined {
  if (tokensFile !== undefined) return undefined;
  if (environment['NODE_ENV'] === 'production') {
    throw new SettingsError(['MCP_TOKENS_FILE is missing; with NODE_ENV=production no token is made up']);
  }
  const { book, token } = makeLearnerBook({
    clock: new SystemClock(),
    issuer: 'urn:nest-mcp-boundary:learner',
  });
  stderr.write(
    `\nMCP_TOKENS_FILE is not set, so this start made one token for one learner. It ends with the process:\n\n` +
      `    Authorization: Bearer ${token}\n\n`,
  );
  return book;
}

/** Only what we threw on purpose is told in full; of anything else its code, for it may hold paths or values. */
function startProblem(error: unknown): string {
  if (error instanceof SettingsError || error instanceof TokensFileError) return error.message;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use (MCP_PORT)';
  if (code === 'EACCES') return 'the port may not be bound (MCP_PORT)';
  if (code !== undefined) return `${syscall ?? 'start'} failed with ${code}`;
  return error instanceof Error ? error.message : 'unknown failure';
}
