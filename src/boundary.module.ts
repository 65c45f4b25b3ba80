/**
 * The boundary as one importable module: `BoundaryModule.forRoot(options)` or `forRootAsync(…)`. Its guards
 * and its filter are bound to its own controllers and touch nothing else of an application.
 */
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import { AuthModule, type AuthOptions } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import { BOUNDARY_OPTIONS, type ConfigOptions } from './config/config-options.js';
import { MetadataModule } from './metadata/metadata.module.js';
import { SessionsModule, type SessionsOptions } from './sessions/sessions.module.js';
import { TransportModule } from './transport/transport.module.js';

export interface BoundaryOptions extends ConfigOptions, AuthOptions, SessionsOptions {}

const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<BoundaryOptions>({
  optionsInjectionToken: BOUNDARY_OPTIONS,
})
  .setClassMethodName('forRoot')
  .build();

@Global()
@Module({ exports: [BOUNDARY_OPTIONS] })
class OptionsModule extends ConfigurableModuleClass {}

@Module({ imports: [ConfigModule, AuthModule, SessionsModule, TransportModule, MetadataModule] })
export class BoundaryModule {
  static forRoot(options: BoundaryOptions): DynamicModule {
    return { module: BoundaryModule, imports: [OptionsModule.forRoot(options)] };
  }

  static forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return { module: BoundaryModule, imports: [OptionsModule.forRootAsync(options)] };
  }
}
