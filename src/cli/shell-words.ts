/**
 * A command line as a shell would split it: quotes, backslashes, continued lines, `$'…'`. No expansion of any kind:
 * what is pasted is data.
 */

/** @returns undefined when a quote is not closed */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') {
      at++;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (character === "'" || character === '"') {
      const closed = readQuoted(text, at + 1, character);
      if (closed === undefined) return undefined;
      word = (word ?? '') + closed.value;
      at = closed.end;
    } else if (character === '$' && text[at + 1] === "'") {
      const closed = readQuoted(text, at + 2, "$'");
      if (closed === undefined) return undefined;
      word = (word ?? '') + closed.value;
      at = closed.end;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === undefined ? words : [...words, word];
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function readQuoted(
  text: string,
  start: number,
  quote: "'" | '"' | "$'",
): { readonly value: string; readonly end: number } | undefined {
  const closing = quote === '"' ? '"' : "'";
  let value = '';
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === closing) return { value, end: at };
    const next = text[at + 1] ?? '';
    if (character === '\\' && quote === "$'") {
      value += ESCAPES.get(next) ?? next;
      at++;
    } else if (character === '\\' && quote === '"' && '"\\$`\n'.includes(next)) {
      if (next !== '\n') value += next;
      at++;
    } else {
      value += character;
    }
  }
  return undefined;
}
