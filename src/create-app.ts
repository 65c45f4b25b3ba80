/**
 * The standalone server as a Nest application, composed but not yet listening; `startApp` binds it to
 * 127.0.0.1 and nothing else. For the entry point, the command line and tests.
 */
import { type INestApplication, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppModule, type AppModuleOptions } from './app.module.js';
import { Endpoint } from './config/endpoint.js';
import { settingsFrom } from './config/environment.js';
import { BoundaryExpressAdapter } from './transport/boundary-express-adapter.js';
import { Capacity } from './transport/capacity.js';

const IDLE_SWEEP_MS = 50;

export interface AppOptions extends AppModuleOptions {
  /** Where Nest and the boundary log; `false` = nowhere. */
  readonly logger: LoggerService | false;
}

export interface RunningApp {
  readonly app: INestApplication<Server>;
  /** The canonical resource URI. */
  readonly resource: string;
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly port: number;
  /** No new requests; running ones get `shutdownTimeoutMs`; then every connection is closed. */
  stop(): Promise<void>;
}

export async function startApp({ logger, ...options }: AppOptions): Promise<RunningApp> {
  const settings = settingsFrom(options.settings);
  const app = await NestFactory.create<INestApplication<Server>>(
    AppModule.forRoot(options),
    new BoundaryExpressAdapter(settings),
    { bodyParser: false, logger, abortOnError: false },
  );
  await app.init();
  const server = app.getHttpServer();
  server.listen(settings.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = app.get(Endpoint);

  return {
    app,
    resource: endpoint.resource,
    origin: `http://127.0.0.1:${port}`,
    port,
    stop: () => stop(app, settings.shutdownTimeoutMs),
  };
}

async function stop(app: INestApplication<Server>, timeoutMs: number): Promise<void> {
  const server = app.getHttpServer();
  const capacity = app.get(Capacity);
  capacity.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose last answer is out is idle from then on, and nobody would close it before its time. One that
  // has sent no whole head is not idle for Node, but nothing that it could send would be served.
  const sweeper = setInterval(() => {
    if (capacity.isIdle) server.closeAllConnections();
    else server.closeIdleConnections();
  }, IDLE_SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
  await app.close();
}
