/**
 * An unforeseen exception for the error log: type, message and stack, with every secret and claim that this
 * request brought replaced. What an exception holds beside these three is left out. Never throws, whatever was
 * thrown: an exception that breaks whoever reads it must not take the answer with it.
 */
import type { Exchange } from '../exchange/exchange.js';
import { readBearer } from '../protocol/bearer.js';

export interface MaskedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause?: MaskedError;
}

const MAX_CAUSES = 4;
const MASK = '[masked]';

export function maskedError(exception: unknown, exchange: Exchange | undefined): MaskedError {
  try {
    return mask(exception, secretsOf(exchange), MAX_CAUSES);
  } catch {
    return { type: 'unreadable', message: 'what was thrown cannot be read', stack: undefined };
  }
}

function mask(exception: unknown, secrets: RegExp | undefined, causes: number): MaskedError {
  const hide = (text: string): string => (secrets === undefined ? text : text.replace(secrets, MASK));
  if (!(exception instanceof Error))
    return { type: typeof exception, message: hide(String(exception)), stack: undefined };
  const masked = {
    type: exception.constructor.name,
    message: hide(exception.message),
    stack: exception.stack === undefined ? undefined : hide(exception.stack),
  };
  return exception.cause === undefined || causes === 0
    ? masked
    : { ...masked, cause: mask(exception.cause, secrets, causes - 1) };
}

/** Longest first, so that none is left in part because another one is within it. */
function secretsOf(exchange: Exchange | undefined): RegExp | undefined {
  const { head, principal, session } = exchange ?? {};
  const bearer = readBearer(head?.authorization);
  const secrets = [
    head?.authorization,
    bearer.kind === 'token' ? bearer.token : undefined,
    head?.sessionId,
    session?.id,
    head?.lastEventId,
    principal?.subject,
    principal?.tenant,
    principal?.tokenId,
    principal?.authorizationRevision,
  ]
    .filter((secret): secret is string => secret !== undefined && secret !== '')
    .flatMap(spellings)
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return secrets.length === 0 ? undefined : new RegExp(secrets.join('|'), 'g');
}

/** As it is, and as exceptions quote it: in JSON and in a URI. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}
