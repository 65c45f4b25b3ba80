import { Logger, Module } from '@nestjs/common';
import { BOUNDARY_OPTIONS } from '../config/config-options.js';
import { Clock } from '../config/clock.js';
import { BoundarySettings, type ChallengeScope } from '../config/settings.js';
import { SettingsError } from '../config/settings-error.js';
import { OfflineTokenPolicy } from './offline-token-policy.js';
import { CHALLENGE_SCOPE } from './scope.guard.js';
import { EveryTenant, TenantDirectory } from './tenant-directory.js';
import type { TokenBook } from './token-book.js';
import { TokenPolicy } from './token-policy.js';
import { TokensFileWatcher } from './tokens-file-watcher.js';

export interface AuthOptions {
  /** Who decides tokens; default: the offline policy on `tokensFile` or `tokenBook`. */
  readonly tokenPolicy?: TokenPolicy;
  /** Records for the offline policy, in place of a file. */
  readonly tokenBook?: TokenBook;
  /** Which tenants have data; default: all that the policy admits. */
  readonly tenantDirectory?: TenantDirectory;
}

/** Injection token: the watcher of the tokens file when there is one; Nest calls its lifecycle hooks. */
const TOKENS_FILE_WATCHER = Symbol('TOKENS_FILE_WATCHER');

@Module({
  providers: [
    {
      provide: TOKENS_FILE_WATCHER,
      inject: [BOUNDARY_OPTIONS, BoundarySettings, Clock],
      useFactory: async (
        { tokenPolicy }: AuthOptions,
        { tokensFile }: BoundarySettings,
        clock: Clock,
      ): Promise<TokensFileWatcher | undefined> =>
        tokenPolicy === undefined && tokensFile !== undefined
          ? await TokensFileWatcher.open({ path: tokensFile, clock, logger: watcherLogger() })
          : undefined,
    },
    {
      provide: TokenPolicy,
      inject: [BOUNDARY_OPTIONS, TOKENS_FILE_WATCHER, Clock],
      useFactory: (
        { tokenPolicy, tokenBook }: AuthOptions,
        watcher: TokensFileWatcher | undefined,
        clock: Clock,
      ): TokenPolicy => {
        if (tokenPolicy !== undefined) return tokenPolicy;
        if (watcher !== undefined) return watcher.policy;
        if (tokenBook !== undefined) return new OfflineTokenPolicy(tokenBook, clock);
        throw new SettingsError(['MCP_TOKENS_FILE is missing, and no other token policy was given']);
      },
    },
    {
      provide: TenantDirectory,
      inject: [BOUNDARY_OPTIONS],
      useFactory: ({ tenantDirectory }: AuthOptions): TenantDirectory => tenantDirectory ?? new EveryTenant(),
    },
    {
      provide: CHALLENGE_SCOPE,
      inject: [BoundarySettings, TokenPolicy],
      useFactory: ({ challengeScope }: BoundarySettings, policy: TokenPolicy): ChallengeScope =>
        challengeScope ?? (policy instanceof OfflineTokenPolicy ? 'needed' : 'granted-and-needed'),
    },
  ],
  exports: [TokenPolicy, TenantDirectory, CHALLENGE_SCOPE],
})
export class AuthModule {}

function watcherLogger(): {
  log(fields: object, msg: string): void;
  warn(fields: object, msg: string): void;
} {
  const logger = new Logger('TokensFile');
  return {
    log: (fields, msg) => logger.log({ msg, ...fields }),
    warn: (fields, msg) => logger.warn({ msg, ...fields }),
  };
}
