/** Writing to a stream of a command without piling up output in memory. */

/** Writes one line and waits when the reader is slow, so that output never piles up in memory. */
export async function writeLine(stream: NodeJS.WritableStream, line: string): Promise<void> {
  if (stream.write(`${line}\n`)) return;
  await new Promise<void>((resolve) => {
    // A reader that went away (`| head`) never drains.
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      stream.off('error', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    stream.on('error', done);
  });
}
