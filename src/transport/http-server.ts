/**
 * The HTTP server with the options that the contract needs and Node does not default to: bounds for head and
 * time that really fire, one request at a time, `100 Continue` only when the gates before the body have
 * passed, and the parser's own refusals in the same words as every other.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BoundarySettings } from '../config/settings.js';
import { refusalOf, serializeRefusal } from '../errors/refusal.js';
import type { PublicCode } from '../errors/catalog.js';
import { exchangeOf } from '../exchange/exchange.js';
import { Connection, type RequestHandler } from './connection.js';
import { publicCodeOf } from './parser-errors.js';

/** Head timeouts are looked at this often. */
const CHECK_INTERVAL_MS = 1000;
/** An answer may stay unread for up to one part longer than its time. */
const CHECKS_PER_WRITE_TIMEOUT = 5;
/** Start line and what the parser counts beside path and fields. */
const HEAD_SLACK_BYTES = 2048;
/** Connections over the bound that still get an answer; past them Node closes without one. */
const ANSWERED_OVERFLOW = 64;

export type HttpServerSettings = Pick<
  BoundarySettings,
  | 'maxPathBytes'
  | 'maxHeadersBytes'
  | 'maxConnections'
  | 'headTimeoutMs'
  | 'bodyTimeoutMs'
  | 'writeTimeoutMs'
  | 'keepAliveTimeoutMs'
  | 'discardTimeoutMs'
>;

/**
 * @param settings limits of head, connections and time
 * @param handle what serves a request, e.g. the instance of Nest's Express adapter
 */
export function createBoundaryHttpServer(settings: HttpServerSettings, handle: RequestHandler): Server {
  const server = createServer({
    maxHeaderSize: settings.maxPathBytes + settings.maxHeadersBytes + HEAD_SLACK_BYTES,
    headersTimeout: settings.headTimeoutMs,
    // The gates time the body; this is the net below them.
    requestTimeout:
      settings.headTimeoutMs + settings.bodyTimeoutMs + settings.discardTimeoutMs + CHECK_INTERVAL_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  server.maxConnections = settings.maxConnections + ANSWERED_OVERFLOW;

  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    socket.once('close', () => connections.delete(socket));
    const isOverCapacity = connections.size >= settings.maxConnections;
    connections.set(
      socket,
      new Connection(socket, {
        handle,
        refusal,
        lingerMs: settings.discardTimeoutMs,
        writeTimeoutMs: settings.writeTimeoutMs,
        isOverCapacity,
      }),
    );
  });

  let unreadCheck: NodeJS.Timeout | undefined;
  server.on('listening', () => {
    unreadCheck = setInterval(() => {
      for (const connection of connections.values()) connection.cutIfUnread();
    }, settings.writeTimeoutMs / CHECKS_PER_WRITE_TIMEOUT).unref();
  });
  server.on('close', () => clearInterval(unreadCheck));

  const receive = (request: IncomingMessage, response: ServerResponse): void =>
    connections.get(request.socket)?.receive(response);
  server.on('request', receive);
  server.on('checkExpectation', receive);
  server.on('checkContinue', (request, response) => {
    exchangeOf(request).expectsContinue = true;
    receive(request, response);
  });
  // CONNECT comes without a response object, and Node has let go of its socket: an error that nobody hears would
  // end the process. It is judged like any other request and always refused.
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy());
    connections.get(socket as Socket)?.receive(new ServerResponse(request));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const code = publicCodeOf(error);
    const connection = connections.get(socket as Socket);
    if (code === undefined || connection === undefined) socket.destroy();
    else connection.fail(code);
  });
  return server;
}

/** No parser refusal has a challenge, so nobody asks for the URL of the metadata document. */
function refusal(code: PublicCode): string {
  return serializeRefusal(refusalOf(code, {}, () => ''));
}
