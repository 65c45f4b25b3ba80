/**
 * Bounded reading for `validate`: a whole file or stdin up to a limit, or lines of one. A problem is one sentence
 * that names neither the path nor anything out of the file: both may be private, and both end up in CI logs.
 */

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { CliIo } from './cli-io.js';

export type InputResult =
  { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly problem: string };

/** A line's bytes without its end, or the fact that it was longer than the limit. */
export type InputLine = { readonly number: number; readonly end: number } & (
  { readonly bytes: Uint8Array } | { readonly bytes: undefined }
);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Opens a file, or stdin for `-`. */
export function openInput(path: string, io: CliIo): Readable {
  return path === '-' ? (io.stdin as Readable) : createReadStream(path);
}

/** Reads everything, but never more than one byte past the limit. */
export async function readInput(path: string, io: CliIo, limit: number): Promise<InputResult> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = openInput(path, io);
  try {
    for await (const chunk of stream) {
      const bytes = asBytes(chunk);
      size += bytes.length;
      if (size > limit) {
        stream.destroy();
        return { ok: false, problem: `it exceeds ${limit} bytes` };
      }
      chunks.push(bytes);
    }
  } catch (error) {
    return { ok: false, problem: ioProblem(error) };
  }
  return { ok: true, bytes: Buffer.concat(chunks) };
}

/** Cuts a stream into lines in bounded memory; a line over the limit is passed over to its end. */
export async function* readLines(stream: Readable, limit: number): AsyncGenerator<InputLine> {
  let kept: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  let position = 0;
  const flush = (): InputLine => {
    const isTooLong = length > limit;
    const bytes = isTooLong
      ? undefined
      : withoutReturn(kept.length === 1 ? (kept[0] as Uint8Array) : Buffer.concat(kept));
    kept = [];
    length = 0;
    return { number: ++number, end: position, bytes };
  };
  const keep = (part: Uint8Array): void => {
    length += part.length;
    if (length > limit) kept = [];
    else if (part.length > 0) kept.push(part);
  };
  for await (const chunk of stream) {
    const bytes = asBytes(chunk);
    let start = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, start)) {
      keep(bytes.subarray(start, at));
      position += at + 1 - start;
      start = at + 1;
      yield flush();
    }
    keep(bytes.subarray(start));
    position += bytes.length - start;
  }
  if (length > 0) yield flush();
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

function asBytes(chunk: unknown): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
}

/** Why reading failed, by its code: the message of an I/O error names the path. */
export function ioProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file (ENOENT)';
    case 'EACCES':
    case 'EPERM':
      return `it may not be read (${code})`;
    case 'EISDIR':
      return 'it is a directory (EISDIR)';
    default:
      return `it cannot be read (${code})`;
  }
}
