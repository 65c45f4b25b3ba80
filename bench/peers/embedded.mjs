/**
 * Ours as a module of somebody's Nest application: its own controller, Express and Nest's own HTTP server. Only the
 * body parser is off, as an embedding application must have it for the endpoint.
 */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { portOf } from './listen.mjs';
import { boundaryOptions, load, ourVersions } from './product.mjs';

class Greeting {
  greet() {
    return 'hello';
  }
}
const greet = Object.getOwnPropertyDescriptor(Greeting.prototype, 'greet');
if (greet !== undefined) Get()(Greeting.prototype, 'greet', greet);
Controller('greeting')(Greeting);

/**
 * @param {import('./listen.mjs').PeerOptions} options
 * @returns {Promise<import('./listen.mjs').Started>}
 */
export async function start(options) {
  const { BoundaryModule } = await load('boundary.module.js');
  const { Endpoint } = await load('config/endpoint.js');
  class App {}
  Module({ imports: [BoundaryModule.forRoot(await boundaryOptions(options))], controllers: [Greeting] })(App);
  const app = await NestFactory.create(App, { bodyParser: false, logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const port = portOf(app.getHttpServer());
  bindOnce(app.get(Endpoint, { strict: false }), port);
  return { port, versions: ourVersions() };
}

/**
 * For a version of ours whose module does not yet see by itself where its application listens.
 * @param {{ readonly resource: string, bind(port: number): void }} endpoint
 * @param {number} port
 */
function bindOnce(endpoint, port) {
  try {
    void endpoint.resource;
  } catch {
    endpoint.bind(port);
  }
}
