/**
 * Harnesses in a process of their own, on the built code: what `npm run test:modes` starts with other Node flags
 * and NODE_ENV, one process for all servers of a test file. Commands come over IPC. A Node warning ends the
 * process when the mode says so.
 */
import './fail-on-warning.mjs';
import 'reflect-metadata';
import { openHarness } from './harness.mjs';

const dist = new URL('../../dist/', import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const product = Object.assign(
  {},
  ...(await Promise.all(
    [
      'create-app.js',
      'logger.js',
      'auth/offline-token-policy.js',
      'auth/tenant-directory.js',
      'auth/tokens-file.js',
      'config/clock.js',
      'config/environment.js',
      'methods/mcp-method.js',
      'sessions/session.service.js',
    ].map(load),
  )),
);

const harnesses = [];
async function answer({ number, server, command, values }) {
  try {
    if (command === 'open') {
      const harness = await openHarness(product, values[0]);
      process.send({ number, value: { server: harnesses.push(harness) - 1, address: harness.address } });
    } else {
      process.send({ number, value: await harnesses[server].commands[command](...values) });
    }
  } catch (error) {
    process.send({ number, error: String(error?.stack ?? error) });
  }
}
process.on('message', (message) => void answer(message));
process.on('disconnect', () => process.exit(0));
