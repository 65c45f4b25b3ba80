/**
 * `npm run bench`: reads the command line and runs the benchmark.
 * Exit codes: 0; 1 when a peer answered wrongly or did not run; 2 for a wrong command line.
 */
import { BenchProcesses } from './bench-processes.mjs';
import { findCores } from './child.mjs';
import { HELP, readOptions } from './options.mjs';
import { runBench } from './run-bench.mjs';

process.exitCode = await main();

async function main() {
  let options;
  try {
    options = readOptions(process.argv.slice(2), new Date());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  if (options === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  const cores = findCores();
  const processes = new BenchProcesses(options, cores);
  try {
    const isRight = await runBench(options, processes, cores !== undefined);
    return isRight ? 0 : 1;
  } finally {
    await processes.stop();
  }
}
