/**
 * A request as people have it: raw HTTP from a log (with `> ` in front of its lines or not, with any line ends), or
 * a curl command. Gives the bytes to send and says what it had to assume about them.
 */
import { shellWords } from './shell-words.js';

export interface PastedRequest {
  readonly bytes: Uint8Array;
  /** First values by lower-case name, for what `explain` has to know beforehand. */
  readonly headers: ReadonlyMap<string, string>;
  readonly startLine: string;
  readonly notes: readonly string[];
}

export type PasteResult =
  { readonly ok: true; readonly request: PastedRequest } | { readonly ok: false; readonly problem: string };

export function readPasted(text: string): PasteResult {
  const trimmed = text.replace(/^\s+/, '');
  if (trimmed === '') return { ok: false, problem: 'nothing was pasted' };
  return /^curl\s/.test(trimmed) ? readCurl(trimmed) : readRaw(trimmed);
}

function readRaw(text: string): PasteResult {
  const notes: string[] = [];
  let request = text;
  if (/^> \S+ \S+ HTTP\//m.test(request)) {
    request = linesOfCurlLog(request);
    notes.push('lines of a `curl -v` log: the text behind `> `, and no body, which such a log leaves out');
  }
  const lines = request.split(/\r\n|\n/);
  if (!/^\S+ \S+ HTTP\/\d\.\d$/.test(lines[0] ?? '')) {
    return { ok: false, problem: 'the first line is neither `METHOD target HTTP/1.1` nor a curl command' };
  }
  if (!request.includes('\r\n')) notes.push('line ends were LF and are sent as CRLF, as on the wire');
  const headEnd = lines.indexOf('');
  const head = headEnd < 0 ? lines : lines.slice(0, headEnd);
  const separator = request.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n';
  const at = headEnd < 0 ? -1 : request.indexOf(separator);
  let body = at < 0 ? '' : request.slice(at + separator.length);
  const headers = headersOf(head.slice(1));
  const announced = Number(headers.get('content-length'));
  const stripped = body.replace(/\r?\n$/, '');
  if (stripped !== body && Buffer.byteLength(stripped) === announced) {
    body = stripped;
    notes.push('a line end behind the body, which an editor adds, was taken away');
  }
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { ok: true, request: { bytes, headers, startLine: head[0] ?? '', notes } };
}

function linesOfCurlLog(text: string): string {
  return `${text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('>'))
    .map((line) => line.slice(2))
    .join('\n')
    .trimEnd()}\n\n`;
}

function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

const IGNORED_FLAGS: ReadonlySet<string> = new Set([
  '-s',
  '-S',
  '-sS',
  '-i',
  '-v',
  '-k',
  '-N',
  '-L',
  '-f',
  '--silent',
  '--show-error',
  '--include',
  '--verbose',
  '--insecure',
  '--no-buffer',
  '--location',
  '--fail',
  '--compressed',
  '--http1.1',
]);
const IGNORED_WITH_VALUE: ReadonlySet<string> = new Set([
  '-m',
  '--max-time',
  '-o',
  '--output',
  '--connect-timeout',
  '-w',
]);

/** What curl would send for this command (curl(1)), as far as MCP clients and people need it. */
function readCurl(command: string): PasteResult {
  const words = shellWords(command)?.slice(1);
  if (words === undefined) return { ok: false, problem: 'a quote in the curl command is not closed' };
  let method: string | undefined;
  let url: string | undefined;
  let body: string | undefined;
  let isJson = false;
  const fields: Array<[name: string, value: string]> = [];
  const notes: string[] = [];

  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = (): string => words[++at] ?? '';
    if (word === '-X' || word === '--request') method = value();
    else if (word === '-I' || word === '--head') method = 'HEAD';
    else if (word === '-H' || word === '--header') addField(fields, value());
    else if (word === '-A' || word === '--user-agent') fields.push(['User-Agent', value()]);
    else if (word === '--url') url = value();
    else if (word === '--json') {
      body = `${body ?? ''}${value()}`;
      isJson = true;
    } else if (['-d', '--data', '--data-raw', '--data-binary', '--data-ascii'].includes(word)) {
      const data = value();
      if (data.startsWith('@') && word !== '--data-raw') {
        return {
          ok: false,
          problem: 'a curl body from a file (@…) is not read: paste it in place of the name',
        };
      }
      body = body === undefined ? data : `${body}&${data}`;
    } else if (IGNORED_WITH_VALUE.has(word)) at++;
    else if (word.startsWith('-')) {
      if (!IGNORED_FLAGS.has(word)) notes.push(`curl option ${word} is left out`);
    } else url = word;
  }
  if (url === undefined) return { ok: false, problem: 'the curl command has no URL' };
  const address = parseUrl(url);
  if (address === undefined) return { ok: false, problem: 'the URL of the curl command cannot be read' };

  const has = (name: string): boolean => fields.some(([other]) => other.toLowerCase() === name);
  const defaults: Array<[string, string]> = [];
  if (!has('host')) defaults.push(['Host', address.host]);
  if (!has('user-agent')) defaults.push(['User-Agent', 'curl/8']);
  if (!has('accept')) defaults.push(['Accept', isJson ? 'application/json' : '*/*']);
  if (body !== undefined && !has('content-type')) {
    defaults.push(['Content-Type', isJson ? 'application/json' : 'application/x-www-form-urlencoded']);
  }
  if (body !== undefined && !has('content-length'))
    defaults.push(['Content-Length', String(Buffer.byteLength(body))]);
  notes.push(
    'a curl command: what curl adds by itself was added (Host, User-Agent, Accept, Content-Type, Content-Length)',
  );

  const startLine = `${method ?? (body === undefined ? 'GET' : 'POST')} ${address.target} HTTP/1.1`;
  const lines = [...defaults, ...fields].map(([name, value]) => `${name}: ${value}`);
  const bytes = Buffer.from(`${[startLine, ...lines].join('\r\n')}\r\n\r\n${body ?? ''}`);
  return { ok: true, request: { bytes, headers: headersOf(lines), startLine, notes } };
}

/** `-H 'Name: value'`; `-H 'Name;'` sends it empty. */
function addField(fields: Array<[string, string]>, line: string): void {
  const colon = line.indexOf(':');
  if (colon > 0) fields.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  else if (line.endsWith(';')) fields.push([line.slice(0, -1), '']);
}

function parseUrl(url: string): { readonly host: string; readonly target: string } | undefined {
  const parts = /^(?:https?:\/\/)?(?<host>[^/?#]+)(?<target>[^#]*)/i.exec(url)?.groups;
  if (parts?.['host'] === undefined) return undefined;
  const target = parts['target'] ?? '';
  return { host: parts['host'], target: target.startsWith('/') ? target : `/${target}` };
}
