/** `validate [fixture.json]`: runs the cases of a fixture and prints the summary. */

import { fileURLToPath } from 'node:url';
import { readFixture } from '../validator/fixture.js';
import { type CaseReport, runCase, summarize } from '../validator/fixture-run.js';
import { LIMITS } from '../validator/limits.js';
import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';
import { writeLine } from './write-line.js';
import { readInput } from './validate-input.js';
import { EXIT_MET, EXIT_UNMET, refuseInput } from './validate-exit.js';

/** The fixture of this package; the same place from src/cli in tests and from dist/cli in the package. */
export const SHIPPED_FIXTURE = fileURLToPath(new URL('../../test/cases/mcp-cases.json', import.meta.url));

export interface FixtureOptions {
  readonly verbose: boolean;
  readonly json: boolean;
  /** Run only the case of this name. */
  readonly caseName: string | undefined;
}

/** @param path a file, `-` for stdin, or undefined for the shipped fixture */
export async function validateFixture(
  path: string | undefined,
  options: FixtureOptions,
  io: CliIo,
): Promise<ExitCode> {
  const input = await readInput(path ?? SHIPPED_FIXTURE, io, LIMITS.textBytes);
  if (!input.ok) return refuseInput(io, 'fixture', input.problem);
  const read = readFixture(input.bytes);
  if (!read.ok) return refuseInput(io, 'fixture', read.problem);
  const { fixture } = read;
  const chosen = fixture.cases
    .map((one, index) => ({ one, index }))
    .filter(({ one }) => options.caseName === undefined || one.name === options.caseName);
  if (chosen.length === 0) return refuseInput(io, 'fixture', 'it has no case of that name');

  const reports = chosen.map(({ one, index }) => ({ one, report: runCase(fixture, one, index) }));
  const summary = summarize(reports.map(({ report }) => report));
  if (options.json) {
    const cases = reports.map(({ one, report }) => jsonRow(report, one.error));
    await writeLine(io.stdout, JSON.stringify({ ...summary, cases }, null, 2));
  } else {
    for (const { one, report } of reports) {
      const isMet = report.status === 'passed' || report.status === 'expected_failure';
      // Without --verbose only what is wrong is said, apart from the summary that other programs read.
      if (options.verbose) await writeLine(io.stdout, textRow(report, one.error));
      else if (!isMet) await writeLine(io.stderr, textRow(report, one.error));
    }
    await writeLine(io.stdout, JSON.stringify(summary));
  }
  return summary.status === 'ok' ? EXIT_MET : EXIT_UNMET;
}

function jsonRow(report: CaseReport, expected: string | undefined): Record<string, unknown> {
  const { name, status, found, step, reason } = report;
  const row: Record<string, unknown> = { name, status };
  if (expected !== undefined) row.expected_rule = expected;
  if (found === undefined) return row;
  return { ...row, rule: found.rule, reason, step, pointer: found.pointer, facts: found.facts };
}

function textRow({ name, status, found, step, reason }: CaseReport, expected: string | undefined): string {
  const head = `${status.padEnd(18)} ${JSON.stringify(name).slice(1, -1)}`;
  if (found === undefined)
    return expected === undefined ? head : `${head}: nothing found, expected ${expected}`;
  const where = step === 'setup' ? 'setup' : `step ${String(step)}`;
  const wanted = status === 'wrong_reason' && expected !== undefined ? ` (expected ${expected})` : '';
  return `${head}: ${found.rule} at ${where}${found.pointer === '' ? '' : ` ${found.pointer}`}: ${reason}${wanted}`;
}
