import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { REQUIREMENTS } from '../requirements.js';

const TESTS = new URL('../', import.meta.url);
const CITATION = /\[([A-Z][A-Z0-9]*\.[a-z0-9-]+)\]/g;

function testFiles(): URL[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => new URL(name, TESTS));
}

function citations(): Map<string, string[]> {
  const filesByRow = new Map<string, string[]>();
  for (const file of testFiles()) {
    for (const [, row = ''] of readFileSync(file, 'utf8').matchAll(CITATION)) {
      filesByRow.set(row, [...(filesByRow.get(row) ?? []), file.href]);
    }
  }
  return filesByRow;
}

test('every row of the contract is cited by a test, and every citation is a row', () => {
  const cited = citations();
  const uncited = Object.keys(REQUIREMENTS).filter((row) => !cited.has(row));
  const unknown = [...cited.keys()].filter((row) => !Object.hasOwn(REQUIREMENTS, row));
  expect({ uncited, unknown }).toEqual({ uncited: [], unknown: [] });
});

test('README.md has a row for each behaviour of real clients, and no other', () => {
  const readme = readFileSync(new URL('../README.md', TESTS), 'utf8');
  const told = new Set([...readme.matchAll(CITATION)].map(([, row]) => row));
  expect(told).toEqual(new Set(Object.keys(REQUIREMENTS).filter((row) => row.startsWith('R.'))));
});
