/**
 * An unforeseen exception for the error log: type, message and stack, with every secret and claim that this
 * request brought replaced. What an exception holds beside these three is left out.
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

export function maskedError(exception: unknown, exchange: Exchange | undefined): MaskedError {
  return mask(exception, secretsOf(exchange), MAX_CAUSES);
}

function mask(exception: unknown, secrets: readonly string[], causes: number): MaskedError {
  const hide = (text: string): string =>
    secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text);
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

function secretsOf(exchange: Exchange | undefined): readonly string[] {
  const { head, principal, session } = exchange ?? {};
  const bearer = readBearer(head?.authorization);
  return [
    head?.authorization,
    bearer.kind === 'token' ? bearer.token : undefined,
    head?.sessionId,
    session?.id,
    head?.lastEventId,
    principal?.subject,
    principal?.tenant,
    principal?.tokenId,
  ]
    .filter((secret): secret is string => secret !== undefined && secret !== '')
    .toSorted((a, b) => b.length - a.length);
}
