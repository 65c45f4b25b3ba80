import { describe, expect, test } from '@jest/globals';
import { EXPERIMENTS } from '../../src/cli/experiment-list.js';
import { experiments, type Result } from '../../src/cli/experiments.js';
import { memoryIo } from '../support/memory-io.js';
import { runCommand } from '../support/spawn-cli.js';

describe('experiments', () => {
  test('all ten come out as they say, each decided by the gate that its code belongs to', async () => {
    const io = memoryIo();
    expect(await experiments(io, undefined, { json: true })).toBe(0);
    const results = JSON.parse(io.out()) as Result[];
    expect(new Set(results.map(({ experiment }) => experiment)).size).toBe(10);
    expect(results).toHaveLength(EXPERIMENTS.flatMap(({ changes }) => changes).length);
    expect(results.map(({ changed }) => [changed.status, changed.code, changed.gate?.number])).toEqual([
      [406, 'not_acceptable', 6],
      [415, 'unsupported_media_type', 6],
      [400, 'missing_protocol_version', 9],
      [400, 'missing_or_invalid_session', 9],
      [200, undefined, undefined],
      [400, 'unsupported_protocol_version', 9],
      [400, 'query_not_allowed', 2],
      [404, 'session_not_found', 9],
      [403, 'insufficient_scope', 10],
      [401, 'invalid_token', 8],
      [401, 'invalid_token', 8],
      [401, 'invalid_token', 8],
      [401, 'invalid_token', 8],
      [401, 'invalid_token', 8],
      [400, 'invalid_last_event_id', undefined],
      [400, 'invalid_last_event_id', undefined],
    ]);
    for (const { unchanged, changed } of results) {
      expect(unchanged).toMatchObject({ status: 200 });
      expect(changed.challenge === undefined).toBe(
        changed.code !== 'invalid_token' && changed.code !== 'insufficient_scope',
      );
    }
  });

  test('one of them, as a process', async () => {
    const { code, stdout, stderr } = await runCommand(['experiments', '1']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        '1. Accept only JSON',
        '   A server may answer a POST with JSON or with a stream, so a client must take both, by name.',
        '',
        '   change      Accept: application/json',
        '   unchanged   200',
        '   changed     406 not_acceptable',
        '   decided by  gate 6: can the caller take what is answered, and is the body JSON?',
        '',
        '',
      ].join('\n'),
    );
  });

  test('--predict asks first, then shows', async () => {
    const { code, stdout, stderr } = await runCommand(['experiments', '8', '--predict'], {
      input: '401\n404\n',
    });
    expect(code).toBe(0);
    expect(stderr.match(/Which status will come back\?/g)).toHaveLength(2);
    expect(stdout).toContain('predicted   401: right');
    expect(stdout).toContain('predicted   404: wrong');
  });

  test('--predict without anybody who answers shows all the same', async () => {
    const { code, stdout } = await runCommand(['experiments', '1', '--predict'], { input: '' });
    expect(code).toBe(0);
    expect(stdout).toContain('predicted   nothing: wrong');
  });

  test.each(['0', '11', 'one', '1.0'])('no experiment %s: exit code 2', async (n) => {
    const io = memoryIo();
    expect(await experiments(io, n)).toBe(2);
    expect({ out: io.out(), err: io.err() }).toEqual({
      out: '',
      err: 'there is no experiment of that number: 1 to 10\n',
    });
  });
});
