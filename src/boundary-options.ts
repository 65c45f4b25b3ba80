/**
 * The options of `BoundaryModule` → checked options, or one error that lists every problem: settings, path and
 * ports of the team alike, so that nobody starts five times to find five mistakes.
 */
import type { AuthOptions } from './auth/auth.module.js';
import type { CheckedConfigOptions, ConfigOptions } from './config/config-options.js';
import { settingsFrom } from './config/environment.js';
import { BoundarySettings } from './config/settings.js';
import { SettingsError } from './config/settings-error.js';
import { isEndpointPath } from './config/web-addresses.js';
import type { SessionsOptions } from './sessions/sessions.module.js';

/** What a team gives to `BoundaryModule.forRoot`, or its factory returns to `forRootAsync`. All of it is optional. */
export interface BoundaryOptions extends ConfigOptions, AuthOptions, SessionsOptions {}

export interface CheckedBoundaryOptions extends CheckedConfigOptions, AuthOptions, SessionsOptions {}

/** Each port of a team with the methods that it must have. */
const PORTS: Readonly<Record<string, readonly string[]>> = {
  clock: ['now'],
  tokenPolicy: ['authenticate'],
  tenantDirectory: ['hasData'],
  sessionStore: ['create', 'find', 'delete', 'transition'],
};
const IDLE_STORE = ['hold', 'release'];
const NAMES: ReadonlySet<string> = new Set(['settings', 'tokenBook', ...Object.keys(PORTS)]);

/** @throws SettingsError that lists all problems */
export function checkedOptions(given: BoundaryOptions | undefined, path: string): CheckedBoundaryOptions {
  if (typeof given !== 'object' || given === null) {
    throw new SettingsError(['the options of BoundaryModule must be an object']);
  }
  const { settings, problems } = settingsOf(given);
  if (!isEndpointPath(path)) {
    problems.push(
      "path must be an absolute path such as /mcp: segments of letters, digits, '-', '_', '.' and '~', no slash at its end, not below /.well-known",
    );
  }
  for (const name of Object.keys(given)) {
    if (!NAMES.has(name)) problems.push(`${name} is not an option`);
  }
  for (const [name, methods] of Object.entries(PORTS)) {
    const port: unknown = given[name as keyof BoundaryOptions];
    if (port === undefined) continue;
    const needed =
      name === 'sessionStore' && settings.sessionExpiry === 'idle' ? [...methods, ...IDLE_STORE] : methods;
    const missing = needed.filter((method) => !hasMethod(port, method));
    if (missing.length > 0) problems.push(`${name} has no method ${missing.join(', ')}`);
  }
  if (given.tokenPolicy === undefined && given.tokenBook === undefined && settings.tokensFile === undefined) {
    problems.push('tokenPolicy is missing (or tokenBook, or MCP_TOKENS_FILE): nobody could come in');
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...given, settings, path };
}

function settingsOf({ settings }: BoundaryOptions): { settings: BoundarySettings; problems: string[] } {
  try {
    return { settings: settingsFrom(settings), problems: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: new BoundarySettings(), problems: [...error.problems] };
  }
}

function hasMethod(port: unknown, method: string): boolean {
  return (
    typeof port === 'object' &&
    port !== null &&
    typeof (port as Record<string, unknown>)[method] === 'function'
  );
}
