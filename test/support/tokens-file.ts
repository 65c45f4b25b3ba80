/** A tokens file in a directory of its own, gone after the test file. */
import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokensDocument } from './harness.mjs';

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** @param content the document, or a text that is none */
export function tokensFile(content: TokensDocument | string): string {
  const directory = mkdtempSync(join(tmpdir(), 'boundary-tokens-'));
  directories.push(directory);
  const path = join(directory, 'tokens.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
