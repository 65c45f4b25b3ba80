/**
 * Both official clients behind one small face, so that a test runs the same story with each: v1
 * (`@modelcontextprotocol/sdk`), v2 (`@modelcontextprotocol/client`), and v2 in the mode that tries the next
 * revision first. What they put on the wire is their own; nothing here helps them.
 */
import { afterEach } from '@jest/globals';
import {
  Client as ClientV2,
  type OAuthClientProvider as OAuthProviderV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider as OAuthProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface ClientOptions {
  readonly url: URL;
  /** Sent as a fixed header with everything the client asks for, as configuration files have it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly authProvider?: OAuthProviderV1 & OAuthProviderV2;
  readonly fetch?: typeof fetch;
}

export interface OfficialClient {
  connect(): Promise<void>;
  ping(): Promise<unknown>;
  listResources(): Promise<ReadonlyArray<{ readonly uri: string }>>;
  /** Asks a slow method and gives up on it. */
  giveUp(method: string): { readonly failure: Promise<Error>; abort(): void };
  sendRootsListChanged(): Promise<void>;
  /** Exchanges the code of a login that this client began. */
  finishAuth(code: string): Promise<void>;
  /** DELETE. */
  terminateSession(): Promise<void>;
  close(): Promise<void>;
  /** Lists that the client fetched because of `notifications/resources/list_changed`. */
  readonly refreshed: ReadonlyArray<unknown>;
  /** What the client told its `onerror`. */
  readonly errors: readonly Error[];
}

interface Kind {
  readonly name: string;
  open(options: ClientOptions): OfficialClient;
}

/** What both clients have, as far as the tests use it. */
interface AnyClient {
  connect(transport: AnyTransport): Promise<void>;
  ping(): Promise<unknown>;
  listResources(): Promise<{ resources: Array<{ uri: string }> }>;
  sendRootsListChanged(): Promise<void>;
  close(): Promise<void>;
}

interface AnyTransport {
  terminateSession(): Promise<void>;
  finishAuth(code: string): Promise<void>;
}

const IDENTITY = { name: 'interop', version: '1' };
const CAPABILITIES = { roots: { listChanged: true } };

const opened: OfficialClient[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

function drive(
  transport: AnyTransport,
  make: (onChanged: (error: Error | null, items: unknown) => void) => AnyClient,
  abandon: (client: AnyClient, method: string, signal: AbortSignal) => Promise<unknown>,
): OfficialClient {
  const refreshed: unknown[] = [];
  const errors: Error[] = [];
  const client = make((error, items) => refreshed.push(error ?? items));
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  const driven: OfficialClient = {
    connect: () => client.connect(transport),
    ping: () => client.ping(),
    listResources: async () => (await client.listResources()).resources,
    giveUp: (method) => {
      const controller = new AbortController();
      const failure = abandon(client, method, controller.signal).then(
        () => new Error('answered'),
        (error: unknown) => error as Error,
      );
      return { failure, abort: () => controller.abort() };
    },
    sendRootsListChanged: () => client.sendRootsListChanged(),
    finishAuth: (code) => transport.finishAuth(code),
    terminateSession: () => transport.terminateSession(),
    close: () => client.close(),
    refreshed,
    errors,
  };
  opened.push(driven);
  return driven;
}

/** Takes any result, as a schema of the library the clients validate with (Standard Schema). */
const ANY_RESULT = {
  '~standard': { version: 1, vendor: 'interop', validate: (value: unknown) => ({ value }) },
  safeParse: (value: unknown) => ({ success: true, data: value }),
  parse: (value: unknown) => value,
};

type Request = (
  request: { method: string },
  schema: unknown,
  options: { signal: AbortSignal },
) => Promise<unknown>;

function abandonOn(client: AnyClient, method: string, signal: AbortSignal): Promise<unknown> {
  const requesting = client as unknown as { request: Request };
  return requesting.request({ method }, ANY_RESULT, { signal });
}

function transportOptions({ headers, authProvider, fetch }: ClientOptions): {
  requestInit?: RequestInit;
  authProvider?: OAuthProviderV1 & OAuthProviderV2;
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
} {
  return {
    ...(headers && { requestInit: { headers } }),
    ...(authProvider && { authProvider }),
    ...(fetch && { fetch }),
  };
}

function openV1(options: ClientOptions): OfficialClient {
  const transport = new TransportV1(options.url, transportOptions(options));
  return drive(
    transport,
    (onChanged) =>
      new ClientV1(IDENTITY, {
        capabilities: CAPABILITIES,
        listChanged: { resources: { onChanged } },
      }) as unknown as AnyClient,
    abandonOn,
  );
}

function openV2(options: ClientOptions, mode: 'legacy' | 'auto'): OfficialClient {
  const transport = new TransportV2(options.url, transportOptions(options));
  return drive(
    transport,
    (onChanged) =>
      new ClientV2(IDENTITY, {
        capabilities: CAPABILITIES,
        listChanged: { resources: { onChanged } },
        versionNegotiation: { mode },
      }) as unknown as AnyClient,
    abandonOn,
  );
}

export const V1: Kind = { name: 'v1', open: openV1 };
export const V2: Kind = { name: 'v2', open: (options) => openV2(options, 'legacy') };
export const V2_NEXT_FIRST: Kind = {
  name: 'v2 that tries 2026-07-28 first',
  open: (options) => openV2(options, 'auto'),
};

export const OFFICIAL_CLIENTS: ReadonlyArray<readonly [name: string, kind: Kind]> = [
  V1,
  V2,
  V2_NEXT_FIRST,
].map((kind) => [kind.name, kind]);

export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
