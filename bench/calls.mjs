/**
 * Calls between the main process and its children over Node's IPC channel: numbered, each answered once with a
 * value or an error. A child that dies fails all calls that wait for it.
 */

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name for the error when it dies
 * @returns {(command: string, value?: unknown) => Promise<any>}
 */
export function callsTo(child, name) {
  /** @type {Map<number, { resolve(value: unknown): void, reject(error: Error): void }>} */
  const pending = new Map();
  /** @type {Error | undefined} */
  let ended;
  let number = 0;
  child.on('message', (/** @type {{ number: number, value?: unknown, error?: string }} */ message) => {
    const call = pending.get(message.number);
    pending.delete(message.number);
    if (message.error === undefined) call?.resolve(message.value);
    else call?.reject(new Error(message.error));
  });
  child.on('error', (error) => end(error));
  child.on('exit', (code, signal) => end(new Error(`${name} ended: ${code ?? signal}`)));
  /** @param {Error} error */
  function end(error) {
    ended ??= error;
    for (const call of pending.values()) call.reject(ended);
    pending.clear();
  }
  return (command, value) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      number += 1;
      pending.set(number, { resolve, reject });
      child.send({ number, command, value });
    });
}

/**
 * The child's side. Ends the process when the main process is gone.
 * @param {Readonly<Record<string, (value: any) => unknown>>} commands
 */
export function answerCalls(commands) {
  const byName = new Map(Object.entries(commands));
  process.on('message', (/** @type {{ number: number, command: string, value: unknown }} */ call) => {
    void answer(call);
  });
  process.on('disconnect', () => process.exit(0));

  /** @param {{ number: number, command: string, value: unknown }} call */
  async function answer({ number, command, value }) {
    try {
      process.send?.({ number, value: await byName.get(command)?.(value) });
    } catch (error) {
      process.send?.({ number, error: error instanceof Error ? error.message : String(error) });
    }
  }
}
