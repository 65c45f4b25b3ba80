import { All, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { BoundaryError } from '../errors/boundary-error.js';
import { BoundaryExceptionFilter } from '../errors/boundary-exception.filter.js';
import { ANY_PATH } from './boundary-express-adapter.js';
import { DirectRoute } from './direct-route.js';
import { FIRST_GATES } from './receive-order.js';

/** Leads every path that nobody else serves through the first gates. For the standalone server only. */
@Controller()
@UseGuards(...FIRST_GATES)
@UseFilters(BoundaryExceptionFilter)
export class UnknownRouteController {
  @All(ANY_PATH)
  @DirectRoute()
  refuse(): never {
    throw new BoundaryError('not_found');
  }
}
