/** The sub-command `validate`: reads the options, picks the mode, and hands on. */

import { RULE_IDS, RULES } from '../validator/catalogue.js';
import type { CliIo } from './cli-io.js';
import type { RegisterCommand } from './run-cli.js';
import type { ExitCode } from './exit-code.js';
import { writeLine } from './write-line.js';
import { EXIT_MET, refuseInput } from './validate-exit.js';
import { validateFixture } from './validate-fixture.js';
import { validateHar, validateTranscript } from './validate-recorded.js';

/** What `validate` was asked for. */
export interface ValidateArguments {
  /** Fixture file, `-` for stdin; the shipped fixture when undefined. */
  readonly fixture?: string | undefined;
  readonly transcript?: string | undefined;
  readonly har?: string | undefined;
  readonly policy?: string | undefined;
  readonly caseName?: string | undefined;
  readonly rules?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly json?: boolean | undefined;
}

type ParsedOptions = Omit<ValidateArguments, 'fixture' | 'caseName'> & { readonly case?: string };

/** Runs `validate` and gives its exit code: 0 all well, 1 something found, 2 unusable input or options. */
export async function runValidate(args: ValidateArguments, io: CliIo): Promise<ExitCode> {
  const { fixture, transcript, har, policy, caseName, verbose = false, json = false } = args;
  const problem = optionProblem(args);
  if (problem !== undefined) return refuseInput(io, 'set of options', problem);
  if (args.rules === true) return printRules(json, io);
  if (transcript !== undefined) return validateTranscript(transcript, { verbose, json, policy }, io);
  if (har !== undefined) return validateHar(har, { verbose, json, policy: undefined }, io);
  return validateFixture(fixture, { verbose, json, caseName }, io);
}

function optionProblem(args: ValidateArguments): string | undefined {
  const modes = [args.fixture, args.transcript, args.har].filter((mode) => mode !== undefined);
  if (modes.length > 1) return 'a fixture, --transcript and --har exclude each other';
  if (args.policy !== undefined && args.transcript === undefined) return '--policy needs --transcript';
  if (args.policy === '-' && args.transcript === '-') return 'stdin can be read once only';
  const isFixture = args.transcript === undefined && args.har === undefined;
  return args.caseName !== undefined && !isFixture ? '--case needs a fixture' : undefined;
}

async function printRules(json: boolean, io: CliIo): Promise<ExitCode> {
  if (json) {
    const rows = RULE_IDS.map((id) => {
      const { level, section, reason, isLimitOfProfile } = RULES[id];
      return {
        id,
        level,
        section,
        reason,
        ...(isLimitOfProfile === true && { not_judged_in_transcripts: true }),
      };
    });
    await writeLine(io.stdout, JSON.stringify(rows, null, 2));
    return EXIT_MET;
  }
  await writeLine(io.stdout, '| rule | level | section | what must hold |\n|---|---|---|---|');
  for (const id of RULE_IDS) {
    const { level, section, reason } = RULES[id];
    await writeLine(io.stdout, `| ${id} | ${level} | ${section} | ${reason.replaceAll('|', '\\|')} |`);
  }
  return EXIT_MET;
}

/** Adds `validate` to the program. */
export const registerValidate: RegisterCommand = (program, io, report) => {
  program
    .command('validate')
    .description('judge MCP 2025-11-25 messages offline: a fixture, a transcript or a HAR export')
    .argument('[fixture]', 'fixture file, - for stdin; the shipped one when left out')
    .option('--transcript <file>', 'JSON Lines of {direction, message[, transport_context]}, - for stdin')
    .option('--har <file>', 'HAR export of Streamable HTTP traffic, - for stdin')
    .option('--policy <file>', 'authorization policy for --transcript')
    .option('--case <name>', 'run only this case of the fixture')
    .option('--rules', 'print the table of rules')
    .option('--verbose', 'one row per case, and what was not judged')
    .option('--json', 'machine-readable report')
    .action(async (fixture: string | undefined, options: ParsedOptions) => {
      const { case: caseName, ...rest } = options;
      report(await runValidate({ ...rest, fixture, caseName }, io));
    });
};
