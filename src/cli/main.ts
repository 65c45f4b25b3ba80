#!/usr/bin/env node
/**
 * The entry of `nest-mcp-boundary`: the process's streams and environment go in, the exit code comes out.
 * A further command is one more line here, or in server-commands.ts when it needs the server.
 */
import 'reflect-metadata';
import { registerAccept } from './accept.js';
import { runCli } from './run-cli.js';
import { registerValidate } from './validate.js';

// Whoever reads may stop reading: `… | head -1` is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const args = process.argv.slice(2);
// The server's framework costs a second and 40 MB: the judge of messages does without it.
const serverCommands =
  args[0] === 'validate' ? [] : (await import('./server-commands.js')).serverCommands(process.env);

process.exitCode = await runCli(
  args,
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    isTerminal: process.stderr.isTTY && process.env['NO_COLOR'] === undefined,
  },
  [...serverCommands, registerValidate, registerAccept(process.env)],
);
