/*
 * Reads what the named log files gained during a run. Remembers sizes at the start; a file that shrank was
 * rotated and is read from its beginning. Bounded pieces, so that a big log costs no memory.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Secrets } from './secrets.js';

const PIECE = 256 * 1024;

/** What the scan of one file says. */
export type LogState = 'clean' | 'has-secret' | 'unreadable' | 'not-written';

/** Remembers where each file ended when the run began. */
export class LogWatch {
  private readonly sizes = new Map<string, number>();

  constructor(readonly paths: readonly string[]) {
    for (const path of paths) this.sizes.set(path, sizeOf(path) ?? 0);
  }

  /** Scans what came since. */
  scan(path: string, secrets: Secrets): LogState {
    const size = sizeOf(path);
    if (size === undefined) return 'unreadable';
    const before = this.sizes.get(path) ?? 0;
    const from = size < before ? 0 : before;
    if (size === from) return 'not-written';
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      return 'unreadable';
    }
    try {
      return scanFrom(file, from, secrets);
    } finally {
      closeSync(file);
    }
  }
}

function scanFrom(file: number, from: number, secrets: Secrets): LogState {
  const piece = Buffer.alloc(PIECE);
  let tail = '';
  for (let at = from; ;) {
    const read = readSync(file, piece, 0, PIECE, at);
    if (read === 0) return 'clean';
    const text = tail + piece.toString('latin1', 0, read);
    if (secrets.appearIn(text)) return 'has-secret';
    tail = text.slice(-secrets.longest);
    at += read;
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}
