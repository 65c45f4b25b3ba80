/**
 * The authorization policy of a fixture or a `--policy` file: per revision who there is, which resources and
 * templates belong to which tenant, and which URIs are children of which. A child is a child because it is listed.
 * Reading it either gives a policy or one sentence that says what is wrong; judging with it is authorization.ts.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { LIMITS } from './limits.js';
import { pointerTo, shownName } from './secrecy.js';
import { isObject } from './shape.js';
import { isAbsoluteUri, uriTemplateProblem } from './uri.js';

export type Scope = 'resources:list' | 'resources:read' | 'resources:subscribe';

export interface PolicyPrincipal {
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  readonly isEnabled: boolean;
}

export interface PolicyResource {
  readonly tenant: string;
  readonly children: ReadonlySet<string>;
}

export interface PolicyRevision {
  readonly principals: ReadonlyMap<string, PolicyPrincipal>;
  readonly resources: ReadonlyMap<string, PolicyResource>;
  /** uriTemplate → the tenants that have it. */
  readonly templates: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What a transport_context says when it does not say otherwise. */
export interface ContextDefaults {
  readonly transport: string;
  readonly tokenActive: boolean;
  readonly tokenAudience: string;
  readonly resource: string;
}

export interface Policy {
  readonly protectedResource: string;
  readonly initialRevision: string;
  readonly revisions: ReadonlyMap<string, PolicyRevision>;
  readonly defaults: ContextDefaults;
}

export type PolicyResult =
  { readonly ok: true; readonly policy: Policy } | { readonly ok: false; readonly problem: string };

const SCOPES: ReadonlySet<string> = new Set<Scope>([
  'resources:list',
  'resources:read',
  'resources:subscribe',
]);

/** Thrown only inside this file, and caught by {@link readPolicy}. */
class PolicyProblem extends Error {}

/**
 * @param authorization the member `authorization` of a fixture or policy file
 * @param defaults its member `transport_context_defaults`; without it both URIs are the protected resource
 */
