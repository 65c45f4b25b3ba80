/**
 * `experiments [n]`: runs the experiments on the real application and shows, for each change, what came back beside
 * the unchanged request and which gate decided. `--predict` asks first.
 */
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { rawExchange, type RawAnswer } from '../client/raw-exchange.js';
import { SPOKEN_REVISION } from '../protocol/revisions.js';
import { type Lab, type LabState, startLab } from '../lab.js';
import type { CliIo } from './cli-io.js';
import type { ExitCode } from './exit-code.js';
import {
  type Change,
  type Experiment,
  EXPERIMENTS,
  type RecordChanges,
  type Scene,
} from './experiment-list.js';
import { publicCodeOf } from './public-code.js';
import { bytesOf, draft, type RequestDraft } from './request-draft.js';
import type { RegisterCommand } from './run-cli.js';

const LIMITS = { timeoutMs: 5000, maxBytes: 64 * 1024 };

/** What one request came to. */
export interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly challenge: string | undefined;
  /** The gate that refused; undefined when all passed that were asked. */
  readonly gate: { readonly number: number; readonly asks: string } | undefined;
}

export interface Result {
  readonly experiment: number;
  readonly title: string;
  readonly what: string;
  readonly unchanged: Outcome;
  readonly changed: Outcome;
  /** Whether what came back is what the experiment says. */
  readonly asExpected: boolean;
}

interface ExperimentsOptions {
  readonly predict?: boolean | undefined;
  readonly json?: boolean | undefined;
}

export const registerExperiments: RegisterCommand = (program, io, report) => {
  program
    .command('experiments')
    .argument('[n]', `which one, 1 to ${EXPERIMENTS.length}; default: all`)
    .description('change one thing in a good request at a time and see which gate decides')
    .option('--predict', 'ask first, then show')
    .option('--json', 'results as one JSON document on stdout')
    .action(async (n: string | undefined, options: ExperimentsOptions) => {
      report(await experiments(io, n, options));
    });
};

export async function experiments(
  io: CliIo,
  n: string | undefined,
  { predict = false, json = false }: ExperimentsOptions = {},
): Promise<ExitCode> {
  const chosen = EXPERIMENTS.map((experiment, index) => ({ experiment, number: index + 1 })).filter(
    ({ number }) => n === undefined || String(number) === n,
  );
  if (chosen.length === 0) {
    io.stderr.write(`there is no experiment of that number: 1 to ${EXPERIMENTS.length}\n`);
    return 2;
  }
  const results: Result[] = [];
  const prompt = predict ? createInterface({ input: io.stdin, output: io.stderr }) : undefined;
  const guesses = prompt?.[Symbol.asyncIterator]();
  try {
    for (const { experiment, number } of chosen) {
      if (!json) io.stdout.write(`${number}. ${experiment.title}\n   ${experiment.lesson}\n`);
      for (const change of experiment.changes) {
        if (guesses !== undefined) io.stderr.write(`\n   ${change.what}\n   Which status will come back? `);
        const guess = guesses && String((await guesses.next()).value ?? '');
        const result = await run(number, experiment, change);
        results.push(result);
        if (!json) io.stdout.write(resultText(result, guess));
      }
      if (!json) io.stdout.write('\n');
    }
  } finally {
    prompt?.close();
  }
  if (json) io.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  return results.every(({ asExpected }) => asExpected) ? 0 : 1;
}

/** Each change gets a server of its own, so that none sees what another left behind. */
async function run(number: number, experiment: Experiment, change: Change): Promise<Result> {
  const token = randomToken();
  const neighbour = randomToken();
  const people = { token, neighbour };
  const lab = await startLab(stateOf(people, {}));
  try {
    const scene = await openScene(lab, people);
    const unchanged = await outcomeOf(lab, experiment.unchanged(scene));
    const changed = await outcomeOf(lab, change.request(scene));
    const [status, code] = change.expected;
    return {
      experiment: number,
      title: experiment.title,
      what: change.what,
      unchanged,
      changed,
      asExpected: unchanged.status === 200 && changed.status === status && changed.code === code,
    };
  } finally {
    await lab.stop();
  }
}

