/**
 * The tables of the README that come from the code: gates, public codes and settings. `node test/readme.mjs --write` puts
 * them between their markers; without it the exit code says whether they are current. Reads the built code.
 */
import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { settingDescriptors } from '../dist/config/setting.js';
import { BoundarySettings } from '../dist/config/settings.js';
import { CATALOG } from '../dist/errors/catalog.js';
import { GATE_LIST } from '../dist/gate-trace.js';

const README = new URL('../README.md', import.meta.url);

function shown(value) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${Array.isArray(value) ? value.join(',') : value}\``;
}

function settingsTable() {
  const defaults = new BoundarySettings();
  return [
    '| variable | default | allowed | meaning |',
    '|---|---|---|---|',
    ...settingDescriptors().map(
      ({ env, property, bounds, about }) =>
        `| \`${env}\` | ${shown(defaults[property])} | ${bounds} | ${about} |`,
    ),
  ].join('\n');
}

function codesTable() {
  return [
    '| code | status | meaning |',
    '|---|---|---|',
    ...Object.entries(CATALOG).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    ),
  ].join('\n');
}

function gatesTable() {
  return [
    '| # | the gate asks | and refuses with |',
    '|---|---|---|',
    ...GATE_LIST.map(({ number, asks, codes }) => {
      const refusals = codes.map((code) => `${CATALOG[code].status} \`${code}\``).join(', ');
      return `| ${number} | ${asks}? | ${refusals} |`;
    }),
    '| 11 | the method runs | a JSON-RPC answer with HTTP 200, errors too |',
  ].join('\n');
}

const tables = { gates: gatesTable(), settings: settingsTable(), codes: codesTable() };
const current = readFileSync(README, 'utf8');
let renewed = current;
for (const [name, table] of Object.entries(tables)) {
  const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- ${name}: end -->`];
  const from = renewed.indexOf(begin);
  const to = renewed.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no place for ${name}`);
  renewed = `${renewed.slice(0, from + begin.length)}\n\n${table}\n\n${renewed.slice(to)}`;
}

if (process.argv.includes('--write')) {
  writeFileSync(README, renewed);
} else if (renewed !== current) {
  process.stderr.write('README.md: tables are not current; run node test/readme.mjs --write\n');
  process.exitCode = 1;
}
