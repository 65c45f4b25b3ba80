/**
 * The official SDK v1 as its examples compose it: Express app of the SDK, its bearer middleware, one McpServer and
 * transport for each session. JSON answers instead of streams, which is its faster way.
 */
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from './listen.mjs';
import { registerHandbook, sdkRoute } from './sdk-route.mjs';
import { grantOf } from './token-table.mjs';
import { versionsOf } from './versions.mjs';

/** @returns {Promise<import('./listen.mjs').Started>} */
export async function start() {
  const app = createMcpExpressApp();
  const auth = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['mcp:use'] });
  app.post('/mcp', auth, sdkRoute(isInitializeRequest, openTransport));
  return {
    port: await listen(createServer(app)),
    versions: versionsOf(['@modelcontextprotocol/sdk', 'express']),
  };
}

/** @param {(session: string, transport: StreamableHTTPServerTransport) => void} keep */
async function openTransport(keep) {
  /** @type {StreamableHTTPServerTransport} */
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (session) => keep(session, transport),
  });
  const server = new McpServer({ name: 'bench', version: '1' });
  registerHandbook(server);
  await server.connect(transport);
  return transport;
}

/** @param {string} token */
async function verifyAccessToken(token) {
  const grant = grantOf(token);
  if (grant === undefined) throw new InvalidTokenError('unknown token');
  return { token, clientId: grant.subject, scopes: [...grant.scopes], expiresAt: grant.expiresAt / 1000 };
}
