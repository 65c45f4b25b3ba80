/**
 * `explain [file]`: sends a pasted request as it is to a server started for it, and shows gate by gate what became
 * of it. The trace comes from the gates themselves. With `--url` it goes to a server that runs already, whose
 * public code tells the gate.
 */
import { readFile } from 'node:fs/promises';
import { SHIPPED_SCOPES } from '../auth/scope-catalog.js';
import { rawExchange, type RawAnswer, type RawTarget } from '../client/raw-exchange.js';
import { readBearer } from '../protocol/bearer.js';
import { CATALOG } from '../errors/catalog.js';
import { GATE_LIST, type GateStep } from '../gate-trace.js';
import { type LabOptions, startLab } from '../lab.js';
import type { CliIo } from './cli-io.js';
import { CURES } from './cures.js';
import type { ExitCode } from './exit-code.js';
import { type PastedRequest, readPasted } from './pasted-request.js';
import { publicCodeOf } from './public-code.js';
import type { RegisterCommand } from './run-cli.js';

const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
const MAX_PASTED_BYTES = 1024 * 1024;

export interface ExplainOptions {
  readonly url?: string | undefined;
  readonly scopes?: string | undefined;
  /** False: nothing is assumed; token and session are unknown to the server. */
  readonly assume?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export interface Explanation {
  readonly request: string;
  readonly notes: readonly string[];
  readonly gates: ReadonlyArray<{
    readonly number: number;
    readonly asks: string;
    readonly outcome: 'passed' | 'refused' | 'not reached';
  }>;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly reason: string | undefined;
  readonly challenge: string | undefined;
  /** JSON-RPC error code, when the method answered with an error. */
  readonly jsonRpcError: number | undefined;
  readonly rule: string | undefined;
  readonly cure: string | undefined;
}

export const registerExplain: RegisterCommand = (program, io, report) => {
  program
    .command('explain')
    .argument('[file]', 'a raw HTTP request or a curl command; default: standard input', '-')
    .description('show gate by gate what becomes of a pasted request, and what would make it pass')
    .option('--url <url>', 'send it to this server instead of one started for it')
    .option('--scopes <list>', 'scopes that the token is assumed to have, separated by commas')
    .option('--no-assume', 'assume neither that the token is good nor that the session lives')
    .option('--json', 'the explanation as one JSON document')
    .action(async (file: string, options: ExplainOptions) => {
      report(await explain(io, file, options));
    });
};

/** 0: the request passed every gate; 1: it was refused; 2: there is nothing to explain. */
export async function explain(io: CliIo, file: string, options: ExplainOptions = {}): Promise<ExitCode> {
  const text = await readInput(io, file);
  if (text === undefined) return fail(io, 'the request cannot be read');
  const pasted = readPasted(text);
  if (!pasted.ok) return fail(io, pasted.problem);
  const target = options.url === undefined ? undefined : targetOf(options.url);
  if (options.url !== undefined && target === undefined) return fail(io, '--url is not an http or https URL');

  const explanation =
    target === undefined ? await inLab(pasted.request, options) : await at(target, pasted.request);
  io.stdout.write(
    options.json === true
      ? `${JSON.stringify(explanation, null, 2)}\n`
      : explanationText(explanation, io.isTerminal),
  );
  return explanation.status !== undefined && explanation.status < 400 ? 0 : 1;
}

async function inLab(request: PastedRequest, options: ExplainOptions): Promise<Explanation> {
  const { labOptions, notes } = assumptions(request, options);
  const lab = await startLab(labOptions);
  try {
    const { answer, steps } = await lab.traced(() =>
      rawExchange({ host: '127.0.0.1', port: lab.port }, request.bytes, LIMITS),
    );
    const refused = steps.find(({ code }) => code !== undefined);
    const gates = GATE_LIST.map((gate) => ({
      number: gate.number,
      asks: gate.asks,
      outcome: outcomeOf(steps.find((step) => step.gate.name === gate.name)),
    }));
    return {
      ...judged(request, answer),
      notes: [...request.notes, ...notes],
      gates,
      reason: refused?.reason,
    };
  } finally {
    await lab.stop();
  }
}

function outcomeOf(step: GateStep | undefined): 'passed' | 'refused' | 'not reached' {
  if (step === undefined) return 'not reached';
  return step.code === undefined ? 'passed' : 'refused';
}

async function at(target: RawTarget, request: PastedRequest): Promise<Explanation> {
  const answer = await rawExchange(target, request.bytes, LIMITS);
  const explanation = judged(request, answer);
  const deciding = GATE_LIST.findIndex(({ codes }) => codes.some((code) => code === explanation.code));
  const isPassed = answer !== undefined && answer.status < 400;
  const gates = GATE_LIST.map(({ number, asks }, index) => ({
    number,
    asks,
    outcome:
      isPassed || index < deciding
        ? ('passed' as const)
        : index === deciding
          ? ('refused' as const)
          : ('not reached' as const),
  }));
  const notes = ['the gates follow from the public code of the answer; the server told nothing else'];
  return { ...explanation, notes: [...request.notes, ...notes], gates };
}

function judged({ startLine, notes }: PastedRequest, answer: RawAnswer | undefined): Explanation {
  const code = answer && publicCodeOf(answer);
  return {
    request: startLine.replace(/[?#].*(?= HTTP\/)/, '?…'),
    notes,
    gates: [],
    status: answer?.status,
    code,
    reason: undefined,
    challenge: answer?.headers.get('www-authenticate'),
    jsonRpcError: answer && jsonRpcErrorOf(answer),
    rule: code && CATALOG[code].meaning,
    cure: code && CURES[code],
  };
}

/** What has to be taken for granted so that a request from somewhere else can be judged here. */
function assumptions(
  { headers }: PastedRequest,
  { assume = true, scopes }: ExplainOptions,
): { readonly labOptions: LabOptions; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const host = headers.get('host');
  const publicUrl =
    host !== undefined && /^[\w.-]+(?::\d+)?$/.test(host) ? `http://${host.toLowerCase()}/mcp` : undefined;
  if (publicUrl !== undefined) notes.push(`assumed: the server is known as ${host}`);
  const port = /^(?:127\.0\.0\.1|localhost)(?::(\d+))?$/.exec(host ?? '')?.[1];
  const allowedOrigins =
    port === undefined
      ? []
      : ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).origin);
  const settings = {
    allowedOrigins,
    ...(publicUrl !== undefined && URL.canParse(publicUrl) && { publicUrl }),
  };

  const bearer = readBearer(headers.get('authorization'));
  const session = headers.get('mcp-session-id');
  if (!assume) return { labOptions: { settings, tokens: [] }, notes };
  if (bearer.kind !== 'token') return { labOptions: { settings, tokens: [] }, notes };
  const granted = scopes === undefined ? SHIPPED_SCOPES : scopes.split(',').map((scope) => scope.trim());
  notes.push(`assumed: the token is good and has ${granted.join(' ')}`);
  if (session !== undefined) notes.push('assumed: the session lives, is ready and belongs to the caller');
  return {
    notes,
    labOptions: {
      settings,
      tokens: [{ token: bearer.token, subject: 'caller', scopes: granted }],
      ...(session !== undefined && { assumedSession: { id: session, subject: 'caller' } }),
    },
  };
}

async function readInput(io: CliIo, file: string): Promise<string | undefined> {
  if (file !== '-') {
    const bytes = await readFile(file).catch(() => undefined);
    return bytes === undefined || bytes.length > MAX_PASTED_BYTES ? undefined : bytes.toString('utf8');
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_PASTED_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function targetOf(url: string): RawTarget | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  const tls = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? (tls ? 443 : 80) : port), tls };
}