export function readPolicy(authorization: JsonValue, defaults: JsonValue | undefined): PolicyResult {
  try {
    return { ok: true, policy: policyOf(authorization, defaults) };
  } catch (error) {
    if (error instanceof PolicyProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

function policyOf(value: JsonValue, defaultsValue: JsonValue | undefined): Policy {
  const authorization = record(value, '/authorization', [
    'protected_resource',
    'initial_revision',
    'revisions',
  ]);
  const protectedResource = uri(authorization.protected_resource, '/authorization/protected_resource');
  const initialRevision = text(authorization.initial_revision, '/authorization/initial_revision');
  const revisionsAt = '/authorization/revisions';
  const revisions = new Map<string, PolicyRevision>();
  for (const [name, revision] of entries(authorization.revisions, revisionsAt)) {
    revisions.set(name, revisionOf(revision, pointerTo(revisionsAt, name)));
  }
  if (!revisions.has(initialRevision)) {
    throw new PolicyProblem('/authorization/initial_revision is not one of the revisions');
  }
  const defaults = defaultsOf(defaultsValue, protectedResource);
  return { protectedResource, initialRevision, revisions, defaults };
}

function defaultsOf(value: JsonValue | undefined, protectedResource: string): ContextDefaults {
  if (value === undefined) {
    const both = { tokenAudience: protectedResource, resource: protectedResource };
    return { transport: 'streamable_http', tokenActive: true, ...both };
  }
  const at = '/transport_context_defaults';
  const defaults = record(value, at, ['transport', 'token_active', 'token_audience', 'resource']);
  if (defaults.transport !== 'streamable_http')
    throw new PolicyProblem(`${at}/transport must be "streamable_http"`);
  if (defaults.token_active !== true) throw new PolicyProblem(`${at}/token_active must be true`);
  for (const member of ['token_audience', 'resource']) {
    if (defaults[member] !== protectedResource) {
      throw new PolicyProblem(`${at}/${member} must equal /authorization/protected_resource`);
    }
  }
  const both = { tokenAudience: protectedResource, resource: protectedResource };
  return { transport: 'streamable_http', tokenActive: true, ...both };
}

function revisionOf(value: JsonValue, at: string): PolicyRevision {
  const revision = record(value, at, ['principals', 'resources', 'resourceTemplates']);
  const principals = new Map<string, PolicyPrincipal>();
  for (const [subject, principal] of entries(revision.principals, `${at}/principals`)) {
    principals.set(subject, principalOf(principal, pointerTo(`${at}/principals`, subject)));
  }
  return {
    principals,
    resources: resourcesOf(revision.resources, `${at}/resources`),
    templates: templatesOf(revision.resourceTemplates, `${at}/resourceTemplates`),
  };
}

function principalOf(value: JsonValue, at: string): PolicyPrincipal {
  const principal = record(value, at, ['tenant', 'scopes'], ['enabled']);
  const scopes = list(principal.scopes, `${at}/scopes`).map((scope) => {
    if (typeof scope === 'string' && SCOPES.has(scope)) return scope;
    throw new PolicyProblem(`${at}/scopes may hold only ${[...SCOPES].join(', ')}`);
  });
  if (principal.enabled !== undefined && typeof principal.enabled !== 'boolean') {
    throw new PolicyProblem(`${at}/enabled must be a boolean`);
  }
  const tenant = text(principal.tenant, `${at}/tenant`);
  return { tenant, scopes: new Set(scopes), isEnabled: principal.enabled !== false };
}

function resourcesOf(value: JsonValue | undefined, at: string): ReadonlyMap<string, PolicyResource> {
  const resources = new Map<string, PolicyResource>();
  for (const [index, item] of list(value, at).entries()) {
    const itemAt = `${at}/${index}`;
    const resource = record(item, itemAt, ['uri', 'tenant'], ['children']);
    const own = uri(resource.uri, `${itemAt}/uri`);
    if (resources.has(own)) throw new PolicyProblem(`${itemAt}/uri is listed twice`);
    const children = resource.children === undefined ? [] : list(resource.children, `${itemAt}/children`);
    const childUris = children.map((child, i) => uri(child, `${itemAt}/children/${i}`));
    if (new Set(childUris).size < childUris.length)
      throw new PolicyProblem(`${itemAt}/children lists one URI twice`);
    resources.set(own, { tenant: text(resource.tenant, `${itemAt}/tenant`), children: new Set(childUris) });
  }
  for (const [own, resource] of resources) {
    for (const child of resource.children) {
      // A child in another tenant would be a hole in the very wall the policy draws.
      const listed = resources.get(child);
      if (child === own) throw new PolicyProblem(`${at} lists a resource as its own child`);
      if (listed === undefined)
        throw new PolicyProblem(`${at} lists a child that is no resource of the revision`);
      if (listed.tenant !== resource.tenant) throw new PolicyProblem(`${at} lists a child of another tenant`);
    }
  }
  return resources;
}

function templatesOf(value: JsonValue | undefined, at: string): ReadonlyMap<string, ReadonlySet<string>> {
  const templates = new Map<string, Set<string>>();
  for (const [index, item] of list(value, at).entries()) {
    const itemAt = `${at}/${index}`;
    const template = record(item, itemAt, ['uriTemplate', 'tenant']);
    const uriTemplate = text(template.uriTemplate, `${itemAt}/uriTemplate`);
    const problem = uriTemplateProblem(uriTemplate);
    if (problem !== undefined)
      throw new PolicyProblem(`${itemAt}/uriTemplate must follow RFC 6570: ${problem}`);
    const tenant = text(template.tenant, `${itemAt}/tenant`);
    const tenants = templates.get(uriTemplate) ?? new Set();
    if (tenants.has(tenant)) throw new PolicyProblem(`${itemAt} is listed twice`);
    templates.set(uriTemplate, tenants.add(tenant));
  }
  return templates;
}

function record(
  value: JsonValue | undefined,
  at: string,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  if (!isObject(value)) throw new PolicyProblem(`${at} must be an object`);
  for (const member of required) {
    if (!Object.hasOwn(value, member)) throw new PolicyProblem(`${at} lacks the key ${member}`);
  }
  for (const member in value) {
    if (!required.includes(member) && !optional.includes(member)) {
      throw new PolicyProblem(`${at} has unknown keys: ${shownName(member)}`);
    }
  }
  return value;
}

function entries(value: JsonValue | undefined, at: string): [string, JsonValue][] {
  if (!isObject(value)) throw new PolicyProblem(`${at} must be an object`);
  const all = Object.entries(value);
  if (all.some(([key]) => key === '')) throw new PolicyProblem(`${at} has an empty name`);
  return all;
}

function list(value: JsonValue | undefined, at: string): JsonValue[] {
  if (!Array.isArray(value)) throw new PolicyProblem(`${at} must be an array`);
  return value;
}

function text(value: JsonValue | undefined, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new PolicyProblem(`${at} must be a non-empty string`);
}

function uri(value: JsonValue | undefined, at: string): string {
  const candidate = text(value, at);
  if (candidate.length <= LIMITS.uriLength && isAbsoluteUri(candidate)) return candidate;
  throw new PolicyProblem(
    `${at} must be an absolute URI (RFC 3986) of at most ${LIMITS.uriLength} characters`,
  );
}
