/** Exit codes of `validate`, and the one line that says why an input cannot be used. */

import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';
import { writeLine } from './write-line.js';

/** Every case met its expectation; or nothing was found in the conversation. */
export const EXIT_MET: ExitCode = 0;
/** Some case did not; or something was found. */
export const EXIT_UNMET: ExitCode = 1;
/** The input or the options cannot be used. */
export const EXIT_UNUSABLE: ExitCode = 2;

/** @param what `fixture`, `policy`, `transcript`, `HAR file`, `options` */
export async function refuseInput(io: CliIo, what: string, problem: string): Promise<ExitCode> {
  await writeLine(io.stderr, `validate: the ${what} cannot be used: ${problem}`);
  return EXIT_UNUSABLE;
}
