/**
 * What of a message may be shown. Findings name things by pointer; only names (methods, members) are quoted, cut
 * short, freed of control characters, and withheld when they look like a credential.
 */

const LONGEST_NAME = 64;
const WITHHELD = '(withheld)';

// Well-known credential prefixes, and any unbroken run of 24 or more token characters that has a digit.
const CREDENTIAL = /bearer\s|^(?:sk|pk|rk|ghp|gho|ghs|xox[a-z]|eyJ|AKIA|glpat)[-_A-Za-z0-9]{6,}/i;
const LONG_TOKEN = /(?=[^/.\s]*[0-9])[A-Za-z0-9_\-+=]{24,}/;

// C0 and C1 controls, and the characters that reorder or hide text on a terminal.
// oxlint-disable-next-line no-control-regex -- control characters are what it is for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Whether a string looks like a token, key or password that must not be echoed. */
export function looksSecret(text: string): boolean {
  return CREDENTIAL.test(text) || LONG_TOKEN.test(text);
}

/** A name out of a message as it may be shown. */
export function shownName(name: string): string {
  if (looksSecret(name)) return WITHHELD;
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return cut.replace(UNPRINTABLE, '\ufffd');
}

/** RFC 6901 section 3: one more reference token at the end of a pointer. Exact, so not yet for showing. */
export function pointerTo(at: string, key: string | number): string {
  if (typeof key === 'number' || !/[~/]/.test(key)) return `${at}/${key}`;
  return `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A pointer as it may be shown: member names that look like a credential are withheld. */
export function shownPointer(pointer: string): string {
  return pointer.split('/').map(shownName).join('/');
}

const SECRET_FIELDS: readonly (readonly string[])[] = [
  ['password'],
  ['passcode'],
  ['passphrase'],
  ['passwd'],
  ['pwd'],
  ['api', 'key'],
  ['apikey'],
  ['access', 'token'],
  ['accesstoken'],
  ['token'],
  ['secret'],
  ['private', 'key'],
  ['privatekey'],
  ['credit', 'card'],
  ['creditcard'],
  ['card', 'number'],
  ['cardnumber'],
  ['cvv'],
  ['cvc'],
];

/**
 * Whether a form field name asks for a secret (client/elicitation#user-interaction-model). Words are compared, in
 * any case, split at `-`, `_`, space, dot and camelCase: `apiKey`, `API-KEY` and `user_api_key` are caught,
 * `tokenizer` and `secretary` are not.
 */
export function namesSecret(field: string): boolean {
  const words = field
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [word.replace(/\d+$/, '')]);
  const singular = words.map((word) => word.replace(/s$/, ''));
  for (const secret of SECRET_FIELDS) {
    for (let at = 0; at + secret.length <= singular.length; at++) {
      if (secret.every((part, i) => singular[at + i] === part)) return true;
    }
  }
  // No boundary at all (`userapikey`, `mypassword`), or one that means nothing (`pass-word`).
  const joined = words.join('');
  return /password|passcode|passphrase|apikey|accesstoken|creditcard|privatekey/.test(joined);
}
