/**
 * One measured stretch: so many connections, each with one request under way, until the time or the number of
 * requests is over. Gives throughput, latencies and everything that was wrong.
 */
import { AnswerJudge } from './answer-judge.mjs';
import { Connection } from './connection.mjs';
import { Latencies } from './latencies.mjs';
import { FIRST_ID, RequestBytes } from './request-bytes.mjs';

/** A server that answers wrongly is not measured to the end. */
const MAX_WRONG = 20;
const SHOWN_PROBLEMS = 3;
/** Without any answer for so long, the run is over. */
const SILENCE_MS = 10_000;

/**
 * @typedef {object} RunOptions
 * @property {number} port
 * @property {import('../workloads.mjs').Workload} workload
 * @property {number} connections
 * @property {number} seconds
 * @property {number} atLeast requests, also when the time is over
 * @property {number} atMost requests
 * @property {readonly string[]} sessions
 */

/**
 * @typedef {object} RunResult
 * @property {number} requests answered
 * @property {number} seconds from the first request to the last answer
 * @property {number} p50 milliseconds
 * @property {number} p99 milliseconds
 * @property {number} non2xx answers with another status, wanted or not
 * @property {number} wrong
 * @property {string[]} problems a few of what was wrong
 * @property {number} loadBusy share of the time in which the load itself had something to do
 */

export class Run {
  #options;
  #judge;
  #latencies = new Latencies();
  /** @type {Connection[]} */
  #connections = [];
  #open = 0;
  #sent = 0;
  #deadline = 0;
  #turnAt = 0;
  #countAtTurn = 0;
  #idleMs = 0;
  #non2xx = 0;
  #wrong = 0;
  /** @type {Set<string>} */
  #problems = new Set();

  /** @param {RunOptions} options */
  constructor(options) {
    this.#options = options;
    this.#judge = new AnswerJudge(options.workload);
  }

  /** @returns {Promise<RunResult>} */
  async result() {
    const start = performance.now();
    this.#deadline = start + this.#options.seconds * 1000;
    this.#turnAt = start;
    const over = this.#runAll();
    this.#stayAwake();
    await over;
    const seconds = (performance.now() - start) / 1000;
    return {
      requests: this.#latencies.count,
      seconds,
      ...this.#latencies.percentiles(),
      non2xx: this.#non2xx,
      wrong: this.#wrong,
      problems: [...this.#problems],
      loadBusy: 1 - this.#idleMs / 1000 / seconds,
    };
  }

  /**
   * The load never sleeps: waking it up costs the server that writes to it as much as half of its own work, and the
   * slower the server, the more often it would pay. A turn of the loop without an answer is idle time.
   */
  #stayAwake() {
    const now = performance.now();
    const { count } = this.#latencies;
    if (count === this.#countAtTurn) this.#idleMs += now - this.#turnAt;
    this.#countAtTurn = count;
    this.#turnAt = now;
    if (this.#open > 0) setImmediate(() => this.#stayAwake());
  }

  /** @returns {Promise<void>} */
  #runAll() {
    const { connections } = this.#options;
    return new Promise((resolve) => {
      let seen = 0;
      const watch = setInterval(() => {
        if (this.#latencies.count === seen) {
          this.#note('no answer');
          for (const connection of this.#connections) connection.destroy();
          settle();
        }
        seen = this.#latencies.count;
      }, SILENCE_MS);
      const settle = () => {
        clearInterval(watch);
        resolve();
      };
      this.#open = connections;
      this.#connections = Array.from({ length: connections }, () => this.#connection(settle));
      for (const connection of this.#connections) connection.start();
    });
  }

  /** @param {() => void} settle called after the last connection */
  #connection(settle) {
    const { port, workload, sessions } = this.#options;
    const isSessionless = workload.sessions === 0;
    const bytes = new RequestBytes(port, workload, isSessionless ? undefined : sessions[0]);
    let id = '';
    return new Connection({
      port,
      closes: workload.closes,
      next: () => {
        if (this.#isEnough()) return undefined;
        const number = this.#sent++;
        id = String(FIRST_ID + number);
        return bytes.with(id, isSessionless ? undefined : sessions[number % sessions.length]);
      },
      answered: (answer, milliseconds) => {
        this.#latencies.add(milliseconds);
        if (answer.status < 200 || answer.status > 299) this.#non2xx++;
        const problem = this.#judge.problem(answer, id);
        if (problem !== undefined) this.#note(problem);
      },
      failed: (problem) => this.#note(problem),
      done: () => {
        this.#open--;
        if (this.#open === 0) settle();
      },
    });
  }

  #isEnough() {
    const { atLeast, atMost } = this.#options;
    if (this.#sent >= atMost || this.#wrong >= MAX_WRONG) return true;
    return this.#sent >= atLeast && performance.now() >= this.#deadline;
  }

  /** @param {string} problem */
  #note(problem) {
    this.#wrong++;
    if (this.#problems.size < SHOWN_PROBLEMS) this.#problems.add(problem);
  }
}
