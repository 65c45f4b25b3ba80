import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ErrorsModule } from '../errors/errors.module.js';
import { MethodsModule } from '../methods/methods.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { Capacity } from './capacity.js';
import { Correlation } from './correlation.js';
import { EndpointBinding } from './endpoint-binding.js';
import { MethodRunner } from './method-runner.js';
import { RequestLog } from './request-log.js';
import { RouteTable } from './route-table.js';

@Module({
  imports: [ErrorsModule, AuthModule, SessionsModule, MethodsModule],
  providers: [Capacity, Correlation, EndpointBinding, RequestLog, RouteTable, MethodRunner],
  exports: [ErrorsModule, Capacity, RequestLog, RouteTable, MethodRunner],
})
export class TransportModule {}
