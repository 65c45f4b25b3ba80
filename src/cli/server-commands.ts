/** The commands that run the server, in the order of `--help`; main.ts loads this file only when one may be wanted. */
import { registerAttack } from './attack.js';
import { registerDemo } from './demo.js';
import { registerExperiments } from './experiments.js';
import { registerExplain } from './explain.js';
import type { RegisterCommand } from './run-cli.js';
import { registerServe } from './serve.js';

/** @param environment where the `MCP_…` settings are read from */
export function serverCommands(
  environment: Readonly<Record<string, string | undefined>>,
): readonly RegisterCommand[] {
  return [registerServe(environment), registerDemo, registerAttack, registerExperiments, registerExplain];
}
