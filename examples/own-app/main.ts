import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BoundaryExpressAdapter } from 'nest-mcp-boundary';
import { AppModule, SETTINGS } from './app.module.js';

export async function bootstrap(port: number): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule, new BoundaryExpressAdapter(SETTINGS));
  await app.listen(port, '127.0.0.1');
  return app;
}
