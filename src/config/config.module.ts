import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';
import { BOUNDARY_OPTIONS, type ConfigOptions } from './config-options.js';
import { Endpoint } from './endpoint.js';
import { settingsFrom } from './environment.js';
import { BoundarySettings } from './settings.js';

/** Settings, clock and address of the endpoint, for every other module of the boundary. */
@Global()
@Module({
  providers: [
    {
      provide: BoundarySettings,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ settings }: ConfigOptions): BoundarySettings => settingsFrom(settings),
    },
    {
      provide: Clock,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ clock }: ConfigOptions): Clock => clock ?? new SystemClock(),
    },
    {
      provide: Endpoint,
      inject: [BoundarySettings],
      useFactory: (settings: BoundarySettings): Endpoint => new Endpoint(settings),
    },
  ],
  exports: [BoundarySettings, Clock, Endpoint],
})
export class ConfigModule {}