interface People {
  readonly token: string;
  readonly neighbour: string;
}

function stateOf({ token, neighbour }: People, changes: RecordChanges): LabState {
  const { revoked, currentRevision, ...claims } = changes;
  return {
    tokens: [
      { token, subject: 'you', tokenId: 'yours', ...claims },
      { token: neighbour, subject: 'neighbour', tokenId: 'of the neighbour' },
    ],
    ...(revoked === true && { revoked: ['yours'] }),
    ...(currentRevision !== undefined && { revision: currentRevision }),
  };
}

async function openScene(lab: Lab, people: People): Promise<Scene> {
  const session = await openSession(lab, people.token);
  const neighbourSession = await openSession(lab, people.neighbour);
  const listed = await send(lab, draft('POST', { token: people.token, session, message: LIST }));
  const streamed = await send(lab, draft('GET', { token: people.neighbour, session: neighbourSession }));
  return {
    lab,
    token: people.token,
    session,
    neighbourSession,
    postEventId: eventIdOf(listed),
    neighbourEventId: eventIdOf(streamed),
    record: (changes) => lab.change(stateOf(people, changes)),
  };
}

const LIST = { jsonrpc: '2.0', id: 'scene', method: 'resources/list' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'scene',
  method: 'initialize',
  params: {
    protocolVersion: SPOKEN_REVISION,
    capabilities: {},
    clientInfo: { name: 'experiments', version: '1' },
  },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

async function openSession(lab: Lab, token: string): Promise<string> {
  const opened = await send(lab, draft('POST', { token, message: INITIALIZE }));
  const session = opened.headers.get('mcp-session-id');
  if (session === undefined) throw new Error('the lab opens no session');
  await send(lab, draft('POST', { token, session, message: INITIALIZED }));
  return session;
}

async function send(lab: Lab, request: RequestDraft): Promise<RawAnswer> {
  const host = `127.0.0.1:${lab.port}`;
  const answer = await rawExchange({ host: '127.0.0.1', port: lab.port }, bytesOf(request, host), LIMITS);
  if (answer === undefined) throw new Error('the lab gave no whole answer');
  return answer;
}

async function outcomeOf(lab: Lab, request: RequestDraft): Promise<Outcome> {
  const { answer, steps } = await lab.traced(() => send(lab, request));
  const refused = steps.find(({ code }) => code !== undefined);
  return {
    status: answer.status,
    code: publicCodeOf(answer),
    challenge: answer.headers.get('www-authenticate'),
    gate: refused && { number: refused.gate.number, asks: refused.gate.asks },
  };
}

function eventIdOf({ body }: RawAnswer): string {
  return /^id: (\S+)$/m.exec(body)?.[1] ?? '';
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

function resultText({ what, unchanged, changed, asExpected }: Result, guess: string | undefined): string {
  const lines = [
    `   change      ${what}`,
    `   unchanged   ${outcomeText(unchanged)}`,
    `   changed     ${outcomeText(changed)}`,
    `   decided by  ${decider(changed)}`,
    ...(changed.challenge === undefined ? [] : [`   challenge   ${changed.challenge}`]),
    ...(guess === undefined ? [] : [`   predicted   ${predictionText(guess, changed)}`]),
    ...(asExpected ? [] : ['   NOT AS THE EXPERIMENT SAYS']),
  ];
  return `\n${lines.join('\n')}\n`;
}

function outcomeText({ status, code }: Outcome): string {
  return code === undefined ? String(status) : `${status} ${code}`;
}

function decider({ gate, code }: Outcome): string {
  if (gate !== undefined) return `gate ${gate.number}: ${gate.asks}?`;
  return code === undefined ? 'nobody refused' : 'the endpoint itself, behind all gates';
}

function predictionText(guess: string, { status }: Outcome): string {
  const isRight = guess.trim() === String(status);
  return `${guess.trim() === '' ? 'nothing' : guess.trim()}: ${isRight ? 'right' : 'wrong'}`;
}
