/** Small servers on loopback that answer as no honest server would; each is closed after the test file. */
import { afterAll } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface HostileServer {
  readonly url: string;
  readonly port: number;
  /** All that came, in order. */
  readonly received: readonly ReceivedRequest[];
}

const closers: Array<() => Promise<void>> = [];

afterAll(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** @param answer writes the answer to the request that has just come whole */
export async function startHostile(
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
): Promise<HostileServer> {
  const received: ReceivedRequest[] = [];
  const server = createHttpServer((incoming: IncomingMessage, response) => {
    let body = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body };
      received.push(request);
      answer(request, response);
    });
  });
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { ...(await listening(server)), received };
}

/** Sends these bytes in answer to whatever comes, part by part, then ends the connection unless told not to. */
export async function startRaw(
  parts: ReadonlyArray<string | Uint8Array>,
  options: { readonly keepOpen?: boolean } = {},
): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      void (async () => {
        for (const part of parts) {
          socket.write(part);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (options.keepOpen !== true) socket.end();
      })();
    });
  });
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listening(server);
}

async function listening(server: Server): Promise<{ url: string; port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/mcp` };
}
