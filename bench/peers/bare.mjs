/** The floor: what `node:http` alone costs, with a JSON body parsed and a JSON answer written. It checks nothing. */
import { createServer } from 'node:http';
import { RESOURCE, sendResult } from './answers.mjs';
import { listen } from './listen.mjs';

/** @returns {Promise<import('./listen.mjs').Started>} */
export async function start() {
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      sendResult(response, id, method === 'ping' ? {} : { resources: [RESOURCE] });
    });
  });
  return { port: await listen(server), versions: {} };
}
