/** No decision hangs on something that another build or another NODE_ENV switches off. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }));

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
}

test('there is something to look at', () => {
  expect(sources.length).toBeGreaterThan(50);
});

test('no source asserts, for an assertion is not a refusal', () => {
  expect(filesWith(/from '(?:node:)?assert(?:\/strict)?'|require\(|console\.assert|debugger;/)).toEqual([]);
});

test('NODE_ENV is read in one place: whether a token may be made up', () => {
  expect(filesWith(/NODE_ENV/)).toEqual(['serve.ts']);
  const serve = sources.find(({ name }) => name === 'serve.ts')?.text ?? '';
  expect(serve.match(/\['NODE_ENV'\]/g)).toHaveLength(1);
});
