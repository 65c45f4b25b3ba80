import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';
import { BOUNDARY_OPTIONS, type CheckedConfigOptions } from './config-options.js';
import { Endpoint } from './endpoint.js';
import { BoundarySettings } from './settings.js';

/** Settings, clock and address of the endpoint, for every other module of the boundary. */
@Global()
@Module({
  providers: [
    {
      provide: BoundarySettings,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ settings }: CheckedConfigOptions): BoundarySettings => settings,
    },
    {
      provide: Clock,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ clock }: CheckedConfigOptions): Clock => clock ?? new SystemClock(),
    },
    {
      provide: Endpoint,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ settings, path }: CheckedConfigOptions): Endpoint => new Endpoint(settings, path),
    },
  ],
  exports: [BoundarySettings, Clock, Endpoint],
})
export class ConfigModule {}
