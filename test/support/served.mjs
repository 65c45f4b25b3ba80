/**
 * The harness in a process of its own, on the built code: what `npm run test:modes` starts with other Node flags
 * and NODE_ENV. Commands come over IPC. A Node warning ends the process when the mode says so.
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

let harness;
process.on('message', async ({ number, command, values }) => {
  try {
    if (command === 'open') {
      harness = await openHarness(product, values[0]);
      process.send({ number, value: harness.address });
    } else {
      process.send({ number, value: await harness.commands[command](...values) });
    }
  } catch (error) {
    process.send({ number, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
