/**
 * The order in which a request is judged, in one place. A gate that refuses answers at once and nothing
 * after it runs, so the order is cheap before dear and anonymous before identified: nobody's body is read
 * before head, host, origin, path and media type are right, no token is judged before the message is one,
 * no session is looked up before the caller is known.
 */
import { BearerGuard } from '../auth/bearer.guard.js';
import { OriginGuard } from '../auth/origin.guard.js';
import { MethodScopeGuard, ScopeGuard } from '../auth/scope.guard.js';
import { TenantDataGuard } from '../auth/tenant-directory.js';
import { SessionGuard } from '../sessions/session.guard.js';
import { BodyGuard } from './body.guard.js';
import { CapacityGuard } from './capacity.guard.js';
import { HeadGuard } from './head.guard.js';
import { HostGuard } from './host.guard.js';
import { MediaGuard } from './media.guard.js';
import { RouteGuard } from './route.guard.js';

/** Gates 1 to 5: every path of this server. */
export const FIRST_GATES = [
  CapacityGuard, //     1  room for one more
  HeadGuard, //         2  size and grammar of the head
  HostGuard, //         3  our name
  OriginGuard, //       4  a page that may
  RouteGuard, //        5  path and method
] as const;

/** Gates 1 to 10: the MCP endpoint. */
export const RECEIVE_ORDER = [
  ...FIRST_GATES,
  MediaGuard, //        6  Accept, Content-Type
  BodyGuard, //         7  bytes → strict JSON → one JSON-RPC message
  BearerGuard, //       8  token → principal
  ScopeGuard, //        8  base scope of the HTTP handler
  SessionGuard, //      9  revision, session of this owner, lifecycle
  MethodScopeGuard, // 10  scope of the JSON-RPC method
  TenantDataGuard, //  10  data of this tenant
] as const;
