/**
 * The one place where an exception becomes an answer. Only a BoundaryError shows its code; an HttpException
 * comes from the router, or from a global guard of the application that the boundary is part of, and shows the
 * code that its status stands for here; everything else is `internal_error`, its cause in the log with this
 * request's secrets masked.
 */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exchangeOf } from '../exchange/exchange.js';
import { BoundaryError, type RefusalFacts } from './boundary-error.js';
import type { PublicCode } from './catalog.js';
import { maskedError } from './masked-error.js';
import { RefusalWriter } from './refusal-writer.js';

/** No challenge goes with them: the application's own login is not the one that MCP clients could ask. */
const CODE_OF_FOREIGN_GUARD: ReadonlyMap<number | undefined, PublicCode> = new Map([
  [401, 'forbidden'],
  [403, 'forbidden'],
  [429, 'overloaded'],
]);
const RETRY: RefusalFacts = { retryAfterSeconds: 1 };

@Catch()
export class BoundaryExceptionFilter implements ExceptionFilter {
  readonly #logger = new Logger('Boundary');
  #hasWarned = false;

  constructor(private readonly refusals: RefusalWriter) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.getArgByIndex<IncomingMessage>(0);
    const response = host.getArgByIndex<ServerResponse>(1);
    const { code, facts } = this.#refusalOf(exception, request);
    if (response.headersSent || response.destroyed) {
      response.end();
      return;
    }
    this.refusals.write(request, response, code, facts);
  }

  #refusalOf(exception: unknown, request: IncomingMessage): { code: PublicCode; facts: RefusalFacts } {
    if (exception instanceof BoundaryError) return exception;
    const status = exception instanceof HttpException ? exception.getStatus() : undefined;
    if (status === 404) return { code: 'not_found', facts: {} };
    const code = CODE_OF_FOREIGN_GUARD.get(status);
    if (code !== undefined) {
      this.#warnOfForeignGuard();
      return { code, facts: { reason: 'application_guard', ...(code === 'overloaded' && RETRY) } };
    }
    this.#logger.error({ msg: 'unforeseen exception', err: maskedError(exception, exchangeOf(request)) });
    return { code: 'internal_error', facts: {} };
  }

  #warnOfForeignGuard(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn({
      msg:
        'a global guard or interceptor of the application has refused a request to the MCP endpoint, which has ' +
        'tokens and limits of its own: if it should not, let it pass, e.g. with BoundaryModule.forRoot({ decorators: [Public()] })',
    });
  }
}
