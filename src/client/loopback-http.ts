/**
 * HTTP to one loopback URL: sends, reads by content type, counts round trips, and shows each one to whoever wants
 * to watch. Knows neither MCP nor tokens.
 */
import { type HttpAnswer, readAnswer } from './answer.js';
import { ClientError } from './client-error.js';
import { exchangeBytes, type ExchangeRequest } from './http-exchange.js';
import { type LoopbackAddress, parseLoopbackUrl } from './loopback-url.js';

const DEFAULT_TIMEOUT_MS = 5000;
const DEFAULT_MAX_ANSWER_BYTES = 64 * 1024;

export interface RoundTrip {
  /** From 1 on, in the order in which they were begun. */
  readonly number: number;
  readonly path: string;
  readonly request: ExchangeRequest;
  /** The answer, or why there is none that can be read. */
  readonly outcome: HttpAnswer | ClientError;
}

export interface LoopbackHttpOptions {
  /** Milliseconds for one whole round trip; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of one answer's body; default 65,536. */
  readonly maxAnswerBytes?: number | undefined;
  readonly onRoundTrip?: ((roundTrip: RoundTrip) => void) | undefined;
}

export class LoopbackHttp {
  readonly #address: LoopbackAddress;
  readonly #options: LoopbackHttpOptions;
  #begun = 0;
  #completed = 0;

  /** @throws ClientError `not_loopback` */
  constructor(url: string, options: LoopbackHttpOptions = {}) {
    this.#address = parseLoopbackUrl(url);
    this.#options = options;
  }

  /** Requests that were answered whole, whatever the answer. */
  get roundTrips(): number {
    return this.#completed;
  }

  /** @throws ClientError */
  async exchange(request: ExchangeRequest): Promise<HttpAnswer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } = this.#options;
    const number = ++this.#begun;
    const show = (outcome: HttpAnswer | ClientError): void =>
      this.#options.onRoundTrip?.({ number, path: this.#address.path, request, outcome });
    try {
      const bytes = await exchangeBytes(this.#address, request, { timeoutMs, maxAnswerBytes });
      this.#completed++;
      const answer = readAnswer(bytes);
      show(answer);
      return answer;
    } catch (error) {
      if (error instanceof ClientError) show(error);
      throw error;
    }
  }
}
