/*
 * The door before a server that has no key of its own: refuses what did not come through the gateway, as a network
 * policy would, passes the rest on byte for byte, and notes which answers the server sent.
 */
import http from 'node:http';
import { NONCE_HEADER } from '../revision.js';
import type { Ledger } from './ledger.js';
import { GATEWAY_HEADER, listen, type Running } from './upstream.js';

/** How a door is set up. */
export interface DoorOptions {
  readonly serverPort: number;
  readonly gatewayKey: string;
  readonly ledger: Ledger;
  readonly open: boolean;
}

/** Answers longer than that are not noted. */
const MAX_NOTED_BYTES = 256 * 1024;

/** Starts the door on a free loopback port. */
export function startDoor({ serverPort, gatewayKey, ledger, open }: DoorOptions): Promise<Running> {
  const server = http.createServer((request, response) => {
    const { [GATEWAY_HEADER.toLowerCase()]: key, ...headers } = request.headers;
    if (key !== gatewayKey && !open) {
      request.resume();
      response
        .writeHead(403, { 'Content-Type': 'application/json' })
        .end('{"error":"not_through_the_gateway"}');
      return;
    }
    // Who comes directly names the door; the server knows only its own names.
    if (key !== gatewayKey) headers.host = `127.0.0.1:${serverPort}`;
    const target = {
      host: '127.0.0.1',
      port: serverPort,
      path: request.url,
      method: request.method,
      headers,
      agent: false,
    };
    const sent = http.request(target);
    sent.on('response', (answer) => {
      note(ledger, String(request.headers[NONCE_HEADER.toLowerCase()] ?? ''), answer);
      const { connection: _connection, 'transfer-encoding': _coding, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('close', () => void (!answer.complete && response.destroy()));
    });
    // After an early answer the server may stop reading: that is no failure any more.
    sent.on('error', () => void (!response.headersSent && response.destroy()));
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  });
  return listen(server);
}

function note(ledger: Ledger, nonce: string, answer: http.IncomingMessage): void {
  const kept: Buffer[] = [];
  let size = 0;
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_NOTED_BYTES) kept.push(chunk);
  });
  answer.on('end', () => {
    const body = Buffer.concat(kept).toString('utf8');
    ledger.answered(nonce, answer.statusCode ?? 0, answer.headers['content-type'] ?? '', body);
  });
}