function jsonRpcErrorOf({ status, body }: RawAnswer): number | undefined {
  const code = status === 200 ? /"error":\{"code":(-?\d+)/.exec(body)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

function explanationText(explanation: Explanation, isColoured: boolean): string {
  const { request, notes, gates, status, code, reason, challenge, jsonRpcError, rule, cure } = explanation;
  const paint = (colour: number, text: string): string =>
    isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text;
  const signs = {
    passed: paint(32, 'passed     '),
    refused: paint(31, 'refused    '),
    'not reached': 'not reached',
  };
  const isUntouched = gates.every(({ outcome }) => outcome === 'not reached');
  const answer =
    status === undefined ? 'no whole answer' : `${status}${code === undefined ? '' : ` ${code}`}`;
  return [
    request,
    ...notes.map((note) => `  (${note})`),
    '',
    ...(isUntouched && status !== undefined ? ['  refused before gate 1, by the HTTP parser'] : []),
    ...gates.map(
      ({ number, asks, outcome }) => `  ${String(number).padStart(2)}  ${signs[outcome]}  ${asks}?`,
    ),
    '',
    `  answer     ${answer}`,
    ...(reason === undefined ? [] : [`  reason     ${reason} (in the log only)`]),
    ...(challenge === undefined ? [] : [`  challenge  ${challenge}`]),
    ...(jsonRpcError === undefined
      ? []
      : [`  JSON-RPC   error ${jsonRpcError}: the method refused, behind all gates`]),
    ...(rule === undefined ? [] : [`  rule       ${rule}`]),
    ...(cure === undefined ? [] : [`  to pass    ${cure}`]),
    '',
  ].join('\n');
}

function fail(io: CliIo, problem: string): 2 {
  io.stderr.write(`explain: ${problem}\n`);
  return 2;
}
