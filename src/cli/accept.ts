/** `accept` and its sub-commands: parse, call, exit code. What they do is in accept-run.ts and accept-keys.ts. */
import { Option, type Command } from 'commander';
import { MODERN_REVISION, STATEFUL_REVISION, type JudgedRevision } from '../acceptance/revision.js';
import { runAcceptInit, runAcceptKeygen, runAcceptSchema, runAcceptVerify } from './accept-keys.js';
import { runAccept, runAcceptTestbed, type AcceptArgs, type TestbedArgs } from './accept-run.js';
import type { ExitCode } from './exit-code.js';
import type { RegisterCommand } from './run-cli.js';

/** @param environment where the secrets are read from that a configuration names by `env` */
export function registerAccept(environment: Readonly<Record<string, string | undefined>>): RegisterCommand {
  return (program, io, report) => {
    // Options after a sub-command are its own: `accept testbed --out` is not `accept --out`.
    program.enablePositionalOptions();
    const accept = common(
      program
        .command('accept')
        .enablePositionalOptions()
        .description(
          'judge a reverse proxy or gateway in front of an MCP server, from outside, and sign a record',
        )
        .option('--config <file>', 'the configuration; `accept init` writes one')
        .option('--out <file>', 'where the record goes', 'acceptance-record.json')
        .option('--html <file>', 'where a page for people goes'),
    ).action(async (args: Partial<AcceptArgs>) => {
      if (args.config === undefined)
        accept.error('error: --config <file> is needed; `accept init` writes one');
      report(await untilInterrupted((stop) => runAccept(args as AcceptArgs, io, environment, stop)));
    });

    common(accept.command('testbed'))
      .description('start an upstream, a proxy and a witness on loopback and judge them')
      .addOption(
        new Option('--proxy <kind>', 'the proxy to start').choices(['embedded', 'nginx']).default('embedded'),
      )
      .option('--fault <name>', 'break one thing on purpose; `--fault list` names all')
      .option('--out <file>', 'where the record goes', 'acceptance-record.json')
      .option('--html <file>', 'where the page goes', 'acceptance-record.html')
      .option(
        '--public-key <file>',
        'where the key goes that verifies the record (default: beside the record)',
      )
      .action(async (args: TestbedArgs) => {
        report(await untilInterrupted((stop) => runAcceptTestbed(args, io, environment, stop)));
      });

    accept
      .command('init')
      .description('write a commented accept.yaml')
      .argument('[file]', 'where it goes', 'accept.yaml')
      .action(async (file: string) => report(await runAcceptInit({ file }, io)));
    accept
      .command('keygen')
      .description('make a key pair for signing records')
      .option('--private <file>', 'where the private key goes', 'acceptance-private.jwk')
      .option('--public <file>', 'where the public key goes', 'acceptance-public.jwk')
      .action(async (args: { private: string; public: string }) => report(await runAcceptKeygen(args, io)));
    accept
      .command('verify')
      .description('verify a record with a public key')
      .argument('<record>', 'the record file')
      .requiredOption('--key <file>', 'the public key')
      .action(async (record: string, args: { key: string }) =>
        report(await runAcceptVerify({ record, ...args }, io)),
      );
    accept
      .command('schema')
      .description('print the JSON schema of a record file')
      .action(async () => report(await runAcceptSchema(io)));
  };
}

function common(command: Command): Command {
  return command
    .addOption(
      new Option('--revision <revision>', 'the revision to judge by')
        .choices([MODERN_REVISION, STATEFUL_REVISION] satisfies JudgedRevision[])
        .default(MODERN_REVISION),
    )
    .option('--strict', 'exit with 3 if it passes only with exceptions', false);
}

/** Ctrl-C ends the run; what was measured is still written. A second one ends the process. */
async function untilInterrupted(run: (stop: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    return await run(stop.signal);
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}
