/**
 * One HTTP round trip as a person reads it: request line, the headers that matter, status, body. Tokens and session
 * ids are masked wherever they occur, and no byte of an answer can drive the terminal.
 */
import { STATUS_CODES } from 'node:http';
import type { HttpAnswer } from '../client/answer.js';
import { ClientError } from '../client/client-error.js';
import type { RoundTrip } from '../client/loopback-http.js';

/** Lower case; the rest is plumbing. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'retry-after',
  'www-authenticate',
]);

type Style = 'bold' | 'dim' | 'green' | 'red';

const SGR: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
};

export function roundTripText(roundTrip: RoundTrip, hasColour: boolean): string {
  const paint = (style: Style, text: string): string => {
    const [on, off] = SGR[style];
    return hasColour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  const { number, path, request, outcome } = roundTrip;
  const clean = cleaner(roundTrip);
  const lines = (mark: string, texts: readonly string[]): string[] =>
    texts.map((text) => `${paint('dim', mark)} ${clean(text)}`);

  const requestLine = clean(`${request.method} ${path}`);
  const sent = [...headerLines(Object.entries(request.headers ?? {})), ...bodyLines(request.body ?? '')];
  const head = `${paint('dim', `[${number}]`)} ${paint('bold', requestLine)}`;
  return `${[head, ...lines('>', sent), ...received(outcome)].join('\n')}\n\n`;

  function received(result: HttpAnswer | ClientError): string[] {
    if (result instanceof ClientError) return [`${paint('dim', '<')} ${paint('red', result.message)}`];
    const status = paint(result.status < 400 ? 'green' : 'red', statusLine(result.status));
    return [
      `${paint('dim', '<')} ${status}`,
      ...lines('<', [...headerLines(result.headers), ...bodyLines(result.text)]),
    ];
  }
}

function headerLines(headers: Iterable<readonly [string, string]>): string[] {
  const shown = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  return shown.filter(([name]) => SHOWN_HEADERS.has(name)).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string): string[] {
  return body === '' ? [] : body.replace(/^\n+|\n+$/g, '').split('\n');
}

function statusLine(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

/** Masks what this round trip bears as token or session id, then writes control characters as escapes. */
function cleaner({ request, outcome }: RoundTrip): (text: string) => string {
  const headers = new Map(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const answered = outcome instanceof ClientError ? undefined : outcome.headers.get('mcp-session-id');
  const masks = [
    [headers.get('authorization')?.replace(/^Bearer /, ''), '<token>'],
    [headers.get('mcp-session-id'), '<session id>'],
    [answered, '<session id>'],
  ] as const;
  return (text) => {
    const masked = masks.reduce(
      (left, [secret, mask]) => (secret ? left.replaceAll(secret, mask) : left),
      text,
    );
    return masked.replace(/\p{Cc}/gu, escapeOf);
  };
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
