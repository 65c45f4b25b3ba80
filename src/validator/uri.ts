/**
 * Grammars of identifiers: absolute URIs (RFC 3986), URI templates (RFC 6570), MIME types (RFC 9110 section 8.3.1)
 * and timestamps (RFC 3339). Syntax only: nothing is resolved, fetched or normalized.
 */

// RFC 3986 section 2: pct-encoded, unreserved, sub-delims, and what path, query and fragment add.
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const USERINFO = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*$/;
const REG_NAME = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const IP_LITERAL = /^\[(?:[0-9A-Fa-f:.]{2,45}|v[0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]$/;
const PORT = /^[0-9]*$/;
const PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const QUERY = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;

/** RFC 3986 section 3: a URI with a scheme and something after it. */
export function isAbsoluteUri(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined) return false;
  const hash = text.indexOf('#');
  if (hash >= 0 && !QUERY.test(text.slice(hash + 1))) return false;
  const beforeFragment = hash >= 0 ? text.slice(0, hash) : text;
  const mark = beforeFragment.indexOf('?');
  if (mark >= 0 && !QUERY.test(beforeFragment.slice(mark + 1))) return false;
  const hierarchy = beforeFragment.slice(scheme.length, mark >= 0 ? mark : undefined);
  if (!hierarchy.startsWith('//')) return hierarchy.length > 0 && PATH.test(hierarchy);
  const slash = hierarchy.indexOf('/', 2);
  const authority = hierarchy.slice(2, slash < 0 ? undefined : slash);
  const path = slash < 0 ? '' : hierarchy.slice(slash);
  if (!isAuthority(authority) || !PATH.test(path)) return false;
  return authority !== '' || path !== '';
}

/** The scheme of an absolute URI in lower case, without the colon. */
export function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':')).toLowerCase();
}

/** The host of a URI with an authority (RFC 3986 section 3.2.2), or '' when it has none. */
export function hostOf(uri: string): string {
  const start = uri.indexOf('://');
  if (start < 0) return '';
  const authority = /^[^/?#]*/.exec(uri.slice(start + 3))?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/:[0-9]*$/, '');
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !USERINFO.test(authority.slice(0, at))) return false;
  const hostPort = authority.slice(at + 1);
  const bracket = hostPort.startsWith('[') ? hostPort.indexOf(']') : -1;
  const colon = hostPort.indexOf(':', bracket + 1);
  const host = colon < 0 ? hostPort : hostPort.slice(0, colon);
  const port = colon < 0 ? '' : hostPort.slice(colon + 1);
  if (!PORT.test(port)) return false;
  return host.startsWith('[') ? IP_LITERAL.test(host) : REG_NAME.test(host);
}

// RFC 6570 section 2.3: varname = varchar *( ["."] varchar ); section 2.4: `*` or `:` and 1 to 4 digits.
const VARIABLE =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9][0-9]{0,3})?$/;
const OPERATORS = '+#./;?&';
// Section 2.2: kept for later extensions.
const RESERVED_OPERATORS = '=,!@|';
// Section 2.1: any character but CTL, space, and " ' < > \ ^ ` { | }, with % only before two hex digits.
// oxlint-disable-next-line no-control-regex -- they are what it refuses
const LITERALS = /^(?:[^\u0000-\u0020\u007f"'%<>\\^`{|}]|%[0-9A-Fa-f]{2})*$/u;

/** What is wrong with a URI template by RFC 6570, in words, or undefined. */
export function uriTemplateProblem(template: string): string | undefined {
  if (template === '') return 'it is empty';
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const literals = template.slice(at, open < 0 ? undefined : open);
    if (!LITERALS.test(literals)) return 'a literal has a character that is not allowed';
    if (open < 0) break;
    const close = template.indexOf('}', open);
    if (close < 0) return 'an expression is not closed';
    const problem = expressionProblem(template.slice(open + 1, close));
    if (problem !== undefined) return problem;
    at = close + 1;
  }
  return undefined;
}

function expressionProblem(expression: string): string | undefined {
  const first = expression.charAt(0);
  if (first !== '' && RESERVED_OPERATORS.includes(first)) return 'an operator is reserved';
  const variables = first !== '' && OPERATORS.includes(first) ? expression.slice(1) : expression;
  const isGood = variables.split(',').every((variable) => VARIABLE.test(variable));
  return isGood ? undefined : 'an expression has no valid RFC 6570 variable name';
}

// RFC 9110 section 5.6.2 (token), 5.6.4 (quoted-string), 8.3.1 (media-type).
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"';
const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

export function isMimeType(text: string): boolean {
  return MIME_TYPE.test(text);
}

// RFC 3339 section 5.6; the day must exist in its month, :60 is a leap second.
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;

export function isTimestamp(text: string): boolean {
  const parts = text.length > 64 ? null : DATE_TIME.exec(text);
  if (parts === null) return false;
  const numbers = parts.map(Number);
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    numbers;
  if (month < 1 || month > 12) return false;
  if (day < 1 || day > daysIn(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 60) return false;
  return parts[7] === undefined || (offsetHour <= 23 && offsetMinute <= 59);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
