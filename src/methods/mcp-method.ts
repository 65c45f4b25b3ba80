/**
 * How a team declares a JSON-RPC method: a method of any provider, decorated with `@McpMethod`. It is found
 * once at start; what it gets and may answer is described here, what is done with it in method-table.ts.
 */
import { SetMetadata } from '@nestjs/common';
import type { Principal } from '../exchange/principal.js';
import type { Session } from '../exchange/session.js';
import type { JsonObject, JsonValue } from '../protocol/strict-json.js';

export interface McpMethodOptions {
  /** Scope that the method needs beside the base scope `mcp:use`; none = the base scope is enough. */
  readonly scope?: string;
  /** How the answer travels: one JSON body (default), or one event on an SSE stream. */
  readonly answer?: 'json' | 'sse';
  /** True: another declaration of the same name takes the place of this one. For what the boundary ships. */
  readonly replaceable?: boolean;
}

export interface McpMethodDeclaration {
  readonly name: string;
  readonly scope: string | undefined;
  readonly answer: 'json' | 'sse';
  readonly replaceable: boolean;
}

export interface MethodContext {
  /** Who calls; its scope has been checked. */
  readonly principal: Principal;
  readonly session: Session;
  /** Aborts on `notifications/cancelled` for this request and on the end of its session. */
  readonly signal: AbortSignal;
}

/**
 * @param params of the message; `{}` when it has none. Members named `__proto__` are ordinary: never merge it
 * @returns the result; ignored for notifications
 */
export type McpMethodHandler = (
  params: JsonObject,
  context: MethodContext,
) => JsonObject | void | Promise<JsonObject | void>;

export const MCP_METHOD = 'nest-mcp-boundary.method';

/**
 * Declares the handler of a JSON-RPC method, e.g. `@McpMethod('resources/list', { scope: 'resources:read' })`.
 * A name that begins with `notifications/` declares the handler of a notification.
 */
export function McpMethod(name: string, options: McpMethodOptions = {}): MethodDecorator {
  const declaration: McpMethodDeclaration = {
    name,
    scope: options.scope,
    answer: options.answer ?? 'json',
    replaceable: options.replaceable ?? false,
  };
  return SetMetadata(MCP_METHOD, declaration);
}

/**
 * Thrown by a method to answer its request with this JSON-RPC error. Its text reaches the caller: put nothing
 * in it that must not. Any other exception becomes −32603 without a word.
 */
export class McpMethodError extends Error {
  override readonly name = 'McpMethodError';

  /** @param code JSON-RPC error code, e.g. −32602 for bad params */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: JsonValue,
  ) {
    super(message);
  }
}
