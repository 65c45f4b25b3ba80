import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Endpoint } from '../config/endpoint.js';
import { ErrorsModule } from '../errors/errors.module.js';
import { MethodsModule } from '../methods/methods.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { Capacity } from './capacity.js';
import { Correlation } from './correlation.js';
import { McpController } from './mcp.controller.js';
import { MethodRunner } from './method-runner.js';
import { RequestLog } from './request-log.js';
import { RouteTable } from './route-table.js';

@Module({
  imports: [ErrorsModule, AuthModule, SessionsModule, MethodsModule],
  controllers: [McpController],
  providers: [Capacity, Correlation, RequestLog, RouteTable, MethodRunner],
  exports: [ErrorsModule, Capacity, RequestLog, RouteTable],
})
export class TransportModule implements OnModuleInit {
  constructor(
    private readonly routes: RouteTable,
    private readonly endpoint: Endpoint,
  ) {}

  onModuleInit(): void {
    this.routes.add(this.endpoint.path, ['POST', 'GET', 'DELETE']);
  }
}
