/**
 * `demo`: the whole life of one session against the real application on a random loopback port, eight HTTP round
 * trips, each checked. One line on stdout says how it went; the reason of a failure is on stderr.
 */
import { SHIPPED_SCOPES } from '../auth/scope-catalog.js';
import { ClientError } from '../client/client-error.js';
import { ACCEPTED_REVISION, McpClient, type McpClientOptions } from '../client/mcp-client.js';
import { startTeachingApp, type TeachingApp } from '../teaching-app.js';
import type { CliIo } from './cli-io.js';
import { type ExitCode, exitCodeOfVerdict } from './exit-code.js';
import { roundTripText } from './round-trip-text.js';
import type { RegisterCommand } from './run-cli.js';
import { PROFILE, verdictLine } from './verdict.js';

export interface DemoOptions {
  /** Show each round trip on stderr. */
  readonly verbose?: boolean | undefined;
  /** Starts what is shown; default: the real application. */
  readonly start?: (() => Promise<Lesson>) | undefined;
}

/** Where to go and with which token. */
export interface Lesson {
  readonly url: string;
  readonly token: string;
  readonly handbookUri: string;
  stop(): Promise<void>;
}

export const registerDemo: RegisterCommand = (program, io, report) => {
  program
    .command('demo')
    .description('start the server, go through one whole session, and say PASS or FAIL')
    .option('--verbose', 'show each HTTP round trip on stderr')
    .action(async ({ verbose }: { verbose?: boolean }) => {
      const code = await demo(io, { verbose });
      report(code);
    });
};

export async function demo(
  io: CliIo,
  { verbose = false, start = startLesson }: DemoOptions = {},
): Promise<ExitCode> {
  const lesson = await start();
  try {
    const client = new McpClient({
      url: lesson.url,
      token: lesson.token,
      ...(verbose && watchedBy(io)),
    });
    const problem = await problemOf(() => walk(client, lesson.handbookUri));
    if (problem !== undefined) io.stderr.write(`demo failed: ${problem}\n`);
    const verdict = problem === undefined ? 'PASS' : 'FAIL';
    io.stdout.write(
      verdictLine({
        http_round_trips: client.roundTrips,
        profile: PROFILE,
        protocol_version: ACCEPTED_REVISION,
        verdict,
      }),
    );
    return exitCodeOfVerdict(verdict);
  } finally {
    await lesson.stop();
  }
}

/** The eight round trips. Statuses, content types, ids and shapes are the client's to judge, the rest is here. */
async function walk(client: McpClient, handbookUri: string): Promise<void> {
  await step('initialize', () => client.initialize());
  await step('notifications/initialized', () => client.initialized());
  await step('ping', () => client.ping());

  const { resources, nextCursor } = await step('resources/list', () => client.listResources());
  expect(
    resources.length === 1 && resources[0]?.uri === handbookUri && nextCursor === undefined,
    'resources/list: not the one handbook of this tenant',
  );

  const [event, ...more] = await step('GET stream', () => client.stream());
  expect(
    event?.notification?.method === 'notifications/resources/list_changed' && more.length === 0,
    'GET stream: not the one notification that was queued',
  );
  expect(event.id !== undefined && event.retryMs !== undefined, 'GET stream: no event id or no retry');

  const { id } = event;
  const [cursor, ...replayed] = await step('GET resumed', () => client.stream(id));
  expect(cursor?.notification === undefined && replayed.length === 0, 'GET resumed: something was replayed');
  expect(cursor?.id === id && cursor.retryMs !== undefined, 'GET resumed: the cursor moved, or no retry');

  await step('DELETE', () => client.end());
  const refusal = await client.ping().catch((error: unknown) => error);
  const isGone = refusal instanceof ClientError && refusal.facts.publicCode === 'session_not_found';
  expect(isGone && refusal.facts.status === 404, 'ping after DELETE: not refused with 404 session_not_found');
}

class CheckFailed extends Error {}

function expect(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new CheckFailed(problem);
}

/** Says in which step the client gave up. */
async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ClientError) throw new CheckFailed(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

async function problemOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof CheckFailed) return error.message;
    throw error;
  }
}

function watchedBy(io: CliIo): Pick<McpClientOptions, 'onRoundTrip'> {
  return { onRoundTrip: (roundTrip) => io.stderr.write(roundTripText(roundTrip, io.isTerminal)) };
}

async function startLesson(): Promise<Lesson> {
  const app: TeachingApp<'learner'> = await startTeachingApp({ grants: { learner: SHIPPED_SCOPES } });
  return {
    url: app.url,
    token: app.tokens.learner,
    handbookUri: 'kb://tenant/learner/handbook',
    stop: () => app.stop(),
  };
}
