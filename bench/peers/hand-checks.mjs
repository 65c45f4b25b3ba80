/** Head, media types, length and envelope, by hand and in one pass each, for bare-with-checks.mjs only. */

/**
 * @typedef {object} Head
 * @property {string | undefined} host
 * @property {string | undefined} origin
 * @property {string | undefined} authorization
 * @property {string | undefined} accept
 * @property {string | undefined} contentType
 * @property {string | undefined} contentLength
 * @property {string | undefined} transferEncoding
 * @property {string | undefined} sessionId
 * @property {string | undefined} protocolVersion
 */

const MAX_TARGET = 2048;
const MAX_FIELDS = 32;
const MAX_VALUE = 2048;
const MAX_TOTAL = 12 * 1024;
const MAX_BODY = 16 * 1024;
// RFC 9110 section 5.5; names were checked by Node's parser.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const DECIMAL = /^[0-9]{1,15}$/;

/** @type {ReadonlyMap<string, keyof Head>} */
const SINGLE = new Map([
  ['host', 'host'],
  ['origin', 'origin'],
  ['authorization', 'authorization'],
  ['accept', 'accept'],
  ['content-type', 'contentType'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['mcp-session-id', 'sessionId'],
  ['mcp-protocol-version', 'protocolVersion'],
]);

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Head | undefined} undefined when it is out of bounds, repeated or not legal
 */
export function readHead({ url = '', rawHeaders }) {
  if (url.length > MAX_TARGET || url.includes('?') || url.includes('#')) return undefined;
  if (rawHeaders.length > MAX_FIELDS * 2) return undefined;
  /** @type {Head} */
  const head = {
    host: undefined,
    origin: undefined,
    authorization: undefined,
    accept: undefined,
    contentType: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    sessionId: undefined,
    protocolVersion: undefined,
  };
  let total = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    total += name.length + value.length + 4;
    if (value.length > MAX_VALUE || !VALUE.test(value)) return undefined;
    const field = SINGLE.get(name.toLowerCase());
    if (field === undefined) continue;
    if (head[field] !== undefined) return undefined;
    head[field] = value;
  }
  return total > MAX_TOTAL ? undefined : head;
}

/** @param {Head} head */
export function isMediaRight({ accept, contentType }) {
  return accept !== undefined && acceptsBoth(accept) && contentType === 'application/json';
}

/** @param {Head} head */
export function bodyLength({ contentLength, transferEncoding }) {
  if (transferEncoding !== undefined || contentLength === undefined || !DECIMAL.test(contentLength))
    return undefined;
  const length = Number(contentLength);
  return length > 0 && length <= MAX_BODY ? length : undefined;
}

/** @param {any} message a request or a notification of JSON-RPC 2.0 */
export function isEnvelope(message) {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
  for (const member of Object.keys(message)) {
    if (member !== 'jsonrpc' && member !== 'id' && member !== 'method' && member !== 'params') return false;
  }
  const { jsonrpc, id, method, params } = message;
  return (
    jsonrpc === '2.0' &&
    typeof method === 'string' &&
    method !== '' &&
    (id === undefined || typeof id === 'string' || Number.isSafeInteger(id)) &&
    (params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params)))
  );
}

/** @type {Map<string, boolean>} */
const known = new Map();
const MAX_KNOWN = 64;

/** @param {string} accept */
function acceptsBoth(accept) {
  const before = known.get(accept);
  if (before !== undefined) return before;
  const types = new Set(accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase()));
  const both = types.has('application/json') && types.has('text/event-stream');
  if (known.size < MAX_KNOWN) known.set(accept, both);
  return both;
}
