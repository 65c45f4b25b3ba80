/** Liveness and readiness for whoever runs the standalone server. No secrets, no names, no counts. */
import { Controller, Get, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ServerResponse } from 'node:http';
import { TokenPolicy } from '../auth/token-policy.js';
import { BoundaryExceptionFilter } from '../errors/boundary-exception.filter.js';
import { sendJson } from '../transport/answer.js';
import { DirectRoute } from '../transport/direct-route.js';
import { FIRST_GATES } from '../transport/receive-order.js';

@Controller()
@UseGuards(...FIRST_GATES)
@UseFilters(BoundaryExceptionFilter)
export class HealthController {
  constructor(private readonly policy: TokenPolicy) {}

  /** The process answers. */
  @Get('healthz')
  @DirectRoute()
  live(@Res() response: ServerResponse): void {
    sendJson(response, '{"status":"ok"}');
  }

  /** Requests are served; `stale` says that the tokens file has an edit that could not be used. */
  @Get('readyz')
  @DirectRoute()
  ready(@Res() response: ServerResponse): void {
    sendJson(response, `{"status":"ready","policy":"${this.policy.state()}"}`);
  }
}
