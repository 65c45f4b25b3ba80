/**
 * The yardstick: the checks of our gates, in their order, written by hand on `node:http` as tightly as is honest.
 * Plain `JSON.parse` where ours is strict (duplicate keys, lone surrogates, depth), and no body timeout, no log,
 * no one-at-a-time: those are what the boundary adds. Head and message rules are in hand-checks.mjs.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { INITIALIZE_RESULT, PROTOCOL_VERSION, RESOURCE, send, sendEvent, sendResult } from './answers.mjs';
import { bodyLength, isEnvelope, isMediaRight, readHead } from './hand-checks.mjs';
import { listen, portOf } from './listen.mjs';
import { grantOf } from './token-table.mjs';

const MAX_CONCURRENT = 64;
const SESSION_ID = /^[\x21-\x7e]{1,256}$/;
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
/** JSON-RPC method → scope that it needs beside the base scope. */
const METHOD_SCOPES = new Map([
  ['ping', undefined],
  ['resources/list', 'resources:read'],
]);
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @typedef {{ subject: string, tenant: string, revision: string, expiresAt: number, isReady: boolean, events: number }} Session */

/**
 * @param {import('./listen.mjs').PeerOptions} options
 * @returns {Promise<import('./listen.mjs').Started>}
 */
export async function start({ maxSessions }) {
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  /** @type {Set<string>} */
  let hosts = new Set();
  /** @type {Set<string>} */
  let origins = new Set();
  let processing = 0;

  const server = createServer((request, response) => {
    if (processing >= MAX_CONCURRENT) return refuse(response, 503, 'overloaded');
    const head = readHead(request);
    if (head === undefined) return refuse(response, 400, 'invalid_header');
    if (head.host === undefined || !hosts.has(head.host)) return refuse(response, 403, 'invalid_host');
    if (head.origin !== undefined && !origins.has(head.origin))
      return refuse(response, 403, 'invalid_origin');
    if (request.url !== '/mcp') return refuse(response, 404, 'not_found');
    if (request.method !== 'POST') return refuse(response, 405, 'method_not_allowed');
    if (!isMediaRight(head)) return refuse(response, 406, 'not_acceptable');
    const length = bodyLength(head);
    if (length === undefined) return refuse(response, 400, 'invalid_content_length');
    processing++;
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      processing--;
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      if (bytes.length !== length) return refuse(response, 400, 'truncated_body');
      let message;
      try {
        message = JSON.parse(UTF8.decode(bytes));
      } catch {
        return refuse(response, 400, 'invalid_json');
      }
      if (!isEnvelope(message)) return refuse(response, 400, 'invalid_request');
      answer(head, message, response);
    });
  });

  /**
   * @param {import('./hand-checks.mjs').Head} head
   * @param {any} message
   * @param {import('node:http').ServerResponse} response
   */
  function answer(head, message, response) {
    const token = head.authorization === undefined ? undefined : BEARER.exec(head.authorization)?.[1];
    const grant = token === undefined ? undefined : grantOf(token);
    if (grant === undefined || Date.now() >= grant.expiresAt) return challenge(response);
    if (!grant.scopes.includes('mcp:use')) return refuse(response, 403, 'insufficient_scope');

    if (message.method === 'initialize') {
      if (head.sessionId !== undefined) return refuse(response, 400, 'initialization_must_not_reuse_session');
      if (typeof message.params?.protocolVersion !== 'string')
        return refuse(response, 400, 'invalid_initialize');
      return initialize(message.id, grant, response);
    }
    if (head.protocolVersion !== PROTOCOL_VERSION)
      return refuse(response, 400, 'unsupported_protocol_version');
    const id = head.sessionId;
    if (id === undefined || !SESSION_ID.test(id)) return refuse(response, 400, 'missing_or_invalid_session');
    const session = sessions.get(id);
    if (
      session === undefined ||
      Date.now() >= session.expiresAt ||
      session.subject !== grant.subject ||
      session.tenant !== grant.tenant ||
      session.revision !== grant.revision
    ) {
      return refuse(response, 404, 'session_not_found');
    }
    if (message.id === undefined) {
      if (session.isReady) return refuse(response, 400, 'invalid_lifecycle');
      session.isReady = true;
      response.writeHead(202, ['Content-Length', '0']).end();
      return undefined;
    }
    if (!session.isReady) return refuse(response, 400, 'invalid_lifecycle');
    const scope = METHOD_SCOPES.get(message.method);
    if (scope !== undefined && !grant.scopes.includes(scope))
      return refuse(response, 403, 'insufficient_scope');
    if (message.method === 'ping') sendResult(response, message.id, {});
    else sendEvent(response, `post-${++session.events}`, message.id, { resources: [RESOURCE] });
  }

  /**
   * @param {string | number} id
   * @param {import('./token-table.mjs').Grant} grant
   * @param {import('node:http').ServerResponse} response
   */
  function initialize(id, { subject, tenant, revision, expiresAt }, response) {
    if (sessions.size >= maxSessions) return refuse(response, 503, 'session_capacity_exceeded');
    const session = randomBytes(32).toString('base64url');
    sessions.set(session, { subject, tenant, revision, expiresAt, isReady: false, events: 0 });
    sendResult(response, id, INITIALIZE_RESULT, ['MCP-Session-Id', session]);
  }

  const port = await listen(server);
  hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${portOf(server)}`));
  origins = new Set([...hosts].map((host) => `http://${host}`));
  return { port, versions: {} };
}

/** @param {import('node:http').ServerResponse} response */
function challenge(response) {
  refuse(response, 401, 'invalid_token', [
    'WWW-Authenticate',
    'Bearer error="invalid_token", scope="mcp:use", resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"',
  ]);
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} code
 * @param {string[]} [more]
 */
function refuse(response, status, code, more = []) {
  const text = `{"error":${JSON.stringify(code)}}`;
  send(response, status, 'application/json', text, ['Connection', 'close', ...more]);
}
