/** `validate` as a function, with streams of the test's own: what only a terminal sees, and who is slow to read. */

import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { runValidate, type ValidateArguments } from '../../../src/cli/validate.js';
import { writeLine } from '../../../src/cli/write-line.js';

async function run(
  args: ValidateArguments,
  isTerminal: boolean,
): Promise<{ code: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const sink = (name: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text[name] += chunk.toString();
        done();
      },
    });
  const code = await runValidate(args, {
    stdin: Readable.from([]),
    stdout: sink('out'),
    stderr: sink('err'),
    isTerminal,
  });
  return { code, ...text };
}

describe('progress', () => {
  it('is shown on a terminal and nowhere else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'validate-'));
    const transcript = join(folder, 'blank.jsonl');
    await writeFile(transcript, `${' '.repeat(999_999)}\n`.repeat(17));
    const [seen, unseen] = [await run({ transcript }, true), await run({ transcript }, false)];
    await rm(folder, { recursive: true });
    expect(seen.err).toBe('\r8 MB, 8 lines\r16 MB, 16 lines\n');
    expect(unseen.err).toBe('');
    expect([seen.code, unseen.out]).toEqual([0, seen.out]);
  });
});

describe('writeLine', () => {
  it('waits for a slow reader', async () => {
    const slow = new PassThrough({ highWaterMark: 1 });
    let isDone = false;
    const written = writeLine(slow, 'a line').then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    slow.resume();
    await written;
    expect(isDone).toBe(true);
  });

  it('does not wait for a reader that went away', async () => {
    const gone = new PassThrough({ highWaterMark: 1 });
    const written = writeLine(gone, 'a line');
    gone.destroy();
    await expect(written).resolves.toBeUndefined();
  });
});
