import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { json } from 'express';
import { AppModule } from './app.module.js';

/** The same application on Nest's own Express adapter: its body parser may act on its own paths only. */
export async function bootstrapPlain(port: number): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule, { bodyParser: false });
  app.use('/cats', json());
  await app.listen(port, '127.0.0.1');
  return app;
}
