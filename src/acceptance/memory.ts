/*
 * Resident memory of this process and of another one with its children, read from /proc. Linux only; elsewhere
 * the other process is not measured.
 */
import { readFileSync } from 'node:fs';

/** Resident bytes of a process and its children; undefined if they cannot be read. */
export function residentBytesOf(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const pids = [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
    return pids.reduce((sum, each) => sum + residentOf(each), 0);
  } catch {
    return undefined;
  }
}

function residentOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

/** Samples a quantity and keeps its first and highest value. */
export class Growth {
  private first: number | undefined;
  private highest = 0;

  add(value: number | undefined): void {
    if (value === undefined) return;
    this.first ??= value;
    this.highest = Math.max(this.highest, value);
  }

  /** Bytes above the first sample; undefined without samples. */
  get bytes(): number | undefined {
    return this.first === undefined ? undefined : this.highest - this.first;
  }
}
