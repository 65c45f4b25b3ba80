/** The store with a turned clock: capacity in all and per subject, fixed and idle lifetime, and no scan. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Clock } from '../../../src/config/clock.js';
import { InMemorySessionStore } from '../../../src/sessions/in-memory-session-store.js';

class TurnedClock extends Clock {
  time = 0;
  reads = 0;
  override now(): number {
    this.reads++;
    return this.time;
  }
}

let clock: TurnedClock;
beforeEach(() => {
  clock = new TurnedClock();
});

const TTL = 100;
const open = (store: InMemorySessionStore, id: string, subject = 'ada'): boolean =>
  store.create({
    id,
    owner: { subject, tenant: 't', authorizationRevision: '1' },
    expiresAt: clock.time + TTL,
  }) !== undefined;
const lives = (store: InMemorySessionStore, id: string): boolean => store.find(id) !== undefined;
const release = (store: InMemorySessionStore, id: string): void => store.release(id, clock.time + TTL);

describe('capacity', () => {
  test('per subject: one that never ends its sessions does not lock out others', () => {
    const store = new InMemorySessionStore(clock, 10, 2);
    expect([open(store, 'a1'), open(store, 'a2'), open(store, 'a3')]).toEqual([true, true, false]);
    expect([open(store, 'b1', 'bob'), open(store, 'b2', 'bob'), open(store, 'b3', 'bob')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(store.delete('a1')).toBe(true);
    expect(store.delete('a1')).toBe(false);
    expect([open(store, 'a4'), open(store, 'a5')]).toEqual([true, false]);
  });

  test('per subject: places come back by expiry, found or not', () => {
    const store = new InMemorySessionStore(clock, 10, 2);
    open(store, 'a1');
    clock.time = 50;
    open(store, 'a2');
    clock.time = TTL;
    expect(lives(store, 'a1')).toBe(false);
    expect([open(store, 'a3'), open(store, 'a4')]).toEqual([true, false]);
    clock.time = 50 + TTL;
    expect([open(store, 'a5'), open(store, 'a6')]).toEqual([true, false]);
  });

  test('in all: held sessions count, and none is evicted', () => {
    const store = new InMemorySessionStore(clock, 2);
    open(store, 'a');
    open(store, 'b');
    store.hold('a');
    expect(open(store, 'c')).toBe(false);
    clock.time = TTL;
    expect(open(store, 'c')).toBe(true);
    expect([lives(store, 'a'), lives(store, 'b')]).toEqual([true, false]);
    expect(open(store, 'd')).toBe(false);
    store.delete('a');
    expect(open(store, 'd')).toBe(true);
  });
});

describe('lifetime', () => {
  test('fixed: nothing but creation counts', () => {
    const store = new InMemorySessionStore(clock, 2);
    open(store, 'a');
    clock.time = TTL - 1;
    expect(store.transition('a', 'created', 'ready')).toMatchObject({ state: 'ready' });
    expect(lives(store, 'a')).toBe(true);
    clock.time = TTL;
    expect(lives(store, 'a')).toBe(false);
    clock.time = 0;
    expect(lives(store, 'a')).toBe(false);
  });

  test('idle: it never ends while it is held, and lives on from the last release', () => {
    const store = new InMemorySessionStore(clock, 2);
    open(store, 'a');
    store.hold('a');
    store.hold('a');
    clock.time = 10 * TTL;
    expect(lives(store, 'a')).toBe(true);
    release(store, 'a');
    clock.time = 20 * TTL;
    expect(lives(store, 'a')).toBe(true);
    release(store, 'a');
    clock.time = 21 * TTL - 1;
    expect(lives(store, 'a')).toBe(true);
    clock.time = 21 * TTL;
    expect(lives(store, 'a')).toBe(false);
  });

  test('idle: the order of expiry is the order of the last use, so all that expired make room', () => {
    const store = new InMemorySessionStore(clock, 3);
    for (const id of ['a', 'b', 'c']) open(store, id);
    clock.time = 50;
    store.hold('a');
    release(store, 'a');
    clock.time = TTL;
    expect([open(store, 'd'), open(store, 'e'), open(store, 'f')]).toEqual([true, true, false]);
    expect(lives(store, 'a')).toBe(true);
    clock.time = 50 + TTL;
    expect([open(store, 'f'), open(store, 'g')]).toEqual([true, false]);
    expect(lives(store, 'a')).toBe(false);
  });

  test('hold and release of what is not there do nothing', () => {
    const store = new InMemorySessionStore(clock, 1);
    store.hold('a');
    release(store, 'a');
    open(store, 'a');
    release(store, 'a');
    store.hold('a');
    store.delete('a');
    release(store, 'a');
    expect(lives(store, 'a')).toBe(false);
    expect([open(store, 'b'), open(store, 'c')]).toEqual([true, false]);
  });

  test('a session of 10,000 is used without looking at the others', () => {
    const store = new InMemorySessionStore(clock, 10_000);
    for (let i = 0; i < 10_000; i++) open(store, `s${i}`, `subject${i % 100}`);
    clock.reads = 0;
    for (const id of ['s0', 's5000', 's9999']) {
      store.hold(id);
      store.find(id);
      release(store, id);
    }
    expect(clock.reads).toBe(3);
    open(store, 'one more');
    expect(clock.reads).toBe(4);
  });
});
