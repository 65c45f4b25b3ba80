/** The standalone server: the boundary, health, and a refusal for every other path. */
import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BoundaryModule } from './boundary.module.js';
import type { BoundaryOptions } from './boundary-options.js';
import { BoundaryExceptionFilter } from './errors/boundary-exception.filter.js';
import { ErrorsModule } from './errors/errors.module.js';
import { HealthModule } from './health/health.module.js';
import { UnknownRouteController } from './transport/unknown-route.controller.js';
import { TransportModule } from './transport/transport.module.js';

@Module({ imports: [TransportModule], controllers: [UnknownRouteController] })
class UnknownRouteModule {}

export interface AppModuleOptions extends BoundaryOptions {
  /** Further modules, e.g. with `@McpMethod` providers. */
  readonly modules?: NonNullable<ModuleMetadata['imports']>;
}

@Module({})
export class AppModule {
  static forRoot({ modules = [], ...options }: AppModuleOptions): DynamicModule {
    return {
      module: AppModule,
      // The order is that of the routes: Express serves the first one that matches, and the last matches all.
      imports: [
        BoundaryModule.forRoot(options),
        ErrorsModule,
        TransportModule,
        HealthModule,
        ...modules,
        UnknownRouteModule,
      ],
      providers: [{ provide: APP_FILTER, useExisting: BoundaryExceptionFilter }],
    };
  }
}
