/** `accept` and `accept testbed`: load, run, show each check, write the record and the page. */
import { writeFileSync } from 'node:fs';
import { accept, CHECK_IDS } from '../acceptance/accept.js';
import type { Check } from '../acceptance/checks/check.js';
import { loadConfig, UnusableConfig, type AcceptConfig } from '../acceptance/config/load-config.js';
import type { Finding } from '../acceptance/finding.js';
import { htmlPage } from '../acceptance/html/page.js';
import type { AcceptanceRecord } from '../acceptance/record/record.js';
import type { JudgedRevision } from '../acceptance/revision.js';
import { GROUND_TEXT, PROBLEM_TEXT } from '../acceptance/texts.js';
import { startBed } from '../acceptance/testbed/bed.js';
import { BedUnavailable } from '../acceptance/testbed/bed-unavailable.js';
import { PROXY_FAULTS, STATEFUL_FAULTS, UPSTREAM_FAULTS } from '../acceptance/testbed/faults.js';
import { NginxUnavailable } from '../acceptance/testbed/nginx.js';
import { NGINX_FAULTS } from '../acceptance/testbed/nginx-faults.js';
import { OwnServerUnavailable } from '../acceptance/testbed/own-server.js';
import { exitCodeOf } from '../acceptance/verdict.js';
import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What `accept` is told. */
export interface AcceptArgs {
  readonly config: string;
  readonly out: string;
  readonly html?: string;
  readonly strict: boolean;
  readonly revision: JudgedRevision;
}

/** What `accept testbed` is told. */
export interface TestbedArgs extends Omit<AcceptArgs, 'config'> {
  readonly proxy: 'embedded' | 'nginx';
  readonly fault?: string;
  /** Default: beside the record. */
  readonly publicKey?: string;
}

/** Judges what a configuration names. */
export async function runAccept(
  args: AcceptArgs,
  io: CliIo,
  env: Environment,
  stop?: AbortSignal,
): Promise<ExitCode> {
  let config: AcceptConfig;
  try {
    config = loadConfig({ path: args.config, env, checkIds: CHECK_IDS });
  } catch (error) {
    if (!(error instanceof UnusableConfig)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 2;
  }
  const { record, file } = await accept(config, args.revision, {
    ...(stop !== undefined && { stop }),
    onFinding: (check, finding) => io.stderr.write(progressLine(check, finding, io.isTerminal)),
  });
  try {
    writeFileSync(args.out, file);
    if (args.html !== undefined) writeFileSync(args.html, htmlPage(record, record.complete));
  } catch (error) {
    io.stderr.write(`the record could not be written: ${(error as Error).message}\n`);
    return 2;
  }
  io.stdout.write(summary(record, args));
  return exitCodeOf(record.verdict.name, args.strict);
}

/** Starts the bed, judges it, stops it. */
export async function runAcceptTestbed(
  args: TestbedArgs,
  io: CliIo,
  env: Environment,
  stop?: AbortSignal,
): Promise<ExitCode> {
  if (args.fault === 'list') {
    const own = args.proxy === 'nginx' ? Object.keys(NGINX_FAULTS) : [...PROXY_FAULTS, ...STATEFUL_FAULTS];
    io.stdout.write(`${[...UPSTREAM_FAULTS, ...own].join('\n')}\n`);
    return 0;
  }
  try {
    const { proxy, fault, revision } = args;
    const bed = await startBed({ proxy, fault, revision, isolated: true });
    try {
      io.stderr.write(`bed: upstream, ${proxy} proxy and witness run on 127.0.0.1\n`);
      const keyPath = args.publicKey ?? `${args.out.replace(/\.json$/, '')}.public.jwk`;
      writeFileSync(keyPath, `${bed.publicKey}\n`);
      const code = await runAccept({ ...args, config: bed.configPath }, io, env, stop);
      io.stdout.write(`key:    ${keyPath} (of this bed only)\n`);
      return code;
    } finally {
      await bed.stop();
    }
  } catch (error) {
    const told = [BedUnavailable, NginxUnavailable, OwnServerUnavailable];
    if (!(error instanceof Error) || !told.some((kind) => error instanceof kind)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 2;
  }
}

const MARKS = { pass: 'PASS', fail: 'FAIL', 'not-testable': 'FAIL', 'not-run': '----' } as const;

function progressLine({ id }: Check, { outcome, problems, measured }: Finding, colour: boolean): string {
  const mark = MARKS[outcome];
  const painted = colour ? `\u001b[${outcome === 'pass' ? 32 : 31}m${mark}\u001b[0m` : mark;
  const why = outcome === 'not-run' ? 'not run' : problems.map((problem) => PROBLEM_TEXT[problem]).join(' ');
  const time = outcome === 'not-run' ? '' : `${measured.durationMs ?? 0} ms`;
  return `  ${painted}  ${id.padEnd(31)} ${time.padStart(8)}  ${why}`.trimEnd().concat('\n');
}

function summary(record: AcceptanceRecord, { out, html }: Pick<AcceptArgs, 'out' | 'html'>): string {
  const { name, grounds, exceptions } = record.verdict;
  const passed = record.checks.filter(({ status }) => status === 'pass').length;
  return [
    `${name}  ${passed} of ${record.checks.length} checks pass  (MCP ${record.revision}, ${record.environment} ${record.release})`,
    ...grounds.map(({ ground, check }) => `  ${GROUND_TEXT[ground]}${check === '' ? '' : ` [${check}]`}`),
    ...exceptions.map(
      ({ check, owner, expires, state }) => `  exception ${state}: ${check}, ${owner}, until ${expires}`,
    ),
    `record: ${out}${record.complete ? '' : ' (incomplete, unsigned)'}`,
    ...(html === undefined ? [] : [`page:   ${html}`]),
    '',
  ].join('\n');
}
