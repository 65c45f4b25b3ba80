/** All latencies of a run, exactly: percentiles from buckets would hide what a server does at its worst. */

const FIRST_CAPACITY = 65_536;

export class Latencies {
  #values = new Float64Array(FIRST_CAPACITY);
  #count = 0;

  get count() {
    return this.#count;
  }

  /** @param {number} milliseconds */
  add(milliseconds) {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = milliseconds;
  }

  /** Nearest rank; 0 when there is none. */
  percentiles() {
    const sorted = this.#values.subarray(0, this.#count).toSorted();
    const at = (/** @type {number} */ share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return { p50: at(0.5), p99: at(0.99) };
  }
}
