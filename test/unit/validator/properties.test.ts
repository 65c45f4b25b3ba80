/**
 * Properties: any mutation of a passing conversation passes or yields a finding, and nothing else ever comes out;
 * a finding is always one of the catalogue, can be put into words, and leaves a fixture's session as it was.
 */

import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../../src/protocol/strict-json.js';
import { RULE_IDS } from '../../../src/validator/catalogue.js';
import { readFixture } from '../../../src/validator/fixture.js';
import { runCase } from '../../../src/validator/fixture-run.js';
import { readHar } from '../../../src/validator/har.js';
import { HarJudge } from '../../../src/validator/har-judge.js';
import { renderFinding } from '../../../src/validator/render-finding.js';
import { TranscriptJudge } from '../../../src/validator/transcript.js';
import { VECTORS } from '../../support/validator-vectors.js';
import {
  c,
  feed,
  handshake,
  type Json,
  s,
  type ScriptStep,
  type Step,
  testSession,
} from '../../support/validator-world.js';

// Many runs, on machines that do other things too.
jest.setTimeout(60_000);

const scripts = RULE_IDS.flatMap((id) => {
  const { pass } = VECTORS[id];
  return 'lines' in pass || pass.steps.length > 20 ? [] : [pass];
});

/** Every place in a JSON value, as a path of keys. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => places(child, [...path, key]))];
}

function withPlace(
  value: unknown,
  path: readonly (string | number)[],
  change: (old: unknown) => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  const changed = withPlace(copy[key], rest, change);
  if (changed === undefined) delete copy[key];
  else copy[key] = changed;
  return copy;
}

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 60,
    '',
    '__proto__',
    [],
    {},
    'notifications/x',
    'constructor',
  ),
);

/** A passing conversation with up to three places changed, steps doubled or turned around. */
const mutated = fc
  .record({
    script: fc.constantFrom(...scripts),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(), junk), { minLength: 1, maxLength: 3 }),
    doubled: fc.option(fc.nat()),
    turned: fc.option(fc.nat()),
  })
  .map(({ script, changes, doubled, turned }) => {
    let steps: ScriptStep[] = [...script.steps];
    for (const [which, where, value] of changes) {
      const index = which % steps.length;
      const step = steps[index] as ScriptStep;
      if ('revision' in step) continue;
      const all = places(step).filter(([first]) => first === 'message' || first === 'context');
      const path = all[where % all.length] ?? ['message'];
      const { text: _text, ...changed } = withPlace(step, path, () => value) as Step;
      steps[index] = changed;
    }
    if (doubled !== null) {
      const index = doubled % steps.length;
      steps = [...steps.slice(0, index), steps[index] as ScriptStep, ...steps.slice(index)];
    }
    if (turned !== null) {
      const index = turned % steps.length;
      const step = steps[index] as ScriptStep;
      const direction =
        'direction' in step && step.direction === 'client_to_server'
          ? 'server_to_client'
          : 'client_to_server';
      if ('direction' in step) steps[index] = { ...step, direction };
    }
    return { script, steps };
  });

describe('a mutated conversation', () => {
  it.each(['fixture', 'transcript'] as const)('passes or yields findings, in a %s', (mode) => {
    fc.assert(
      fc.property(mutated, fc.boolean(), ({ script, steps }, hasPolicy) => {
        const session = testSession({ ...script, mode, hasPolicy });
        for (const step of handshake(script)) feed(session, step);
        for (const step of steps) {
          if (!('revision' in step) && step.message === undefined) continue;
          const found = feed(session, step);
          session.state.takeNotes();
          if (found === undefined) continue;
          expect(RULE_IDS.includes(found.rule)).toBe(true);
          expect(renderFinding(found).length).toBeGreaterThan(10);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('leaves a session as it was when it yields a finding', () => {
    fc.assert(
      fc.property(mutated, ({ script, steps }) => {
        const session = testSession(script);
        for (const step of handshake(script)) feed(session, step);
        for (const step of steps) {
          if ('revision' in step || step.message === undefined) continue;
          const { client, server, lifecycle } = session.state;
          const before = [
            lifecycle,
            client.pending.size,
            server.pending.size,
            session.state.elicitations.size,
          ];
          if (feed(session, step) === undefined) continue;
          const after = [
            session.state.lifecycle,
            client.pending.size,
            server.pending.size,
            session.state.elicitations.size,
          ];
          expect(after).toEqual(before);
        }
      }),
      { numRuns: 800 },
    );
  });
});

describe('any input', () => {
  it('as message yields a finding or passes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (message, isClient) => {
        const session = testSession();
        for (const step of handshake({ steps: [] })) feed(session, step);
        const found = feed(session, (isClient ? c : s)({ ...(message as Json) }));
        expect(found === undefined || RULE_IDS.includes(found.rule)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('as line of a transcript yields a report', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.jsonValue().map((message) => JSON.stringify({ direction: 'client_to_server', message })),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const judge = new TranscriptJudge(undefined);
        for (const one of lines) expect(judge.line(one)).toHaveProperty('notJudged');
      }),
      { numRuns: 500 },
    );
  });

  it('as fixture is read or refused in a sentence', () => {
    const text = readFileSync(new URL('../../cases/mcp-cases.json', import.meta.url), 'utf8');
    const { cases, ...rest } = JSON.parse(text) as { cases: JsonValue[] } & Json;
    const small = { ...rest, cases: cases.slice(0, 2) };
    const all = places(small);
    fc.assert(
      fc.property(fc.nat(all.length - 1), junk, (where, value) => {
        const changed = withPlace(small, all[where] ?? [], () => value);
        const read = readFixture(new TextEncoder().encode(JSON.stringify(changed ?? null)));
        expect(read.ok || /^[^\n]+$/.test(read.problem)).toBe(true);
        if (!read.ok) return;
        for (const [index, one] of read.fixture.cases.entries()) runCase(read.fixture, one, index);
      }),
      { numRuns: 500 },
    );
  });

  it('as HAR export is read or refused', () => {
    const part = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constant('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
    );
    const entry = fc.record(
      {
        startedDateTime: part,
        time: part,
        request: fc.record({
          method: fc.constantFrom('POST', 'GET', 7),
          headers: part,
          postData: fc.record({ text: part }),
          url: part,
        }),
        response: fc.record({
          status: part,
          headers: part,
          content: fc.record({
            mimeType: fc.constantFrom('text/event-stream', 'application/json', null),
            text: part,
            encoding: fc.constantFrom('base64', null),
          }),
        }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
        const read = readHar({ log: { entries } } as JsonValue);
        const judge = new HarJudge();
        if (read.ok) for (const event of read.contents.events) judge.judge(event);
        expect(read.ok).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
