/**
 * One HTTP/1.1 exchange by hand: the bytes go out exactly as given, right or wrong, and the answer is read by its
 * framing. For `explain` and `experiments`, whose whole point is what a client really sent. 1xx answers are skipped.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawTarget {
  readonly host: string;
  readonly port: number;
  readonly tls?: boolean;
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; the values of a repeated field joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** @returns undefined when the connection ended, or the time or the bound was over, before a whole answer came */
export function rawExchange(
  { host, port, tls = false }: RawTarget,
  request: Uint8Array,
  { timeoutMs, maxBytes }: RawLimits,
): Promise<RawAnswer | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = tls ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    let received = Buffer.alloc(0);
    function finish(answer: RawAnswer | undefined): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    }
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = readRawAnswer(received, false);
      if (answer !== undefined || received.length > maxBytes) finish(answer);
    });
    socket.once('end', () => finish(readRawAnswer(received, true)));
    socket.once('error', () => finish(readRawAnswer(received, true)));
    socket.write(request);
  });
}

/** @param isWhole true when no more bytes will come, so that a body without framing ends here */
function readRawAnswer(bytes: Buffer, isWhole: boolean): RawAnswer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [startLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(startLine.split(' ')[1]);
  const rest = bytes.subarray(headEnd + 4);
  if (status >= 100 && status < 200) return readRawAnswer(rest, isWhole);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = line.slice(name.length + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const body = status === 204 || status === 304 ? '' : readBody(rest, headers, isWhole);
  return body === undefined ? undefined : { status, headers, body };
}

function readBody(bytes: Buffer, headers: ReadonlyMap<string, string>, isWhole: boolean): string | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes) ?? (isWhole ? '' : undefined);
  const length = headers.get('content-length');
  if (length === undefined) return isWhole ? bytes.toString('utf8') : undefined;
  // The answer to HEAD announces a length and sends nothing.
  if (bytes.length < Number(length)) return isWhole ? bytes.toString('utf8') : undefined;
  return bytes.toString('utf8', 0, Number(length));
}

function readChunks(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (!Number.isSafeInteger(size) || bytes.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
