/** What a server that was started as a process says when it is ready. */
import { expect } from '@jest/globals';

export interface ReadyLine {
  readonly level: string;
  readonly msg: string;
  readonly resource: string;
  readonly port: number;
}

/** The line in what stdout holds so far; every line of a log is one JSON object. */
export function readyLineIn(stdout: string): ReadyLine {
  const lines = logLines(stdout).filter(({ msg }) => msg === 'ready');
  expect(lines).toHaveLength(1);
  return lines[0] as unknown as ReadyLine;
}

export function logLines(stdout: string): Array<Record<string, unknown>> {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
