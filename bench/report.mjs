/** Rows, memory and goals as text for a person. Aligned columns; nothing is decided here. */

/** @typedef {import('./rows.mjs').Row} Row */

const LOAD_LIMIT = 0.93;

const COLUMNS = [
  'peer',
  'req/s',
  '× checks',
  '× SDK',
  'CPU µs/req',
  '× checks CPU',
  'p50 ms',
  'p99 ms',
  'non-2xx',
  'busy',
  'load',
];

/**
 * @param {string} title
 * @param {readonly Row[]} rows
 * @param {(peer: string) => string} titleOf
 */
export function tableOf(title, rows, titleOf) {
  const measured = rows.flatMap(({ peer, numbers }) =>
    numbers === undefined
      ? []
      : [
          [
            titleOf(peer),
            String(Math.round(numbers.perSecond)),
            times(numbers.toYardstick?.byThroughput),
            times(numbers.toSdk?.byThroughput),
            numbers.cpuMicroseconds.toFixed(1),
            times(numbers.toYardstick?.byCpu),
            numbers.p50.toFixed(2),
            numbers.p99.toFixed(2),
            String(numbers.non2xx),
            share(numbers.busy),
            share(numbers.loadBusy),
          ],
        ],
  );
  const refused = rows
    .filter(({ state }) => state !== 'measured')
    .map(({ peer, state, wrong, problems }) => {
      const why = state === 'refused' ? `${wrong} wrong answers, no numbers` : 'did not run';
      return `${titleOf(peer)}: ${why}: ${problems.join('; ')}`;
    });
  return [
    title,
    ...(measured.length > 0 ? aligned([COLUMNS, ...measured]) : []),
    ...refused,
    ...loadNotes(rows, titleOf),
  ].join('\n');
}

/**
 * @param {ReadonlyMap<string, import('./memory.mjs').Memory>} memory
 * @param {(peer: string) => string} titleOf
 */
export function memoryTable(memory, titleOf) {
  const rows = [...memory].map(([peer, { rssPerSession, livePerSession }]) => [
    titleOf(peer),
    kib(rssPerSession),
    kib(livePerSession),
  ]);
  const header = ['peer', 'RSS KiB', 'live KiB'];
  return ['memory for each of 10,000 idle sessions', ...aligned([header, ...rows])].join('\n');
}

/** @param {{ requests: number, live: readonly number[], bytesPerRequest: number }} soaked */
export function soakText({ requests, live, bytesPerRequest }) {
  const points = live.map((bytes) => (bytes / 1024 / 1024).toFixed(2)).join(', ');
  return [
    `${requests} pings on one session: live MiB after each tenth`,
    points,
    `${bytesPerRequest.toFixed(3)} bytes kept for each ping after the first tenth`,
  ].join('\n');
}

/** @param {readonly import('./goals.mjs').Goal[]} goals */
export function goalsText(goals) {
  const lines = goals.map(({ text, verdict, found }) => [text, verdict, found]);
  return ['goals', ...aligned(lines, 3)].join('\n');
}

/**
 * Where the load itself was near the end of its core, the server may have had more to give.
 * @param {readonly Row[]} rows
 * @param {(peer: string) => string} titleOf
 */
function loadNotes(rows, titleOf) {
  const limited = rows.filter(({ numbers }) => (numbers?.loadBusy ?? 0) > LOAD_LIMIT);
  if (limited.length === 0) return [];
  const names = limited.map(({ peer }) => titleOf(peer)).join('; ');
  return [`the load was the limit, so read the ratio by CPU time: ${names}`];
}

/**
 * The first `left` columns to the left, the others to the right.
 * @param {readonly (readonly string[])[]} rows
 */
function aligned(rows, left = 1) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i < left ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** @param {number | undefined} value */
function times(value) {
  return value === undefined ? '' : value.toFixed(2);
}

/** @param {number} value */
function share(value) {
  return `${Math.round(value * 100)}%`;
}

/** @param {number} bytes */
function kib(bytes) {
  return (bytes / 1024).toFixed(2);
}
