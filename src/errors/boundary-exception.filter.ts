/**
 * The one place where an exception becomes an answer. Only a BoundaryError shows its code; an HttpException
 * of Nest shows the code that its status stands for here; everything else is `internal_error`, its cause in
 * the log with this request's secrets masked.
 */
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exchangeOf } from '../exchange/exchange.js';
import { BoundaryError, type RefusalFacts } from './boundary-error.js';
import type { PublicCode } from './catalog.js';
import { maskedError } from './masked-error.js';
import { RefusalWriter } from './refusal-writer.js';

@Catch()
export class BoundaryExceptionFilter implements ExceptionFilter {
  readonly #logger = new Logger('Boundary');

  constructor(private readonly refusals: RefusalWriter) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.getArgByIndex<IncomingMessage>(0);
    const response = host.getArgByIndex<ServerResponse>(1);
    const code = this.#codeOf(exception, request);
    const facts: RefusalFacts = exception instanceof BoundaryError ? exception.facts : {};
    if (response.headersSent || response.destroyed) {
      response.end();
      return;
    }
    this.refusals.write(request, response, code, facts);
  }

  #codeOf(exception: unknown, request: IncomingMessage): PublicCode {
    if (exception instanceof BoundaryError) return exception.code;
    if (exception instanceof HttpException && exception.getStatus() === 404) return 'not_found';
    this.#logger.error({ msg: 'unforeseen exception', err: maskedError(exception, exchangeOf(request)) });
    return 'internal_error';
  }
}
