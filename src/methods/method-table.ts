/**
 * JSON-RPC method → handler, scope and way of answering. Found once at start among all providers; a name
 * that is declared twice stops the start. Names from the wire are looked up in a Map, never in an object.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { BASE_SCOPES, ScopeCatalog } from '../auth/scope-catalog.js';
import { MCP_METHOD, type McpMethodDeclaration, type McpMethodHandler } from './mcp-method.js';

export interface MethodEntry extends McpMethodDeclaration {
  readonly handle: McpMethodHandler;
}

const NOTIFICATION_PREFIX = 'notifications/';
/** Answered by the transport itself, so that no provider may declare it. */
const RESERVED = 'initialize';

@Injectable()
export class MethodTable extends ScopeCatalog implements OnModuleInit {
  readonly #requests = new Map<string, MethodEntry>();
  readonly #notifications = new Map<string, MethodEntry>();
  #supported: readonly string[] = BASE_SCOPES;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {
    super();
  }

  onModuleInit(): void {
    const seen = new Set<unknown>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance: unknown = wrapper.instance;
      // An alias (useExisting) is no second declaration.
      if (typeof instance !== 'object' || instance === null || seen.has(instance)) continue;
      seen.add(instance);
      const prototype: unknown = Object.getPrototypeOf(instance);
      if (typeof prototype !== 'object' || prototype === null) continue;
      const isShared = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
      for (const member of this.scanner.getAllMethodNames(prototype)) {
        this.#declare(instance, member, isShared);
      }
    }
    const scopes = [...this.#requests.values()]
      .map(({ scope }) => scope)
      .filter((scope) => scope !== undefined);
    this.#supported = Object.freeze([...new Set([...BASE_SCOPES, ...scopes.toSorted()])]);
  }

  override get supported(): readonly string[] {
    return this.#supported;
  }

  override methodScope(method: string): string | undefined {
    return this.#requests.get(method)?.scope;
  }

  request(method: string): MethodEntry | undefined {
    return this.#requests.get(method);
  }

  notification(method: string): MethodEntry | undefined {
    return this.#notifications.get(method);
  }

  #declare(instance: object, member: string, isShared: boolean): void {
    const callback = (instance as Record<string, unknown>)[member];
    if (typeof callback !== 'function') return;
    const declaration = this.reflector.get<McpMethodDeclaration | undefined>(
      MCP_METHOD,
      callback as () => unknown,
    );
    if (declaration === undefined) return;
    const { name } = declaration;
    const table = name.startsWith(NOTIFICATION_PREFIX) ? this.#notifications : this.#requests;
    const before = table.get(name);
    const problem = problemWith(declaration, before, isShared);
    if (problem !== undefined) {
      throw new Error(`@McpMethod('${name}') on ${instance.constructor.name}.${member}: ${problem}`);
    }
    if (before && declaration.replaceable) return;
    const handle = callback.bind(instance) as McpMethodHandler;
    table.set(name, { ...declaration, handle });
  }
}

function problemWith(
  { name, replaceable }: McpMethodDeclaration,
  before: MethodEntry | undefined,
  isShared: boolean,
): string | undefined {
  if (name === '') return 'the name is empty';
  if (name === RESERVED) return 'the name is reserved';
  if (!isShared) return 'its provider must be a singleton, not request-scoped or transient';
  return before?.replaceable === replaceable ? 'the name is declared twice' : undefined;
}
