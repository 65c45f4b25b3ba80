/** The streams of a command in memory. */
import { Readable, Writable } from 'node:stream';
import type { CliIo } from '../../src/cli/cli-io.js';

export interface MemoryIo extends CliIo {
  readonly out: () => string;
  readonly err: () => string;
}

export function memoryIo(options: { readonly isTerminal?: boolean; readonly input?: string } = {}): MemoryIo {
  const out = collector();
  const err = collector();
  return {
    stdin: Readable.from(options.input === undefined ? [] : [options.input]),
    stdout: out.stream,
    stderr: err.stream,
    isTerminal: options.isTerminal ?? false,
    out: out.text,
    err: err.text,
  };
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}
