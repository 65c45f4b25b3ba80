/**
 * An application that somebody else wrote, with a boundary in it: its own routes, and whatever a test adds to it
 * globally. On a real loopback port, closed after the test file.
 */
import 'reflect-metadata';
import { afterAll } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  type INestApplication,
  Module,
  Post,
  type Provider,
  StreamableFile,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { BoundaryExpressAdapter, BoundaryModule, OfflineTokenPolicy, SystemClock } from 'nest-mcp-boundary';
import type { BoundaryOptions, BoundaryRouteOptions } from 'nest-mcp-boundary';
import { readTokensFile } from '../../src/auth/tokens-file.js';
import type { TokensDocument } from './harness.mjs';
import { ALICE_AND_BOB } from './tokens.js';

/** Bytes; more than the buffers of a socket take. */
export const LARGE = 16 * 1024 * 1024;

@Controller('cats')
export class CatsController {
  @Get()
  list(): { cats: string[] } {
    return { cats: ['tom'] };
  }

  @Post()
  echo(@Body() body: unknown): { body: unknown } {
    return { body };
  }

  @Get('large')
  large(): string {
    return 'x'.repeat(LARGE);
  }

  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(Readable.from([Buffer.alloc(LARGE / 2, 'x'), Buffer.alloc(LARGE / 2, 'x')]));
  }

  @Get('broken')
  broken(): never {
    throw new Error('a cat is broken');
  }
}

export interface ForeignAppOptions {
  readonly boundary?: BoundaryOptions & BoundaryRouteOptions;
  /** `boundary`: with our adapter, so also our HTTP server. Default: `express`, Nest's own. */
  readonly adapter?: 'express' | 'boundary';
  /** Default true, as in Nest. */
  readonly bodyParser?: boolean;
  readonly providers?: readonly Provider[];
  /** What the application does to itself before it listens. */
  readonly setUp?: (app: INestApplication<Server>) => void;
}

export interface ForeignApp {
  readonly app: INestApplication<Server>;
  readonly port: number;
}

const apps: INestApplication[] = [];

afterAll(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** The offline policy on records as in MCP_TOKENS_FILE. */
export function policyOf(document: TokensDocument = ALICE_AND_BOB): OfflineTokenPolicy {
  const clock = new SystemClock();
  const read = readTokensFile(Buffer.from(JSON.stringify(document)), { clock });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return new OfflineTokenPolicy(read.book, clock);
}

export async function createForeignApp(options: ForeignAppOptions): Promise<INestApplication<Server>> {
  const { boundary = {}, providers = [], bodyParser = true } = options;
  class ForeignModule {}
  Module({
    imports: [BoundaryModule.forRoot({ tokenPolicy: policyOf(), ...boundary })],
    controllers: [CatsController],
    providers: [...providers],
  })(ForeignModule);
  const settings = { bodyParser, logger: false, abortOnError: false } as const;
  const app = await (options.adapter === 'boundary'
    ? NestFactory.create<INestApplication<Server>>(
        ForeignModule,
        new BoundaryExpressAdapter(boundary.settings),
        settings,
      )
    : NestFactory.create<INestApplication<Server>>(ForeignModule, settings));
  apps.push(app);
  options.setUp?.(app);
  return app;
}

export async function startForeignApp(options: ForeignAppOptions = {}): Promise<ForeignApp> {
  const app = await createForeignApp(options);
  await app.listen(0, '127.0.0.1');
  return { app, port: (app.getHttpServer().address() as AddressInfo).port };
}
