import { readFileSync } from 'node:fs';

const { name, version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

/** `serverInfo` of the initialize result: the package's own name and version. */
export const SERVER_INFO = Object.freeze({ name, version });
