import { Module } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { BOUNDARY_OPTIONS } from '../config/config-options.js';
import { BoundarySettings } from '../config/settings.js';
import { InMemorySessionStore } from './in-memory-session-store.js';
import { SessionService } from './session.service.js';
import { SessionStore } from './session-store.js';

export interface SessionsOptions {
  /** Where sessions are kept; default: in this process. */
  readonly sessionStore?: SessionStore;
}

@Module({
  providers: [
    {
      provide: SessionStore,
      inject: [BOUNDARY_OPTIONS, Clock, BoundarySettings],
      useFactory: (
        { sessionStore }: SessionsOptions,
        clock: Clock,
        { maxSessions, maxSessionsPerSubject }: BoundarySettings,
      ): SessionStore => sessionStore ?? new InMemorySessionStore(clock, maxSessions, maxSessionsPerSubject),
    },
    SessionService,
  ],
  exports: [SessionService, SessionStore],
})
export class SessionsModule {}
