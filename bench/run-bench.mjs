/**
 * Every workload on every peer, in alternating rounds; tables as they come, then goals and the JSON file. What to
 * measure, how to judge and how to show is in files of their own.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { goalsOf } from './goals.mjs';
import { measure } from './measure.mjs';
import { measureMemory } from './memory.mjs';
import { canAnswer } from './peers.mjs';
import { goalsText, memoryTable, soakText, tableOf } from './report.mjs';
import { rowsOf } from './rows.mjs';
import { soak } from './soak.mjs';
import { MEMORY, workloadNamed } from './workloads.mjs';

/** @typedef {import('./bench-processes.mjs').BenchProcesses} BenchProcesses */
/** @typedef {import('./options.mjs').Options} Options */
/** @typedef {{ node: string, versions: Record<string, string> }} Platform what was measured, told by the servers */

const SOAKED = 'standalone';

/**
 * @param {Options} options
 * @param {BenchProcesses} processes
 * @param {boolean} isPinned
 * @returns {Promise<boolean>} whether every peer ran and answered rightly
 */
export async function runBench(options, processes, isPinned) {
  const titles = new Map(options.peers.map(({ name, title }) => [name, title]));
  const titleOf = (/** @type {string} */ name) => titles.get(name) ?? name;
  print(isPinned ? 'server and load on a core each' : 'server and load not pinned: ratios are rough');

  /** @type {Platform} */
  const platform = { node: '', versions: {} };
  /** @type {Map<string, import('./rows.mjs').Row[]>} */
  const rows = new Map();
  for (const name of options.workloads.filter((workload) => workload !== MEMORY)) {
    const workload = workloadNamed(name);
    const measured = rowsOf(await alternate(options, processes, workload, platform));
    rows.set(name, measured);
    print(tableOf(workload.title, measured, titleOf));
  }

  /** @type {string[]} */
  const failures = [];
  const memory = await memories(options, processes, failures);
  for (const { node } of memory.values()) platform.node = node;
  if (memory.size > 0) print(memoryTable(memory, titleOf));
  const soaked = options.soak ? await soakOurs(options, processes, failures) : undefined;
  if (soaked !== undefined) print(soakText(soaked));
  for (const failure of failures) print(failure);

  const nodeMajor = Number(/^v(\d+)/.exec(platform.node)?.[1] ?? 0);
  const goals = goalsOf({ nodeMajor, rows, memory, soak: soaked });
  print(goalsText(goals));
  const { rounds, seconds, connections } = options;
  write(options.json, {
    ...platform,
    cpu: cpus()[0]?.model,
    pinned: isPinned,
    rounds,
    seconds,
    connections,
    workloads: Object.fromEntries(rows),
    memory: Object.fromEntries(memory),
    soak: soaked,
    goals,
  });
  return failures.length === 0 && [...rows.values()].flat().every(({ state }) => state === 'measured');
}

/**
 * Round by round, every peer in turn, another one first each time.
 * @param {Options} options
 * @param {BenchProcesses} processes
 * @param {import('./workloads.mjs').Workload} workload
 * @param {Platform} platform filled in
 */
async function alternate(options, processes, workload, platform) {
  const peers = options.peers.filter((peer) => canAnswer(peer, workload.name));
  /** @type {Map<string, { rounds: import('./measure.mjs').Round[], failure: string | undefined }>} */
  const measured = new Map(peers.map(({ name }) => [name, { rounds: [], failure: undefined }]));
  for (let round = 0; round < options.rounds; round++) {
    const first = peers.length === 0 ? 0 : round % peers.length;
    for (const peer of [...peers.slice(first), ...peers.slice(0, first)]) {
      const found = measured.get(peer.name);
      if (found === undefined || found.failure !== undefined) continue;
      try {
        const one = await measure(processes, peer, workload, options);
        found.rounds.push(one.round);
        platform.node = one.node;
        Object.assign(platform.versions, one.versions);
      } catch (error) {
        found.failure = messageOf(error);
      }
    }
  }
  return measured;
}

/**
 * @param {Options} options
 * @param {BenchProcesses} processes
 * @param {string[]} failures added to
 */
async function memories(options, processes, failures) {
  /** @type {Map<string, import('./memory.mjs').Memory>} */
  const memory = new Map();
  if (!options.workloads.includes(MEMORY)) return memory;
  for (const peer of options.peers.filter((peer) => canAnswer(peer, MEMORY))) {
    try {
      memory.set(peer.name, await measureMemory(processes, peer, options));
    } catch (error) {
      failures.push(`memory of ${peer.name}: ${messageOf(error)}`);
    }
  }
  return memory;
}

/**
 * @param {Options} options
 * @param {BenchProcesses} processes
 * @param {string[]} failures added to
 */
async function soakOurs(options, processes, failures) {
  const ours = options.peers.find(({ name }) => name === SOAKED);
  try {
    return ours && (await soak(processes, ours, options));
  } catch (error) {
    failures.push(`soak: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {object} results
 */
function write(file, results) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** @param {string} text one paragraph */
function print(text) {
  process.stdout.write(`${text}\n\n`);
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
