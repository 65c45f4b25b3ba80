/*
 * The bed's witness as an HTTP endpoint of its own, beside the upstream and not behind the proxy.
 */
import http from 'node:http';
import type { Ledger } from './ledger.js';
import { listen, type Running } from './upstream.js';

/** Starts the witness on a free loopback port; it answers only to its own bearer token. */
export function startWitness(ledger: Ledger, token: string): Promise<Running> {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://witness.invalid');
    const known = request.headers.authorization === `Bearer ${token}`;
    const body = known ? ledger.testimony(url.searchParams.get('nonce') ?? '') : { error: 'unauthorized' };
    response.writeHead(known ? 200 : 401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return listen(server);
}
