/**
 * What the process says by its exit code, as pure functions.
 *
 * - 0: it worked; the server stopped as asked, or every check passed.
 * - 1: a check failed.
 * - 2: it could not be used or started; wrong usage, wrong settings, port in use.
 * - 3: `accept --strict` passed with exceptions.
 */
import { CommanderError } from 'commander';

export type ExitCode = 0 | 1 | 2 | 3;

export const EXIT_CODES_HELP = `
Exit codes:
  0  it worked: the server stopped as asked, or every check passed
  1  a check failed
  2  it could not be used or started: wrong usage, wrong settings, port in use
  3  accept --strict: everything passed but for known exceptions`;

/** PASS and BLOCK are what demo and attack hope for. */
export function exitCodeOfVerdict(verdict: 'PASS' | 'FAIL' | 'BLOCK' | 'ALLOW'): ExitCode {
  return verdict === 'PASS' || verdict === 'BLOCK' ? 0 : 1;
}

/** Help and version that were asked for leave commander as errors with exit code 0; all else is wrong usage. */
export function exitCodeOfError(error: unknown): ExitCode {
  return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
