/**
 * The official SDK v2 speaking 2025-11-25 with sessions, as its examples compose it for such clients: its Express
 * app (Host and Origin checked), its bearer middleware, one McpServer and transport for each session. JSON answers
 * instead of streams, which is its faster way.
 */
import { createMcpExpressApp, requireBearerAuth } from '@modelcontextprotocol/express';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest, McpServer, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
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
    versions: versionsOf([
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/node',
      '@modelcontextprotocol/express',
      'express',
    ]),
  };
}

/** @param {(session: string, transport: NodeStreamableHTTPServerTransport) => void} keep */
async function openTransport(keep) {
  /** @type {NodeStreamableHTTPServerTransport} */
  const transport = new NodeStreamableHTTPServerTransport({
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
  if (grant === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown token');
  return { token, clientId: grant.subject, scopes: [...grant.scopes], expiresAt: grant.expiresAt / 1000 };
}
