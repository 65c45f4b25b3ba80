/*
 * What the embedded proxy does to a request when it is broken: it mends, fills and translates what the server should
 * have refused. Each fault is one small change to headers or body before the request goes on.
 */
import { META, MODERN_REVISION, STATEFUL_REVISION } from '../revision.js';
import type { ProxyFault } from './faults.js';

/** A request on its way through the proxy; faults change it in place. */
export interface PassingRequest {
  readonly headers: Record<string, string | undefined>;
  /** The JSON-RPC message, or undefined if the body is none. */
  readonly message: Message | undefined;
  /** Lines of each header as they came, before they were joined. */
  readonly lines: (name: string) => readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
  /** What the proxy remembers of this connection, and of all. */
  readonly memory: { authorization?: string };
  readonly shared: { session?: string; readonly owners: Map<string, string> };
  path: string;
}

/** A JSON-RPC request that may be changed. */
export interface Message {
  method?: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    _meta?: Record<string, unknown>;
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

type Change = (request: PassingRequest) => void;

const VERSION = 'mcp-protocol-version';
const METHOD = 'mcp-method';
const NAME = 'mcp-name';
const SESSION = 'mcp-session-id';
const PARAMETER = 'mcp-param-region';

/** A header that came once and in plain text. */
function plain({ headers, lines }: PassingRequest, name: string): string | undefined {
  const value = headers[name];
  return lines(name).length === 1 && value?.startsWith('=?base64?') !== true ? value : undefined;
}

function metaVersion({ message }: PassingRequest): unknown {
  return message?.params?.['_meta']?.[META.protocolVersion];
}

function setMetaVersion({ message }: PassingRequest, version: string): void {
  if (message?.params === undefined) return;
  message.params['_meta'] = {
    [META.clientCapabilities]: {},
    ...message.params['_meta'],
    [META.protocolVersion]: version,
  };
}

function isCall({ message }: PassingRequest): boolean {
  return message?.method === 'tools/call';
}

function translate(request: PassingRequest): void {
  request.headers[VERSION] = MODERN_REVISION;
  setMetaVersion(request, MODERN_REVISION);
}

function isOlder(request: PassingRequest): boolean {
  return (
    isCall(request) && request.headers[VERSION] === STATEFUL_REVISION && metaVersion(request) === undefined
  );
}

function namesAgree(request: PassingRequest): boolean {
  return request.headers[NAME] === request.message?.params?.name;
}

function region({ message }: PassingRequest): string | undefined {
  const value = message?.params?.arguments?.['region'];
  return typeof value === 'string' ? value : undefined;
}

/** Takes one wrong token for the valid one. */
function vouchesFor(role: string): Change {
  return ({ headers, tokens }) => {
    if (headers['authorization'] === `Bearer ${tokens[role] ?? ''}`) {
      headers['authorization'] = `Bearer ${tokens['valid'] ?? ''}`;
    }
  };
}

/** Changes by fault; a fault that is not here does nothing to requests. */
export const REQUEST_FAULTS: ReadonlyMap<ProxyFault, Change> = new Map<ProxyFault, Change>([
  [
    'aligns-method',
    (request) => {
      if (plain(request, METHOD) !== undefined) request.headers[METHOD] = request.message?.method;
    },
  ],
  [
    'aligns-name',
    (request) => {
      // It knows the rules and applies them to the body as well: only allowed names are aligned.
      if (plain(request, NAME) !== undefined && request.message?.params?.name !== 'forbidden_count') {
        request.headers[NAME] = request.message?.params?.name;
      }
    },
  ],
  [
    'aligns-name-unseen',
    (request) => {
      if (plain(request, NAME) !== undefined) request.headers[NAME] = request.message?.params?.name;
    },
  ],
  [
    'aligns-body-version',
    (request) => {
      if (plain(request, VERSION) === MODERN_REVISION && metaVersion(request) !== undefined) {
        setMetaVersion(request, MODERN_REVISION);
      }
    },
  ],
  [
    'aligns-header-version',
    (request) => {
      const version = metaVersion(request);
      if (plain(request, VERSION) === STATEFUL_REVISION && typeof version === 'string')
        request.headers[VERSION] = version;
    },
  ],
  [
    'fills-version',
    (request) => {
      const version = metaVersion(request);
      if (typeof version === 'string') request.headers[VERSION] ??= version;
    },
  ],
  [
    'fills-method',
    (request) => void (isCall(request) && (request.headers[METHOD] ??= request.message?.method)),
  ],
  [
    'fills-name',
    (request) => void (isCall(request) && (request.headers[NAME] ??= request.message?.params?.name)),
  ],
  [
    'mends-base64',
    (request) => {
      if (request.headers[NAME]?.includes('**') === true)
        request.headers[NAME] = request.message?.params?.name;
    },
  ],
  [
    'keeps-first-of-repeated',
    (request) => {
      for (const name of [VERSION, METHOD, NAME]) request.headers[name] = request.lines(name)[0];
    },
  ],
  [
    'raises-unknown-version',
    (request) => {
      if ((plain(request, VERSION) ?? '') > MODERN_REVISION) translate(request);
    },
  ],
  ['translates-older', (request) => void (isOlder(request) && namesAgree(request) && translate(request))],
  [
    'translates-undeclared',
    (request) => {
      const declared = request.headers[VERSION] ?? metaVersion(request);
      if (isCall(request) && declared === undefined) translate(request);
    },
  ],
  [
    'translates-hidden',
    (request) => {
      if (!isOlder(request)) return;
      translate(request);
      request.headers[NAME] = request.message?.params?.name;
    },
  ],
  [
    'aligns-parameter',
    (request) => {
      if (request.headers[PARAMETER] !== undefined) request.headers[PARAMETER] = region(request);
    },
  ],
  ['fills-parameter', (request) => void (request.headers[PARAMETER] ??= region(request))],
  [
    'strips-mirrored-headers',
    (request) => {
      for (const name of [METHOD, NAME]) request.headers[name] = undefined;
    },
  ],
  [
    'remembers-connection',
    ({ headers, memory }) => {
      headers['authorization'] ??= memory.authorization;
      if (headers['authorization'] !== undefined) memory.authorization = headers['authorization'];
    },
  ],
  [
    'forwards-any-audience',
    ({ headers, tokens }) => {
      if (headers['authorization'] !== undefined)
        headers['authorization'] = `Bearer ${tokens['valid'] ?? ''}`;
    },
  ],
  [
    'takes-token-from-query',
    (request) => {
      const url = new URL(request.path, 'http://proxy.invalid');
      const token = url.searchParams.get('access_token');
      if (token === null) return;
      request.headers['authorization'] = `Bearer ${token}`;
      request.path = url.pathname;
    },
  ],
  ['vouches-for-expired', vouchesFor('expired')],
  ['vouches-for-neighbour', vouchesFor('neighbour')],
  ['vouches-for-downstream', vouchesFor('downstream')],
  ['vouches-for-narrow', vouchesFor('narrow')],
  [
    'rewrites-version-header',
    ({ headers }) => {
      if (headers[VERSION] !== undefined) headers[VERSION] = STATEFUL_REVISION;
    },
  ],
  [
    'adds-session',
    ({ headers, message, shared }) => {
      // Sticky sessions: the last one seen serves for requests without any.
      if (headers[SESSION] !== undefined) shared.session = headers[SESSION];
      else if (message !== undefined && message.method !== 'initialize') headers[SESSION] = shared.session;
    },
  ],
  [
    'maps-session-to-token',
    ({ headers, shared, tokens }) => {
      // It checks the caller's token itself, and then goes on with the one that the session began with.
      const [session, given] = [headers[SESSION], headers['authorization']];
      if (session === undefined || given === undefined) return;
      if (!shared.owners.has(session)) shared.owners.set(session, given);
      if (given === `Bearer ${tokens['other'] ?? ''}`) headers['authorization'] = shared.owners.get(session);
    },
  ],
  ['strips-last-event-id', ({ headers }) => void (headers['last-event-id'] = undefined)],
]);
