/**
 * What each object of the tokens file may contain, as class-validator classes, and the one way to hold a value
 * against them. Rules that span fields or records are the loader's.
 *
 * Whatever is found wrong is said without its value: most values here are secrets or claims, and problems are
 * logged. Even the name of an unknown member is told only when it looks like a field name, for a token pasted
 * in the wrong place can become one.
 */
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsArray, IsBoolean, IsObject, ValidateBy, ValidateIf, validateSync } from 'class-validator';
import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { parseRfc3339 } from './rfc3339.js';

/** One thing wrong with the file. Neither member contains a value of it. */
export interface TokensFileProblem {
  /** JSON Pointer (RFC 6901) to the member; empty for the document itself. */
  readonly path: string;
  readonly problem: string;
}

const MAX_CLAIM_BYTES = 2048;
/** The widest header value that MCP_MAX_HEADER_VALUE_BYTES can allow, less `Bearer `. */
const MAX_TOKEN_BYTES = 65_529;
/** 68 years: more is a slip of the pen, and the sum with the clock stays far from what a double holds. */
const MAX_LIFETIME_SECONDS = 2 ** 31 - 1;

// RFC 6750 section 2.1: b64token, the token68 of RFC 9110 section 11.2.
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;
// RFC 6749 section 3.3: scope-token.
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const SHA256_HEX = /^[0-9A-Fa-f]{64}$/;
const FIELD_NAME = /^[A-Za-z_]{1,24}$/;

interface Rule {
  readonly name: string;
  readonly text: string;
  holds(value: unknown): boolean;
}

/** Any UTF-8, compared exactly, bounded in bytes. */
export const CLAIM: Rule = {
  name: 'claim',
  text: `must be a string of 1 to ${MAX_CLAIM_BYTES} bytes in UTF-8`,
  holds: (value) => {
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_CLAIM_BYTES) return false;
    return value.length * 3 <= MAX_CLAIM_BYTES || Buffer.byteLength(value) <= MAX_CLAIM_BYTES;
  },
};

const SCOPE: Rule = {
  name: 'scope',
  text: 'must be a scope: visible ASCII without space, quote or backslash (RFC 6749 section 3.3)',
  holds: (value) => CLAIM.holds(value) && SCOPE_TOKEN.test(value as string),
};

const TOKEN: Rule = {
  name: 'token',
  text: `must be 1 to ${MAX_TOKEN_BYTES} characters that a Bearer header can carry (RFC 6750 section 2.1)`,
  holds: (value) => typeof value === 'string' && value.length <= MAX_TOKEN_BYTES && TOKEN68.test(value),
};

const DIGEST: Rule = {
  name: 'digest',
  text: 'must be a SHA-256 in 64 hex digits',
  holds: (value) => typeof value === 'string' && SHA256_HEX.test(value),
};

const INSTANT: Rule = {
  name: 'instant',
  text: 'must be a real date and time with offset (RFC 3339), e.g. 2030-01-31T12:00:00Z',
  holds: (value) => typeof value === 'string' && parseRfc3339(value) !== undefined,
};

const LIFETIME: Rule = {
  name: 'lifetime',
  text: `must be a whole number of seconds, 1 to ${MAX_LIFETIME_SECONDS}`,
  holds: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_LIFETIME_SECONDS,
};

/** The issuer's record of one token. */
export class TokenShape {
  @Optional() @Is(TOKEN) token?: string;
  @Optional() @Is(DIGEST) token_sha256?: string;
  @Is(CLAIM) token_id!: string;
  @Is(CLAIM) subject!: string;
  @Is(CLAIM) tenant!: string;
  @IsListOf(SCOPE) scopes!: string[];
  @Is(CLAIM) authorization_revision!: string;
  @Optional() @Is(INSTANT) expires_at?: string;
  @Optional() @Is(LIFETIME) expires_in?: number;
  @Optional() @IsBoolean({ message: 'must be true or false' }) active?: boolean;
  @Optional() @Is(CLAIM) issuer?: string;
  @Optional() @Is(CLAIM) audience?: string;
  @Optional() @Is(CLAIM) resource?: string;
  @Optional() @Is(CLAIM) authorization_resource?: string;
  @Optional() @Is(CLAIM) token_resource?: string;
}

