/**
 * The command line as a function: builds the program from its commands, parses, and gives the exit code.
 * What a command does is in its own file, one for each.
 */
import { Command, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import type { CliIo } from './cli-io.js';
import { EXIT_CODES_HELP, exitCodeOfError, type ExitCode } from './exit-code.js';

const { name, version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

/** A command that is not 0 in the end says so once, before its action returns. */
export type ReportExitCode = (code: ExitCode) => void;

/** Adds one command to the program: its options, its help, its action. */
export type RegisterCommand = (program: Command, io: CliIo, report: ReportExitCode) => void;

/** @param args without the node binary and the script */
export async function runCli(
  args: readonly string[],
  io: CliIo,
  commands: readonly RegisterCommand[],
): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = new Command(name)
    .description('The protected front door of an MCP server, on loopback.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText('after', EXIT_CODES_HELP);
  for (const register of commands) {
    register(program, io, (reported) => {
      exitCode = reported;
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already said what is wrong.
    if (!(error instanceof CommanderError)) io.stderr.write(`${name}: ${problemOf(error)}\n`);
    return exitCodeOfError(error);
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure';
}
