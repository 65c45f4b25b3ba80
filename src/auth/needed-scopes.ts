/**
 * What an operation needs: the base scope of its HTTP handler (declared on the handler) and the scope of its
 * JSON-RPC method (declared on the method). Both scope gates and every challenge read it from here.
 */
import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Exchange } from '../exchange/exchange.js';
import type { BaseScope, ScopeCatalog } from './scope-catalog.js';

const BASE_SCOPE = 'nest-mcp-boundary.base-scope';

interface BaseScopeRule {
  readonly scope: BaseScope;
  /** JSON-RPC methods that need another base scope than the handler's. */
  readonly except: ReadonlyMap<string, BaseScope>;
}

/** Declares the base scope of an HTTP handler, and the JSON-RPC methods that need another one. */
export function RequireBaseScope(
  scope: BaseScope,
  except: Readonly<Record<string, BaseScope>> = {},
): MethodDecorator {
  return SetMetadata(BASE_SCOPE, { scope, except: new Map(Object.entries(except)) } satisfies BaseScopeRule);
}

/** Handlers are few and their metadata never changes, but reading it anew takes as long as a gate. */
const known = new WeakMap<object, BaseScopeRule>();

/** A handler without the declaration is a fault, never open. */
function ruleOf(handler: object): BaseScopeRule {
  const before = known.get(handler);
  if (before !== undefined) return before;
  const rule = Reflect.getMetadata(BASE_SCOPE, handler) as BaseScopeRule | undefined;
  if (rule === undefined) throw new Error('an HTTP handler behind the scope gate declares no base scope');
  known.set(handler, rule);
  return rule;
}

/** The base scope that this request needs. */
export function baseScopeOf(context: ExecutionContext, exchange: Exchange): BaseScope {
  const rule = ruleOf(context.getHandler());
  const { message } = exchange;
  return (message?.kind === 'request' && rule.except.get(message.method)) || rule.scope;
}

/** The scope that the JSON-RPC method of this request needs beside the base scope, if any. */
export function methodScopeOf(exchange: Exchange, catalog: ScopeCatalog): string | undefined {
  const { message } = exchange;
  return message?.kind === 'request' ? catalog.methodScope(message.method) : undefined;
}

/** Base scope, then method scope. */
export function neededScopes(
  context: ExecutionContext,
  exchange: Exchange,
  catalog: ScopeCatalog,
): readonly string[] {
  const base = baseScopeOf(context, exchange);
  const method = methodScopeOf(exchange, catalog);
  return method === undefined || method === base ? [base] : [base, method];
}
