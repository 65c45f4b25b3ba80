/**
 * The public API of nest-mcp-boundary, all of it; nothing else of the package can be imported.
 *
 * - Import `BoundaryModule` into an application and give it a `TokenPolicy`.
 * - Declare methods with `@McpMethod`.
 * - Create the application with `BoundaryExpressAdapter` for what only its HTTP server can promise.
 */
export { BoundaryModule, type BoundaryRouteOptions } from './boundary.module.js';
export type { BoundaryOptions } from './boundary-options.js';

export { McpMethod, McpMethodError } from './methods/mcp-method.js';
export type { McpMethodHandler, McpMethodOptions, MethodContext } from './methods/mcp-method.js';
export type { JsonObject, JsonValue } from './protocol/strict-json.js';

export { TokenPolicy } from './auth/token-policy.js';
export type { TokenRefusal, TokenVerdict } from './auth/token-policy.js';
export { TenantDirectory } from './auth/tenant-directory.js';
export { OfflineTokenPolicy } from './auth/offline-token-policy.js';
export { buildTokenBook, tokenDigest } from './auth/token-book.js';
export type { CurrentRevision, TokenBook, TokenBookSource, TokenClaims } from './auth/token-book.js';
export type { Principal } from './exchange/principal.js';

export { SessionService } from './sessions/session.service.js';
export { SessionStore } from './sessions/session-store.js';
export type { NewSession } from './sessions/session-store.js';
export type { Awaitable } from './exchange/awaitable.js';
export { InMemorySessionStore } from './sessions/in-memory-session-store.js';
export type { Session, SessionOwner, SessionState } from './exchange/session.js';

export { Clock, SystemClock } from './config/clock.js';
export { Endpoint } from './config/endpoint.js';
export { settingsFrom, settingsFromEnvironment } from './config/environment.js';
export { BoundarySettings } from './config/settings.js';
export type { ChallengeScope, LogLevel, Profile, SessionExpiry, SettingsInput } from './config/settings.js';
export { SettingsError } from './config/settings-error.js';

export { BoundaryExpressAdapter } from './transport/boundary-express-adapter.js';
export { createBoundaryHttpServer, type HttpServerSettings } from './transport/http-server.js';
export type { RequestHandler } from './transport/connection.js';

export { BoundaryError, type RefusalFacts } from './errors/boundary-error.js';
export { CATALOG } from './errors/catalog.js';
export type { CatalogEntry, ChallengeKind, PublicCode } from './errors/catalog.js';
