/*
 * Reads the Bearer challenge of an answer (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9728 §5.1) by its grammar.
 */
import type { HeaderLine } from './exchange.js';

/** token or token68 start, and `name = token / quoted-string` (RFC 9110 §11.2, §5.6.4). */
const PARAMETER =
  /\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))\s*(?:,|$)/y;

/** The parameters of the first Bearer challenge, names in lower case; undefined if there is none. */
export function bearerChallengeOf(headers: readonly HeaderLine[]): ReadonlyMap<string, string> | undefined {
  for (const [name, value] of headers) {
    if (name.toLowerCase() !== 'www-authenticate' || !/^bearer(\s|$)/i.test(value)) continue;
    const parameters = new Map<string, string>();
    const rest = value.slice('bearer'.length);
    PARAMETER.lastIndex = 0;
    for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
      const [, key = '', quoted, plain = ''] = found;
      parameters.set(key.toLowerCase(), quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'));
    }
    return parameters;
  }
  return undefined;
}
