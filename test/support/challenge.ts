/** Reads a WWW-Authenticate header by its grammar (RFC 9110 section 11.6.1): one challenge, every value quoted. */

export interface Challenge {
  readonly scheme: string;
  /** In the order in which they stand. */
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>;
}

const SCHEME = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+) /y;
const PARAMETER = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)="((?:[\t !#-[\]-~]|\\[\t -~])*)"/y;
const SEPARATOR = /[\t ]*,[\t ]*/y;

export function parseChallenge(header: string | undefined): Challenge {
  if (header === undefined) throw new Error('there is no challenge');
  let at = 0;
  const take = (grammar: RegExp): RegExpExecArray | undefined => {
    grammar.lastIndex = at;
    const found = grammar.exec(header);
    if (found !== null) at = grammar.lastIndex;
    return found ?? undefined;
  };
  const fail = (what: string): never => {
    throw new Error(`no ${what} at ${at} of ${JSON.stringify(header)}`);
  };
  const scheme = take(SCHEME)?.[1] ?? fail('scheme');
  const parameters: Array<[string, string]> = [];
  do {
    const [, name = '', value = ''] = take(PARAMETER) ?? fail('parameter');
    parameters.push([name, value.replace(/\\(.)/g, '$1')]);
  } while (take(SEPARATOR) !== undefined);
  if (at !== header.length) fail('end');
  return { scheme, parameters };
}
