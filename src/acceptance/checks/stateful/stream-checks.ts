/*
 * Revision 2025-11-25, the GET stream through the proxy: what is queued arrives once, and a cursor is honoured
 * (basic/transports#resumability-and-redelivery).
 */
import { createParser } from 'eventsource-parser';
import { headerOf } from '../../client/exchange.js';
import { parseMessage } from '../../client/json-rpc.js';
import { keep, type Observation, type Probe } from '../../probe.js';
import type { Check } from '../check.js';
import { NotTestable, type Report } from '../../report.js';
import { withSession, writeBodiless } from './session.js';

/** Longest time that a GET stream is read. */
const READ_MS = 2000;

interface GetStream {
  readonly seen: Observation;
  readonly ids: readonly string[];
  readonly methods: readonly string[];
}

/** Reads the GET stream of a session until it ends or the time is over. */
async function readStream(
  probe: Probe,
  report: Report,
  session: string,
  cursor?: string,
): Promise<GetStream> {
  const more = cursor === undefined ? [] : ([['Last-Event-ID', cursor]] as const);
  const { sent, id, nonce } = writeBodiless(probe, 'GET', { session }, more);
  const until = AbortSignal.timeout(READ_MS);
  const what = cursor === undefined ? 'GET' : 'GET with Last-Event-ID';
  const seen = await probe.sendRaw(what, { ...sent, until }, id, nonce);
  // Event ids are random: they are no evidence, and would make two runs differ.
  keep(report, { ...seen, ...(seen.answer && { answer: { ...seen.answer, body: '' } }) });
  const [ids, methods]: [string[], string[]] = [[], []];
  const parser = createParser({
    onEvent: ({ id: eventId, data }) => {
      if (eventId !== undefined && eventId !== '') ids.push(eventId);
      const method = parseMessage(data)?.method;
      if (method !== undefined) methods.push(method);
    },
  });
  parser.feed(`${seen.answer?.body ?? ''}\n\n`);
  const cursorOnly = /^id: ?(.+)$/m.exec(seen.answer?.body ?? '')?.[1];
  if (ids.length === 0 && cursorOnly !== undefined) ids.push(cursorOnly);
  return { seen, ids, methods };
}

/** The checks of this group. */
export const STATEFUL_STREAM_CHECKS: readonly Check[] = [
  {
    id: 'stream.get',
    group: 'stream',
    level: 'MUST',
    section: 'basic/transports#listening-for-messages-from-the-server',
    title: 'GET opens a stream that brings the queued notification, with an event id.',
    meaning:
      'The proxy lets only POST through, or takes the stream apart; clients miss what the server says.',
    async run(probe, report) {
      report.expected = { status: [200], more: ['text/event-stream', 'one notification with an id'] };
      await withSession(probe, report, async (session) => {
        const { seen, ids, methods } = await readStream(probe, report, session);
        report.demand(seen.answer?.status === 200, 'wrong-status');
        const type = headerOf(seen.answer?.headers ?? [], 'content-type') ?? '';
        report.demand(type.startsWith('text/event-stream'), 'wrong-content-type');
        report.demand(methods.length > 0 && ids.length > 0, 'events-lost');
      });
    },
  },
  {
    id: 'stream.resume',
    group: 'stream',
    level: 'MUST',
    section: 'basic/transports#resumability-and-redelivery',
    title: 'Last-Event-ID reaches the server: its cursor is taken up, and nothing is brought again.',
    meaning: 'Clients that reconnect lose what came in between, or get it twice.',
    async run(probe, report) {
      report.expected = { status: [200], more: ['the same cursor', 'no event again'] };
      await withSession(probe, report, async (session) => {
        const first = await readStream(probe, report, session);
        const cursor = first.ids.at(-1);
        if (cursor === undefined) throw new NotTestable('twin-failed', 'no event with an id came');
        const second = await readStream(probe, report, session, cursor);
        report.demand(second.seen.answer?.status === 200, 'wrong-status');
        report.demand(second.methods.length === 0, 'events-repeated');
        report.demand(second.ids.includes(cursor), 'events-lost');
      });
    },
  },
];
