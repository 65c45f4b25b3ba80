#!/usr/bin/env node
/**
 * The entry of `nest-mcp-boundary`: the process's streams and environment go in, the exit code comes out.
 * A further command is one more line in the list.
 */
import 'reflect-metadata';
import { registerAccept } from './accept.js';
import { registerAttack } from './attack.js';
import { registerDemo } from './demo.js';
import { registerExperiments } from './experiments.js';
import { registerExplain } from './explain.js';
import { runCli } from './run-cli.js';
import { registerServe } from './serve.js';

// Whoever reads may stop reading: `… | head -1` is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCli(
  process.argv.slice(2),
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    isTerminal: process.stderr.isTTY && process.env['NO_COLOR'] === undefined,
  },
  [
    registerServe(process.env),
    registerDemo,
    registerAttack,
    registerExperiments,
    registerExplain,
    registerAccept(process.env),
  ],
);
