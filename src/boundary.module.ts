/**
 * The boundary as one importable module: `BoundaryModule.forRoot(options)` or `forRootAsync(…)`. Its guards
 * and its filter are bound to its own controllers and touch nothing else of an application.
 */
import {
  type DynamicModule,
  ConfigurableModuleBuilder,
  Global,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { type BoundaryOptions, checkedOptions } from './boundary-options.js';
import { ConfigModule } from './config/config.module.js';
import { BOUNDARY_OPTIONS } from './config/config-options.js';
import { Endpoint, METADATA_ROOT_PATH } from './config/endpoint.js';
import { ErrorsModule } from './errors/errors.module.js';
import { MetadataController } from './metadata/metadata.controller.js';
import { MethodsModule } from './methods/methods.module.js';
import { protectedResourceMetadataPath } from './protocol/resource-uri.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { BoundaryExpressAdapter } from './transport/boundary-express-adapter.js';
import { exemptFromGlobalPrefix, hasGlobalEnhancers } from './transport/host-application.js';
import { McpController } from './transport/mcp.controller.js';
import { mountedAt } from './transport/mounted-controller.js';
import { RouteTable } from './transport/route-table.js';
import { TransportModule } from './transport/transport.module.js';

/** What Nest must know when it scans modules, so that it stands beside the factory of `forRootAsync`. */
export interface BoundaryRouteOptions {
  /**
   * Path of the MCP endpoint, whole, as clients see it: a global prefix and a version are not put before it.
   * The metadata document follows it (RFC 9728 section 3.1).
   */
  readonly path?: string;
  /**
   * Class decorators for the boundary's controllers, e.g. the `@Public()` by which the application's own global
   * guards let a controller pass.
   */
  readonly decorators?: readonly ClassDecorator[];
}

const DEFAULT_PATH = '/mcp';
const GIVEN_OPTIONS = Symbol('GIVEN_BOUNDARY_OPTIONS');
const GIVEN_PATH = Symbol('GIVEN_BOUNDARY_PATH');

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<BoundaryOptions>({ optionsInjectionToken: GIVEN_OPTIONS })
    .setClassMethodName('forRoot')
    .setExtras<BoundaryRouteOptions>({ path: DEFAULT_PATH, decorators: [] }, (definition, { path }) => ({
      ...definition,
      providers: [...(definition.providers ?? []), { provide: GIVEN_PATH, useValue: path }],
    }))
    .build();

@Global()
@Module({
  providers: [{ provide: BOUNDARY_OPTIONS, inject: [GIVEN_OPTIONS, GIVEN_PATH], useFactory: checkedOptions }],
  exports: [BOUNDARY_OPTIONS],
})
class OptionsModule extends ConfigurableModuleClass {}

@Global()
@Module({
  imports: [ConfigModule, ErrorsModule, AuthModule, SessionsModule, MethodsModule, TransportModule],
  exports: [SessionsModule],
})
export class BoundaryModule implements NestModule, OnModuleInit {
  constructor(
    private readonly endpoint: Endpoint,
    private readonly routes: RouteTable,
    private readonly application: ApplicationConfig,
    private readonly host: HttpAdapterHost,
  ) {}

  /** @throws SettingsError at start, with all problems of the options in one message */
  static forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return withRoutes(OptionsModule.forRoot(options), options);
  }

  /** The factory (or class) gives the options; `path` and `decorators` stand beside it. */
  static forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return withRoutes(OptionsModule.forRootAsync(options), options);
  }

  /** Nest calls this after the application is configured and before its routes are made. */
  configure(): void {
    exemptFromGlobalPrefix(this.application, this.endpoint.paths);
    const { httpAdapter } = this.host;
    if (httpAdapter instanceof BoundaryExpressAdapter && hasGlobalEnhancers(this.application)) {
      httpAdapter.dressRequestsAsExpress();
    }
  }

  onModuleInit(): void {
    const [endpoint, ...metadata] = this.endpoint.paths;
    this.routes.add(endpoint, ['POST', 'GET', 'DELETE']);
    for (const path of metadata) this.routes.add(path, ['GET']);
  }
}

function withRoutes(
  optionsModule: DynamicModule,
  { path = DEFAULT_PATH, decorators = [] }: BoundaryRouteOptions,
): DynamicModule {
  return {
    module: BoundaryModule,
    imports: [optionsModule],
    controllers: [
      mountedAt([path], McpController, decorators),
      mountedAt([METADATA_ROOT_PATH, protectedResourceMetadataPath(path)], MetadataController, decorators),
    ],
  };
}
