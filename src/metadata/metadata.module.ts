import { Module, type OnModuleInit } from '@nestjs/common';
import { Endpoint, METADATA_ROOT_PATH } from '../config/endpoint.js';
import { MethodsModule } from '../methods/methods.module.js';
import { RouteTable } from '../transport/route-table.js';
import { TransportModule } from '../transport/transport.module.js';
import { MetadataController } from './metadata.controller.js';

@Module({
  imports: [TransportModule, MethodsModule],
  controllers: [MetadataController],
})
export class MetadataModule implements OnModuleInit {
  constructor(
    private readonly routes: RouteTable,
    private readonly endpoint: Endpoint,
  ) {}

  onModuleInit(): void {
    this.routes.add(METADATA_ROOT_PATH, ['GET']);
    this.routes.add(this.endpoint.metadataPath, ['GET']);
  }
}
