/** `validate --transcript` and `--har`: judges what was recorded and prints every finding, then the counts. */

import { decodeUtf8 } from '../protocol/strict-json.js';
import type { Finding } from '../validator/finding.js';
import { readHar } from '../validator/har.js';
import { HarJudge } from '../validator/har-judge.js';
import { LIMITS } from '../validator/limits.js';
import { type Policy, readPolicy } from '../validator/policy.js';
import { renderFinding } from '../validator/render-finding.js';
import { isObject } from '../validator/shape.js';
import { jsonProblem, parseBytes } from '../validator/strict-text.js';
import type { Tally } from '../validator/tally.js';
import { type LineReport, TranscriptJudge } from '../validator/transcript.js';
import { shownName } from '../validator/secrecy.js';
import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';
import { writeLine } from './write-line.js';
import { EXIT_MET, EXIT_UNMET, refuseInput } from './validate-exit.js';
import { ioProblem, openInput, readInput, readLines } from './validate-input.js';

export interface RecordedOptions {
  readonly verbose: boolean;
  readonly json: boolean;
  /** Path of a policy file. */
  readonly policy: string | undefined;
}

const PROGRESS_EVERY_BYTES = 8_000_000;

export async function validateTranscript(
  path: string,
  options: RecordedOptions,
  io: CliIo,
): Promise<ExitCode> {
  let policy: Policy | undefined;
  if (options.policy !== undefined) {
    const read = await readPolicyFile(options.policy, io);
    if (!read.ok) return refuseInput(io, 'policy', read.problem);
    ({ policy } = read);
  }
  const judge = new TranscriptJudge(policy);
  let nextProgress = PROGRESS_EVERY_BYTES;
  try {
    for await (const line of readLines(openInput(path, io), LIMITS.textBytes)) {
      await show(reportOf(judge, line.bytes), { line: line.number }, options, io);
      if (io.isTerminal && line.end >= nextProgress) {
        nextProgress = line.end + PROGRESS_EVERY_BYTES;
        io.stderr.write(`\r${(line.end / 1_000_000).toFixed(0)} MB, ${line.number} lines`);
      }
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return refuseInput(io, 'transcript', ioProblem(error));
  }
  if (io.isTerminal && nextProgress > PROGRESS_EVERY_BYTES) io.stderr.write('\n');
  return finish(judge.tally, {}, io);
}

function reportOf(judge: TranscriptJudge, bytes: Uint8Array | undefined): LineReport {
  if (bytes === undefined) return judge.unreadable('json.too_large');
  const text = decodeUtf8(bytes);
  return text === undefined ? judge.unreadable('json.invalid_utf8') : judge.line(text);
}

export async function validateHar(path: string, options: RecordedOptions, io: CliIo): Promise<ExitCode> {
  const input = await readInput(path, io, LIMITS.harBytes);
  if (!input.ok) return refuseInput(io, 'HAR file', input.problem);
  const parsed = parseBytes(input.bytes);
  if (!parsed.ok) return refuseInput(io, 'HAR file', jsonProblem(parsed, input.bytes));
  const read = readHar(parsed.value);
  if (!read.ok) return refuseInput(io, 'HAR file', read.problem);
  const judge = new HarJudge();
  for (const event of read.contents.events) {
    const from = event.sender === 'client' ? 'request' : 'response';
    await show(judge.judge(event), { entry: event.entry, from }, options, io);
  }
  return finish(judge.tally, { skipped_entries: read.contents.skipped }, io);
}

/** A policy file: `{authorization[, transport_context_defaults]}`, as in a fixture. */
async function readPolicyFile(
  path: string,
  io: CliIo,
): Promise<
  { readonly ok: true; readonly policy: Policy } | { readonly ok: false; readonly problem: string }
> {
  const input = await readInput(path, io, LIMITS.textBytes);
  if (!input.ok) return input;
  const parsed = parseBytes(input.bytes);
  if (!parsed.ok) return { ok: false, problem: jsonProblem(parsed, input.bytes) };
  const { value } = parsed;
  if (!isObject(value) || value.authorization === undefined) {
    return { ok: false, problem: 'it must be an object with the key authorization' };
  }
  const unknown = Object.keys(value).find(
    (key) => key !== 'authorization' && key !== 'transport_context_defaults',
  );
  if (unknown !== undefined) return { ok: false, problem: `it has unknown keys: ${shownName(unknown)}` };
  return readPolicy(value.authorization, value.transport_context_defaults);
}

type Place = { readonly line: number } | { readonly entry: number; readonly from: 'request' | 'response' };

async function show(report: LineReport, place: Place, options: RecordedOptions, io: CliIo): Promise<void> {
  if (report.found !== undefined) await writeLine(io.stdout, row('finding', report.found, place, options));
  if (!options.verbose && !options.json) return;
  for (const note of report.notJudged) await writeLine(io.stdout, row('not_judged', note, place, options));
}

function row(kind: 'finding' | 'not_judged', found: Finding, place: Place, options: RecordedOptions): string {
  const { rule, pointer, facts } = found;
  const reason = renderFinding(found);
  if (options.json) return JSON.stringify({ kind, ...place, rule, pointer, reason, facts });
  const where = 'line' in place ? `line ${place.line}` : `entry ${place.entry} ${place.from}`;
  const note = kind === 'not_judged' ? ' (not judged)' : '';
  return `${where}${pointer === '' ? '' : ` ${pointer}`}: ${rule}${note}: ${reason}`;
}

async function finish(tally: Tally, extra: Record<string, number>, io: CliIo): Promise<ExitCode> {
  const summary = tally.summary();
  await writeLine(io.stdout, JSON.stringify({ ...summary, ...extra }));
  return summary.status === 'ok' ? EXIT_MET : EXIT_UNMET;
}