export class RevisionShape {
  @Is(CLAIM) subject!: string;
  @Is(CLAIM) tenant!: string;
  @Is(CLAIM) revision!: string;
}

/** The document; what its lists contain is held against the other classes, one by one. */
export class TokensFileShape {
  @Is(CLAIM) issuer!: string;
  @IsArray({ message: 'must be an array' }) tokens!: unknown[];
  @Optional() @IsArray({ message: 'must be an array' }) revisions?: unknown[];
  @Optional() @IsObject({ message: 'must be an object of arrays' }) allowed_tenants?: object;
  @Optional() @IsListOf(CLAIM) revoked?: string[];
}

/**
 * Holds one JSON value against a class and adds what is wrong to `problems`.
 * @returns the instance, whose fields are sound only where no problem was added; undefined for no object at all
 */
export function readShape<T extends object>(
  Shape: new () => T,
  value: JsonValue,
  path: string,
  problems: TokensFileProblem[],
): T | undefined {
  if (!isJsonObject(value)) {
    problems.push({ path, problem: 'must be an object' });
    return undefined;
  }
  const members: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    // class-transformer drops these names in silence, and class-validator finds `hasOwnProperty` declared.
    if (Object.hasOwn(Object.prototype, name)) problems.push(unknownMember(path, name));
    else members[name] = flat(member);
  }
  const instance = plainToInstance(Shape, members);
  for (const error of validateSync(instance, { whitelist: true, forbidNonWhitelisted: true })) {
    const texts = Object.entries(error.constraints ?? {});
    if (texts.some(([name]) => name === 'whitelistValidation')) {
      problems.push(unknownMember(path, error.property));
    } else if (!Object.hasOwn(value, error.property)) {
      problems.push({ path: `${path}/${error.property}`, problem: 'is missing' });
    } else {
      for (const [, problem] of texts) problems.push({ path: `${path}/${error.property}`, problem });
    }
  }
  return instance;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Words a problem of list elements; counted from 0 as in a JSON Pointer, and not all of a thousand. */
export function atPositions(positions: readonly number[], text: string): string {
  const shown = positions.slice(0, 10).join(', ');
  return `${text}; at position ${shown}${positions.length > 10 ? ` and ${positions.length - 10} more` : ''}`;
}

export function brokenPositions(list: readonly unknown[], rule: Rule): number[] {
  return list.flatMap((element, position) => (rule.holds(element) ? [] : [position]));
}

function unknownMember(path: string, name: string): TokensFileProblem {
  return FIELD_NAME.test(name)
    ? { path: `${path}/${name}`, problem: 'is no member that is known here' }
    : { path, problem: 'has a member that is not known here (its name is withheld, it may be a secret)' };
}

/**
 * No field of these classes is an object with members of its own, so deeper objects are handed on empty: they
 * are as wrong as before, and class-transformer never meets a `constructor` of a stranger's choice.
 */
function flat(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((element) => (isScalar(element) ? element : {}));
  return isScalar(value) ? value : {};
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

/** May be left out; null is not the same as left out, so class-validator's IsOptional won't do. */
function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function Is(rule: Rule): PropertyDecorator {
  return ValidateBy({
    name: rule.name,
    validator: { validate: (value) => rule.holds(value), defaultMessage: () => rule.text },
  });
}

function IsListOf(rule: Rule): PropertyDecorator {
  return ValidateBy({
    name: `${rule.name}List`,
    validator: {
      validate: (value) => Array.isArray(value) && value.every((element) => rule.holds(element)),
      defaultMessage: (args) =>
        Array.isArray(args?.value)
          ? atPositions(brokenPositions(args.value, rule), `each ${rule.text}`)
          : 'must be an array',
    },
  });
}
