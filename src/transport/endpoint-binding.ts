/**
 * Tells the endpoint its address when the HTTP server of the application listens, whoever makes it listen:
 * `app.listen()`, a test, or the standalone start.
 */
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { Endpoint } from '../config/endpoint.js';

@Injectable()
export class EndpointBinding implements OnModuleInit {
  readonly #logger = new Logger('Boundary');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly endpoint: Endpoint,
  ) {}

  onModuleInit(): void {
    // Without an HTTP adapter (an application context, a script) nothing will ever arrive.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (server === undefined) return;
    server.on('listening', () => this.#bind(server));
    if (server.listening) this.#bind(server);
  }

  #bind(server: Server): void {
    const address = server.address();
    if (typeof address === 'object' && address !== null) {
      this.endpoint.bind(address.port);
    } else {
      this.#logger.error({
        msg: 'the server listens on no TCP port, so every request to the MCP endpoint is refused as invalid_host',
      });
    }
  }
}
