/** Which version of a package runs, as its own package.json says. */
import { readFileSync } from 'node:fs';

/** @param {readonly string[]} names of installed packages */
export function versionsOf(names) {
  return Object.fromEntries(names.map((name) => [name, versionIn(`node_modules/${name}/`)]));
}

/** @param {string} folder of a package.json, from the root of the project */
export function versionIn(folder) {
  const file = new URL(`../../${folder}package.json`, import.meta.url);
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}
