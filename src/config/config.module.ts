import { Global, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';
import { BOUNDARY_OPTIONS, type CheckedConfigOptions } from './config-options.js';
import { Endpoint } from './endpoint.js';
import { settingDescriptors } from './setting.js';
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
export class ConfigModule implements OnApplicationBootstrap {
  constructor(private readonly settings: BoundarySettings) {}

  /** What is open beyond the contract must be seen by whoever reads the log, at every start. */
  onApplicationBootstrap(): void {
    const logger = new Logger('Boundary');
    for (const { property, kind, env, about } of settingDescriptors()) {
      if (kind !== 'flag' || this.settings[property as keyof BoundarySettings] !== true) continue;
      logger.warn({ msg: 'a switch opens what the contract refuses', setting: env, opens: about });
    }
  }
}
