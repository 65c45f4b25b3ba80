/**
 * One client of a run: sends a request, waits for its answer, sends the next; on the same connection, or on a new
 * one each time once the server has closed the last. What is sent, counted and judged is the run's business.
 */
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';

/**
 * @typedef {object} Script
 * @property {number} port
 * @property {boolean} closes
 * @property {() => Uint8Array | undefined} next the next request; undefined = enough
 * @property {(answer: import('./answer-reader.mjs').Answer, milliseconds: number) => void} answered
 * @property {(problem: string) => void} failed the connection is of no more use
 * @property {() => void} done
 */

export class Connection {
  #script;
  /** @type {import('node:net').Socket | undefined} */
  #socket;
  #reader = new AnswerReader();
  #sentAt = 0;
  #isWaiting = false;
  #isOver = false;

  /** @param {Script} script */
  constructor(script) {
    this.#script = script;
  }

  start() {
    this.#proceed();
  }

  destroy() {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  #proceed() {
    const request = this.#script.next();
    if (request === undefined) {
      this.destroy();
      this.#script.done();
      return;
    }
    this.#isWaiting = true;
    // A connection is part of the time when each request needs its own.
    this.#sentAt = performance.now();
    this.#socket ??= this.#connect();
    this.#socket.write(request);
  }

  #connect() {
    this.#reader = new AnswerReader();
    const socket = connect({ port: this.#script.port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error.message));
    socket.on('close', () => this.#closed());
    return socket;
  }

  /** @param {Buffer} chunk */
  #receive(chunk) {
    if (this.#isOver) return;
    let answer;
    try {
      answer = this.#reader.push(chunk);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      return;
    }
    if (answer === undefined) return;
    if (!this.#isWaiting) {
      this.#fail('an answer that nobody asked for');
      return;
    }
    this.#isWaiting = false;
    this.#script.answered(answer, performance.now() - this.#sentAt);
    if (!this.#script.closes && !this.#isOver) this.#proceed();
  }

  #closed() {
    this.#socket = undefined;
    if (this.#isOver) return;
    if (this.#isWaiting) this.#fail('the connection was closed before the answer');
    else if (this.#script.closes) this.#proceed();
    else this.#fail('the connection was closed by the server');
  }

  /** @param {string} problem */
  #fail(problem) {
    if (this.#isOver) return;
    this.destroy();
    this.#script.failed(problem);
    this.#script.done();
  }
}
