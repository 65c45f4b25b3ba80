/**
 * Ours, as `npm start` composes it: the application and its logger, whose lines go to standard output. With
 * `log: 'silent'` none is written, as no peer writes any.
 */
import 'reflect-metadata';
import { boundaryOptions, load, ourVersions } from './product.mjs';

/**
 * @param {import('./listen.mjs').PeerOptions} options
 * @returns {Promise<import('./listen.mjs').Started>}
 */
export async function start(options) {
  const { startApp } = await load('create-app.js');
  const { createLogger } = await load('logger.js');
  const { port } = await startApp({ ...(await boundaryOptions(options)), logger: createLogger(options.log) });
  return { port, versions: ourVersions() };
}
