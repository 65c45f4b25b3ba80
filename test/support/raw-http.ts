/**
 * HTTP/1.1 by hand over a real socket: bytes go out exactly as given, and answers are read by their framing
 * (Content-Length or chunked), so that a test sees what a client would see and nothing is smoothed over.
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; values of a repeated field joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Head and body as they came (chunk framing left out), for searches. */
  readonly text: string;
}

export class RawConnection {
  #received = Buffer.alloc(0);
  #ended = false;
  #failure: Error | undefined;
  readonly #wake = new Set<() => void>();

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#notify();
    });
    socket.on('error', (error) => {
      this.#failure = error;
      this.#notify();
    });
    socket.on('close', () => {
      this.#ended = true;
      this.#notify();
    });
    socket.on('end', () => {
      this.#ended = true;
      this.#notify();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return connection;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next whole answer; rejects when the connection ends before it, or after `timeoutMs`. */
  async answer(timeoutMs = 8000): Promise<RawAnswer> {
    return this.#until(() => this.#takeAnswer(), timeoutMs, 'no whole answer');
  }

  /** Resolves when the server has closed its side; true when nothing more came before that. */
  async closed(timeoutMs = 8000): Promise<boolean> {
    await this.#until(() => (this.#ended ? true : undefined), timeoutMs, 'the connection stays open');
    return this.#received.length === 0;
  }

  /** What has come and was not taken as an answer. */
  get rest(): string {
    return this.#received.toString('latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }

  #notify(): void {
    for (const wake of this.#wake) wake();
  }

  async #until<T>(take: () => T | undefined, timeoutMs: number, what: string): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const taken = take();
      if (taken !== undefined) return taken;
      if (this.#ended) {
        throw new Error(
          `${what}: closed with ${JSON.stringify(this.rest.slice(0, 200))} (${this.#failure?.message})`,
        );
      }
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`${what} within ${timeoutMs} ms: ${JSON.stringify(this.rest.slice(0, 200))}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#wake.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, left);
        this.#wake.add(wake);
      });
    }
  }

  #takeAnswer(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = this.#received.toString('latin1', 0, headEnd);
    const [startLine = '', ...lines] = head.split('\r\n');
    const status = Number(startLine.split(' ')[1]);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    const framed = this.#takeBody(status, headers, headEnd + 4);
    if (framed === undefined) return undefined;
    const { body, end } = framed;
    this.#received = this.#received.subarray(end);
    return { status, headers, body, text: `${head}\r\n\r\n${body}` };
  }

  #takeBody(
    status: number,
    headers: ReadonlyMap<string, string>,
    start: number,
  ): { body: string; end: number } | undefined {
    if (status === 204 || status === 304 || (status >= 100 && status < 200)) return { body: '', end: start };
    if (headers.get('transfer-encoding') === 'chunked') return this.#takeChunks(start);
    const length = Number(headers.get('content-length') ?? '0');
    if (this.#received.length < start + length) return undefined;
    return { body: this.#received.toString('utf8', start, start + length), end: start + length };
  }

  #takeChunks(start: number): { body: string; end: number } | undefined {
    const parts: Buffer[] = [];
    let at = start;
    for (;;) {
      const lineEnd = this.#received.indexOf('\r\n', at);
      if (lineEnd < 0) return undefined;
      const size = Number.parseInt(this.#received.toString('latin1', at, lineEnd), 16);
      const dataStart = lineEnd + 2;
      if (this.#received.length < dataStart + size + 2) return undefined;
      if (size === 0) return { body: Buffer.concat(parts).toString('utf8'), end: dataStart + 2 };
      parts.push(this.#received.subarray(dataStart, dataStart + size));
      at = dataStart + size + 2;
    }
  }
}
