/** `serve`: the server itself, the same that `npm start` runs. */
import { serve } from '../serve.js';
import type { RegisterCommand } from './run-cli.js';

/** @param environment where the `MCP_…` settings are read from */
export function registerServe(environment: Readonly<Record<string, string | undefined>>): RegisterCommand {
  return (program, io, report) => {
    program
      .command('serve')
      .description('run the server on 127.0.0.1 until SIGTERM or SIGINT; settings are MCP_… variables')
      .action(async () => {
        const code = await serve(environment, io.stderr);
        report(code);
      });
  };
}
