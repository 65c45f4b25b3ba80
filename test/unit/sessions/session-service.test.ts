/** SessionService with an idle lifetime: holds of several requests, events that wait, and ended sessions. */
import { beforeEach, expect, test } from '@jest/globals';
import { Clock } from '../../../src/config/clock.js';
import { settingsFrom } from '../../../src/config/environment.js';
import type { Session } from '../../../src/exchange/session.js';
import { InMemorySessionStore } from '../../../src/sessions/in-memory-session-store.js';
import { SessionService } from '../../../src/sessions/session.service.js';

const OWNER = { subject: 'ada', tenant: 't', authorizationRevision: '1' };
const TTL = 1800_000;

class TurnedClock extends Clock {
  time = 0;
  override now(): number {
    return this.time;
  }
}

let clock: TurnedClock;
let store: InMemorySessionStore;
let sessions: SessionService;

beforeEach(() => {
  clock = new TurnedClock();
  store = new InMemorySessionStore(clock, 10);
  sessions = new SessionService(store, clock, settingsFrom({ profile: 'service' }));
});

const lives = async (session: Session): Promise<boolean> =>
  (await sessions.findFor(OWNER, session.id)) !== undefined;

test('the idle time begins when the last of several requests has ended', async () => {
  const session = await sessions.open(OWNER);
  await sessions.hold(session);
  await sessions.hold(session);
  clock.time = 5 * TTL;
  sessions.release(session);
  clock.time = 9 * TTL;
  expect(await lives(session)).toBe(true);
  sessions.release(session);
  clock.time = 10 * TTL - 1;
  expect(await lives(session)).toBe(true);
  clock.time = 10 * TTL;
  expect(await lives(session)).toBe(false);
});

test('events wait as long as the session lives', async () => {
  const session = await sessions.open(OWNER);
  const other = await sessions.open(OWNER);
  await sessions.notify(session.id, 'notifications/message');
  for (let i = 1; i <= 5; i++) {
    clock.time = i * (TTL - 1);
    for (const used of [session, other]) {
      await sessions.hold(used);
      sessions.release(used);
    }
    // Whoever needs a place drops what belonged to expired sessions.
    await sessions.notify(other.id, 'notifications/message');
  }
  expect(sessions.deliver(session, undefined)).toMatchObject([{ data: expect.stringContaining('message') }]);
});

test('events of a session that runs for longer than its idle time are kept', async () => {
  const session = await sessions.open(OWNER);
  await sessions.hold(session);
  await sessions.notify(session.id, 'notifications/message');
  clock.time = 3 * TTL;
  const other = await sessions.open(OWNER);
  await sessions.notify(other.id, 'notifications/message');
  sessions.release(session);
  expect(sessions.deliver(session, undefined)).toMatchObject([{ data: expect.stringContaining('message') }]);
});

test('a release after the end of the session changes nothing', async () => {
  const session = await sessions.open(OWNER);
  await sessions.hold(session);
  await sessions.end(session);
  sessions.release(session);
  sessions.release(session);
  expect(await lives(session)).toBe(false);
});

test('with a fixed lifetime nobody is asked to hold', () => {
  const fixed = new SessionService(store, clock, settingsFrom());
  expect(fixed.isIdleExpiry).toBe(false);
  expect(sessions.isIdleExpiry).toBe(true);
});
