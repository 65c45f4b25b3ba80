/**
 * One MCP session with one server on loopback (revision 2025-11-25, Streamable HTTP): handshake, ping,
 * resources/list, the GET stream, the end. Knows a URL and a token and nothing of the server's code.
 *
 * Every answer is judged strictly and nothing is tried twice; what goes wrong is a ClientError.
 */
import { readBearer } from '../protocol/bearer.js';
import type { JsonRpcId } from '../protocol/json-rpc.js';
import { SPOKEN_REVISION } from '../protocol/revisions.js';
import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import type { HttpAnswer } from './answer.js';
import { ClientError } from './client-error.js';
import {
  expectNoBody,
  expectStatus,
  isObject,
  resultOf,
  type StreamEvent,
  streamEventsOf,
} from './judge-answer.js';
import { LoopbackHttp, type LoopbackHttpOptions } from './loopback-http.js';

/** The one revision that this client accepts unless told otherwise. */
export const ACCEPTED_REVISION = SPOKEN_REVISION;

// MCP 2025-11-25 transports, "Session Management": visible ASCII; the length is the profile's.
const SESSION_ID = /^[\x21-\x7e]{1,256}$/;
const CLIENT_INFO = { name: 'nest-mcp-boundary-loopback-client', version: '1' };

export interface McpClientOptions extends LoopbackHttpOptions {
  /** `http://127.0.0.1:<port>/<path>` and nothing else. */
  readonly url: string;
  readonly token: string;
  readonly acceptedRevision?: string | undefined;
  /** Sent with every request, beside those that the protocol needs. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ServerAnnouncement {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: { readonly name: string; readonly version: string };
}

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string | undefined;
}

export class McpClient {
  readonly #http: LoopbackHttp;
  readonly #token: string;
  readonly #accepted: string;
  readonly #headers: Readonly<Record<string, string>>;
  #sessionId: string | undefined;
  #lastId = 0;

  /** @throws ClientError `not_loopback` or `invalid_token` */
  constructor(options: McpClientOptions) {
    this.#http = new LoopbackHttp(options.url, options);
    if (readBearer(`Bearer ${options.token}`).kind !== 'token') throw new ClientError('invalid_token');
    this.#token = options.token;
    this.#accepted = options.acceptedRevision ?? ACCEPTED_REVISION;
    this.#headers = options.headers ?? {};
  }

  /** Requests that were answered whole, counted where they happen. */
  get roundTrips(): number {
    return this.#http.roundTrips;
  }

  /** The whole handshake. Where the version is not accepted, `initialized` is not sent. */
  async connect(): Promise<ServerAnnouncement> {
    const announcement = await this.initialize();
    await this.initialized();
    return announcement;
  }

  async initialize(): Promise<ServerAnnouncement> {
    this.#sessionId = undefined;
    const { answer, result } = await this.#request('initialize', {
      protocolVersion: this.#accepted,
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    const announcement = announcementOf(result);
    if (announcement.protocolVersion !== this.#accepted) throw new ClientError('version_not_accepted');
    const sessionId = answer.headers.get('mcp-session-id');
    if (sessionId === undefined || !SESSION_ID.test(sessionId)) {
      throw new ClientError('invalid_session_header');
    }
    this.#sessionId = sessionId;
    return announcement;
  }

  async initialized(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const answer = await this.#send('POST', this.#inSession(), 202, body);
    expectNoBody(answer);
  }

  async ping(): Promise<void> {
    const { result } = await this.#request('ping');
    if (Object.keys(result).some((name) => name !== '_meta')) throw new ClientError('invalid_result');
  }

  /** The first page; `nextCursor` says whether there are more. */
  async listResources(): Promise<{
    readonly resources: readonly Resource[];
    readonly nextCursor: string | undefined;
  }> {
    const { result } = await this.#request('resources/list');
    const { resources, nextCursor } = result;
    const isCursor = nextCursor === undefined || typeof nextCursor === 'string';
    if (!Array.isArray(resources) || !isCursor) throw new ClientError('invalid_result');
    return { resources: resources.map(resourceOf), nextCursor };
  }

  /** Reads the GET stream until the server ends it, after the event `lastEventId` where one is given. */
  async stream(lastEventId?: string): Promise<readonly StreamEvent[]> {
    const resume: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    const headers = { ...this.#inSession(), Accept: 'text/event-stream', ...resume };
    return streamEventsOf(await this.#send('GET', headers, 200));
  }

  /** Ends the session. Later calls go out with its id all the same, and it is for the server to refuse them. */
  async end(): Promise<void> {
    expectNoBody(await this.#send('DELETE', this.#inSession(), 204));
  }

  async #request(
    method: string,
    params?: JsonObject,
  ): Promise<{ readonly answer: HttpAnswer; readonly result: JsonObject }> {
    const session = method === 'initialize' ? {} : this.#inSession();
    const id: JsonRpcId = ++this.#lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    const answer = await this.#send('POST', session, 200, body);
    return { answer, result: resultOf(answer, id) };
  }

  async #send(
    method: 'POST' | 'GET' | 'DELETE',
    headers: Readonly<Record<string, string>>,
    expectedStatus: number,
    body?: string,
  ): Promise<HttpAnswer> {
    const media: Record<string, string> =
      body === undefined
        ? {}
        : { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
    const answer = await this.#http.exchange({
      method,
      headers: { ...this.#headers, Authorization: `Bearer ${this.#token}`, ...media, ...headers },
      body,
    });
    const session = this.#sessionId === undefined ? [] : [this.#sessionId];
    expectStatus(answer, expectedStatus, [this.#token, ...session]);
    return answer;
  }

  #inSession(): Record<string, string> {
    if (this.#sessionId === undefined) throw new ClientError('no_session');
    return { 'MCP-Protocol-Version': this.#accepted, 'MCP-Session-Id': this.#sessionId };
  }
}

function announcementOf({ protocolVersion, capabilities, serverInfo }: JsonObject): ServerAnnouncement {
  const isWhole =
    typeof protocolVersion === 'string' &&
    isObject(capabilities) &&
    isObject(serverInfo) &&
    typeof serverInfo['name'] === 'string' &&
    typeof serverInfo['version'] === 'string';
  if (!isWhole) throw new ClientError('invalid_result');
  return {
    protocolVersion,
    capabilities,
    serverInfo: { name: serverInfo['name'] as string, version: serverInfo['version'] as string },
  };
}

function resourceOf(value: JsonValue): Resource {
  const { uri, name, mimeType } = isObject(value) ? value : {};
  const isMimeType = mimeType === undefined || typeof mimeType === 'string';
  if (typeof uri !== 'string' || typeof name !== 'string' || !isMimeType) {
    throw new ClientError('invalid_result');
  }
  return { uri, name, mimeType };
}
