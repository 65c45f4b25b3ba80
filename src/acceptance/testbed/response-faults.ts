/*
 * What the embedded proxy does to an answer when it is broken: brands, rewrites, buffers, cuts. Each fault takes the
 * answer of the upstream and writes its own to the client.
 */
import type http from 'node:http';
import type { ProxyFault } from './faults.js';
import type { Message } from './request-faults.js';

/** An answer on its way through the proxy. */
export interface PassingAnswer {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly message: Message | undefined;
    readonly headers: Readonly<Record<string, string | undefined>>;
  };
  readonly upstream: http.IncomingMessage;
  readonly client: http.ServerResponse;
  /** Cuts quiet streams after that many ms. */
  readonly cutAfterMs: number;
}

type Handling = (answer: PassingAnswer) => void;

const PAGE = '<!doctype html><title>Sorry</title><h1>Something went wrong</h1><p>Example Gateway Inc.</p>';
const SESSION = 'Mcp-Session-Id';
/** Everything that a hoarding proxy never lets go. */
const hoard: Buffer[] = [];

/** Passes an answer on as it is, with changed headers if wanted. */
export function passOn({ upstream, client }: PassingAnswer, headers: http.OutgoingHttpHeaders = {}): void {
  client.writeHead(upstream.statusCode ?? 502, { ...hopFree(upstream.headers), ...headers });
  client.flushHeaders();
  upstream.pipe(client);
  // The upstream gave up in the middle: so does the proxy, or the client would wait for ever.
  upstream.on('close', () => void (!upstream.complete && client.destroy()));
}

function hopFree(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const {
    connection: _connection,
    'keep-alive': _keepAlive,
    'transfer-encoding': _coding,
    ...rest
  } = headers;
  return rest;
}

/** Collects the answer, lets a function change it, sends it in one piece. */
function rewrite(
  answer: PassingAnswer,
  change: (body: string) => { status?: number; type?: string; body: string },
): void {
  const kept: Buffer[] = [];
  answer.upstream.on('data', (chunk: Buffer) => kept.push(chunk));
  answer.upstream.on('end', () => {
    const { status, type, body } = change(Buffer.concat(kept).toString('utf8'));
    const { 'content-length': _length, ...headers } = hopFree(answer.upstream.headers);
    answer.client.writeHead(status ?? answer.upstream.statusCode ?? 502, {
      ...headers,
      ...(type !== undefined && { 'content-type': type }),
      'content-length': Buffer.byteLength(body),
    });
    answer.client.end(body);
  });
}

/** A page of its own in place of answers with that status. */
function brands(status: number, method?: string): Handling {
  return (answer) => {
    const meant =
      answer.upstream.statusCode === status && (method === undefined || answer.request.method === method);
    if (meant) rewrite(answer, () => ({ type: 'text/html', body: PAGE }));
    else passOn(answer);
  };
}

/** Lets a function change the text of an event stream; `undefined` drops a piece. */
function editsStream(edit: (text: string) => string): Handling {
  return (answer) => {
    const { upstream, client } = answer;
    if (!(upstream.headers['content-type'] ?? '').startsWith('text/event-stream')) return passOn(answer);
    client.writeHead(upstream.statusCode ?? 502, hopFree(upstream.headers));
    client.flushHeaders();
    upstream.on('data', (chunk: Buffer) => client.write(edit(chunk.toString('utf8'))));
    upstream.on('close', () => client.end());
  };
}

function challengeEdit(edit: (challenge: string) => string): Handling {
  return (answer) => {
    const challenge = answer.upstream.headers['www-authenticate'];
    passOn(answer, challenge === undefined ? {} : { 'www-authenticate': edit(challenge) });
  };
}

const isInitialize = ({ request }: PassingAnswer): boolean => request.message?.method === 'initialize';

/** Handling by fault; a fault that is not here does nothing to answers. */
export const RESPONSE_FAULTS: ReadonlyMap<ProxyFault, Handling> = new Map<ProxyFault, Handling>([
  [
    'retypes-400',
    (answer) => passOn(answer, answer.upstream.statusCode === 400 ? { 'content-type': 'text/html' } : {}),
  ],
  ['brands-401', brands(401)],
  ['brands-403', brands(403)],
  ['brands-404', brands(404)],
  ['brands-405-get', brands(405, 'GET')],
  ['brands-405-delete', brands(405, 'DELETE')],
  ['brands-405-put', brands(405, 'PUT')],
  [
    'wraps-application-errors',
    (answer) => {
      if (answer.upstream.statusCode !== 200 || !isJson(answer)) return passOn(answer);
      rewrite(answer, (body) =>
        body.includes('"error"') ? { status: 502, type: 'text/html', body: PAGE } : { body },
      );
    },
  ],
  ['trims-challenge', challengeEdit((challenge) => challenge.replace(/scope="[^"]*", /, ''))],
  [
    'rewrites-challenge',
    challengeEdit((challenge) =>
      challenge.replace(/resource_metadata="https:\/\/[^/]*/, 'resource_metadata="http://10.0.0.7:3000'),
    ),
  ],
  [
    'rewrites-metadata',
    (answer) => {
      if (!answer.request.path.startsWith('/.well-known/')) return passOn(answer);
      rewrite(answer, (body) => ({ body: body.replace('https://mcp.bed.example', 'http://10.0.0.7:3000') }));
    },
  ],
  [
    'echoes-token',
    (answer) => {
      const refused = answer.upstream.statusCode === 401;
      passOn(
        answer,
        refused ? { 'x-debug-authorization': answer.request.headers['authorization'] ?? '' } : {},
      );
    },
  ],
  [
    'buffers',
    (answer) => {
      if (answer.request.message?.method === 'tools/call') rewrite(answer, (body) => ({ body }));
      else passOn(answer);
    },
  ],
  [
    'strips-buffering-hint',
    (answer) => {
      delete answer.upstream.headers['x-accel-buffering'];
      passOn(answer);
    },
  ],
  [
    'hoards',
    (answer) => {
      answer.upstream.on('data', (chunk: Buffer) => hoard.push(Buffer.from(chunk)));
      passOn(answer);
    },
  ],
  [
    'cuts-idle-streams',
    (answer) => {
      passOn(answer);
      if (answer.request.message?.method === 'subscriptions/listen') {
        setTimeout(() => answer.client.destroy(), answer.cutAfterMs);
      }
    },
  ],
  ['strips-comments', editsStream((text) => text.replace(/^:.*\n\n?/gm, ''))],
  ['turns-comments-into-data', editsStream((text) => text.replace(/^:(.*)\n\n?/gm, ':$1\n\ndata:$1\n\n'))],
  [
    'strips-session-header',
    (answer) => {
      delete answer.upstream.headers['mcp-session-id'];
      passOn(answer);
    },
  ],
  ['mints-session', (answer) => passOn(answer, isInitialize(answer) ? { [SESSION]: 'minted' } : {})],
  [
    'echoes-session',
    (answer) => {
      const session = answer.request.headers['mcp-session-id'];
      passOn(answer, session === undefined ? {} : { [SESSION]: session });
    },
  ],
  [
    'hides-supported',
    (answer) => {
      if (!isInitialize(answer)) return passOn(answer);
      rewrite(answer, (body) => ({
        body: body.replace(/"error":\{.*?\}\s*,\s*"id"/s, '"error":{"code":-32022,"message":"no"},"id"'),
      }));
    },
  ],
]);

function isJson({ upstream }: PassingAnswer): boolean {
  return (upstream.headers['content-type'] ?? '').startsWith('application/json');
}
