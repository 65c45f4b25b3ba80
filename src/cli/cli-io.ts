/** The streams of a command, handed in so that a test can hold its own; only main.ts touches the process. */
export interface CliIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether a person looks at stderr, so that colour helps. */
  readonly isTerminal: boolean;
}
