/**
 * `@rekog/mcp-nest` with sessions, behind a controller of its own with a guard that checks the bearer, as its
 * README says for a server with authentication. Origin and Host checked, JSON answers. Decorators are applied by
 * hand, since this file runs as it is.
 */
import 'reflect-metadata';
import { Controller, Module, UnauthorizedException, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  McpController,
  McpHttpControllerFor,
  McpStrategy,
  Resource,
  StreamableHttpTransport,
} from '@rekog/mcp-nest';
import { RESOURCE } from './answers.mjs';
import { portOf } from './listen.mjs';
import { grantOf } from './token-table.mjs';
import { versionsOf } from './versions.mjs';

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

class BearerGuard {
  /** @param {import('@nestjs/common').ExecutionContext} context */
  canActivate(context) {
    const http = context.switchToHttp();
    const token = BEARER.exec(http.getRequest().headers.authorization ?? '')?.[1];
    const grant = token === undefined ? undefined : grantOf(token);
    if (grant !== undefined && Date.now() < grant.expiresAt && grant.scopes.includes('mcp:use')) return true;
    http.getResponse().setHeader('WWW-Authenticate', 'Bearer error="invalid_token"');
    throw new UnauthorizedException();
  }
}

class Handbook {
  read() {
    return { contents: [{ uri: RESOURCE.uri, text: '' }] };
  }
}
const read = Object.getOwnPropertyDescriptor(Handbook.prototype, 'read');
if (read !== undefined) Resource(RESOURCE)(Handbook.prototype, 'read', read);
McpController()(Handbook);

/** @returns {Promise<import('./listen.mjs').Started>} */
export async function start() {
  const transport = new StreamableHttpTransport({
    statefulMode: true,
    enableJsonResponse: true,
    security: { allowedOrigins: 'localhost', allowedHosts: 'localhost' },
  });
  class Endpoint extends McpHttpControllerFor(transport) {}
  Controller('mcp')(Endpoint);
  UseGuards(BearerGuard)(Endpoint);
  class App {}
  Module({ controllers: [Endpoint, Handbook] })(App);

  const strategy = new McpStrategy({ name: 'bench', version: '1', transports: [transport], logging: false });
  const app = await NestFactory.create(App, { logger: false });
  strategy.setHttpAdapter(app.getHttpAdapter());
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  return {
    port: portOf(app.getHttpServer()),
    versions: versionsOf(['@rekog/mcp-nest', '@modelcontextprotocol/server', '@nestjs/core', 'express']),
  };
}
