import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { RouteTable } from '../transport/route-table.js';
import { TransportModule } from '../transport/transport.module.js';
import { HealthController } from './health.controller.js';

@Module({ imports: [TransportModule, AuthModule], controllers: [HealthController] })
export class HealthModule implements OnModuleInit {
  constructor(private readonly routes: RouteTable) {}

  onModuleInit(): void {
    this.routes.add('/healthz', ['GET']);
    this.routes.add('/readyz', ['GET']);
  }
}
