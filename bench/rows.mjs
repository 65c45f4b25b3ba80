/**
 * Rounds → rows: medians over rounds, and ratios as medians of each round's own ratio, since what disturbs the
 * machine disturbs neighbours in a round alike. A row with one wrong answer has no numbers.
 */

export const YARDSTICK = 'bare-with-checks';
export const SDKS = ['sdk-v1', 'sdk-v2'];

/** @typedef {import('./measure.mjs').Round} Round */

/**
 * @typedef {object} Row
 * @property {string} peer
 * @property {'measured' | 'refused' | 'failed'} state refused = it answered wrongly; failed = it did not run
 * @property {string[]} problems
 * @property {number} wrong
 * @property {Numbers | undefined} numbers
 * @property {Round[]} rounds
 */

/** @typedef {Omit<Round, 'wrong' | 'problems'> & { toYardstick?: Ratio, toSdk?: Ratio }} Numbers */

/**
 * How many times the other one's: throughput, and requests for the same CPU time.
 * @typedef {{ byThroughput: number, byCpu: number }} Ratio
 */

/**
 * @param {ReadonlyMap<string, { rounds: Round[], failure: string | undefined }>} measured by peer
 * @returns {Row[]}
 */
export function rowsOf(measured) {
  const good = new Map(
    [...measured].flatMap(([peer, { rounds, failure }]) =>
      failure === undefined && rounds.length > 0 && rounds.every(({ wrong }) => wrong === 0)
        ? [[peer, rounds]]
        : [],
    ),
  );
  const sdk = fasterOf(SDKS, good);
  return [...measured].map(([peer, { rounds, failure }]) => {
    const wrong = rounds.reduce((sum, round) => sum + round.wrong, 0);
    const own = good.get(peer);
    if (own === undefined) {
      const problems =
        failure === undefined ? [...new Set(rounds.flatMap((round) => round.problems))] : [failure];
      return {
        peer,
        state: wrong > 0 ? 'refused' : 'failed',
        problems,
        wrong,
        numbers: undefined,
        rounds: [],
      };
    }
    const numbers = {
      ...medians(own),
      ...ratioIfAny('toYardstick', own, good.get(YARDSTICK)),
      ...ratioIfAny('toSdk', own, sdk === undefined ? undefined : good.get(sdk)),
    };
    return { peer, state: 'measured', problems: [], wrong: 0, numbers, rounds: own };
  });
}

/**
 * @param {readonly Round[]} own
 * @param {readonly Round[]} other
 * @returns {Ratio}
 */
export function ratio(own, other) {
  const pairs = own.flatMap((round, i) => (other[i] === undefined ? [] : [[round, other[i]]]));
  return {
    byThroughput: median(pairs.map(([a, b]) => (a?.perSecond ?? 0) / (b?.perSecond ?? 1))),
    byCpu: median(pairs.map(([a, b]) => (b?.cpuMicroseconds ?? 0) / (a?.cpuMicroseconds ?? 1))),
  };
}

/**
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, Round[]>} measured
 * @returns {string | undefined} the one with the most throughput
 */
export function fasterOf(names, measured) {
  const perSecond = (/** @type {string} */ name) =>
    median((measured.get(name) ?? []).map((round) => round.perSecond));
  return names.filter((name) => measured.has(name)).toSorted((a, b) => perSecond(b) - perSecond(a))[0];
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? 0) + upper) / 2 : upper;
}

/** @param {readonly Round[]} rounds */
function medians(rounds) {
  const of = (/** @type {(round: Round) => number} */ read) => median(rounds.map(read));
  return {
    requests: of((round) => round.requests),
    perSecond: of((round) => round.perSecond),
    cpuMicroseconds: of((round) => round.cpuMicroseconds),
    busy: of((round) => round.busy),
    loadBusy: of((round) => round.loadBusy),
    p50: of((round) => round.p50),
    p99: of((round) => round.p99),
    non2xx: of((round) => round.non2xx),
  };
}

/**
 * @param {'toYardstick' | 'toSdk'} name
 * @param {readonly Round[]} own
 * @param {readonly Round[] | undefined} other
 */
function ratioIfAny(name, own, other) {
  return other === undefined ? {} : { [name]: ratio(own, other) };
}
