/**
 * Resources: descriptors, templates and contents, and what a tenant's policy lets through. What the session keeps
 * about subscriptions is changed here only on success (server/resources, and the profile's own budgets).
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import type { Snapshot } from './authorization.js';
import { decodedBase64Size, utf8Size } from './base64.js';
import { aCursor, aMimeType, annotations, aResourceUri, namedThing } from './descriptors.js';
import { type Check, type Finding, finding } from './finding.js';
import { LIMITS } from './limits.js';
import type { PolicyRevision } from './policy.js';
import type { PendingRequest, SessionState } from './session-state.js';
import { aString, firstFinding, isObject, meta, shape } from './shape.js';
import { uriTemplateProblem } from './uri.js';

const aSize: Check = (value, at) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LIMITS.contentBytes
    ? undefined
    : finding('resources.size', at, { limit: LIMITS.contentBytes });

const aTemplate: Check = (value, at) => {
  const problem =
    typeof value !== 'string'
      ? 'it is no string'
      : value.length > LIMITS.uriTemplateLength
        ? `it exceeds ${LIMITS.uriTemplateLength} characters`
        : uriTemplateProblem(value);
  return problem === undefined ? undefined : finding('resources.uri_template', at, { problem });
};

const described = { ...namedThing.optional, description: aString, mimeType: aMimeType, annotations };

/** schema#Resource, with the profile's bound on the announced size. */
export const resourceDescriptor: Check = shape(
  'resource descriptor',
  { uri: aResourceUri, ...namedThing.required },
  { ...described, size: aSize },
);

const templateDescriptor: Check = shape(
  'resource template descriptor',
  { uriTemplate: aTemplate, ...namedThing.required },
  described,
);

/** schema#ResourceRequestParams. */
export const uriParams: Check = shape('params', { uri: aResourceUri }, { _meta: meta });

const contentMembers: Check = shape(
  'resource content',
  { uri: aResourceUri },
  { mimeType: aMimeType, text: aString, blob: aString, _meta: meta },
);

/** schema#TextResourceContents or schema#BlobResourceContents, with the profile's bound on one item. */
export const resourceContent: Check = (value, at) => {
  if (isObject(value) && Object.hasOwn(value, 'text') === Object.hasOwn(value, 'blob')) {
    return finding('resources.content_kind', at);
  }
  const found = contentMembers(value, at);
  if (found !== undefined) return found;
  const size = contentSize(value as JsonObject);
  if (size === undefined) return finding('resources.base64', `${at}/blob`);
  if (size <= LIMITS.contentBytes) return undefined;
  return finding('resources.content_size', at, { limit: LIMITS.contentBytes });
};

/** UTF-8 size of the text or decoded size of the blob; undefined for a blob that is not Base64. */
function contentSize(content: JsonObject): number | undefined {
  return typeof content.text === 'string'
    ? utf8Size(content.text)
    : decodedBase64Size(content.blob as string);
}

/** The result of resources/list. */
export function judgeResourceList(
  result: JsonObject,
  pending: PendingRequest,
  state: SessionState,
): Finding | undefined {
  return judgePage(result, RESOURCE_PAGE, (uri) => checkTenantOfResource(uri, pending.snapshot, state));
}

/** The result of resources/templates/list. */
export function judgeTemplateList(
  result: JsonObject,
  pending: PendingRequest,
  state: SessionState,
): Finding | undefined {
  return judgePage(result, TEMPLATE_PAGE, (template) => {
    const revision = activePolicy(state);
    if (revision === undefined || pending.snapshot === undefined) return undefined;
    const tenants = revision.templates.get(template);
    if (tenants === undefined) return 'resources.not_in_policy';
    return tenants.has(pending.snapshot.tenant) ? undefined : 'resources.wrong_tenant';
  });
}

type PolicyRule = 'resources.not_in_policy' | 'resources.wrong_tenant';

interface Page {
  readonly listName: string;
  /** The member that names an item. */
  readonly key: string;
  readonly members: Check;
}

const RESOURCE_PAGE = page('resources', 'uri', resourceDescriptor);
const TEMPLATE_PAGE = page('resourceTemplates', 'uriTemplate', templateDescriptor);

function page(listName: string, key: string, item: Check): Page {
  const members = shape('result', { [listName]: pageOf(item) }, { nextCursor: aCursor, _meta: meta });
  return { listName, key, members };
}

function judgePage(
  result: JsonObject,
  { listName, key, members }: Page,
  policyRule: (id: string) => PolicyRule | undefined,
): Finding | undefined {
  const found = members(result, '/result');
  if (found !== undefined) return found;
  const seen = new Set<string>();
  return firstFinding(
    result[listName] as JsonValue[],
    (value, at) => {
      const id = (value as JsonObject)[key] as string;
      if (seen.has(id)) return finding('resources.duplicate', `${at}/${key}`);
      seen.add(id);
      const rule = policyRule(id);
      return rule === undefined ? undefined : finding(rule, `${at}/${key}`);
    },
    `/result/${listName}`,
  );
}

/** A list page: an array of at most 256 items that each pass. */
export function pageOf(item: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return finding('shape.type', at, { expected: 'an array' });
    if (value.length > LIMITS.pageItems)
      return finding('resources.page_size', at, { limit: LIMITS.pageItems });
    return firstFinding(value, item, at);
  };
}

const readMembers = shape(
  'result',
  {
    contents: (value, at) => {
      if (!Array.isArray(value)) return finding('shape.type', at, { expected: 'an array' });
      if (value.length > LIMITS.contentItems) {
        return finding('resources.content_count', at, { limit: LIMITS.contentItems });
      }
      return firstFinding(value, resourceContent, at);
    },
  },
  { _meta: meta },
);

/** The result of resources/read: only the URI that was read, or what the policy lists as its child. */
export function judgeRead(
  result: JsonObject,
  pending: PendingRequest,
  state: SessionState,
): Finding | undefined {
  const found = readMembers(result, '/result');
  if (found !== undefined) return found;
  const contents = result.contents as JsonObject[];
  let total = 0;
  for (const content of contents) total += contentSize(content) ?? 0;
  if (total > LIMITS.contentBytes) {
    return finding('resources.contents_size', '/result/contents', { limit: LIMITS.contentBytes });
  }
  const seen = new Set<string>();
  return firstFinding(
    contents,
    (value, at) => {
      const uri = (value as JsonObject).uri as string;
      if (seen.has(uri)) return finding('resources.duplicate', `${at}/uri`);
      seen.add(uri);
      return checkCovered(uri, pending.subject, 'resources.unrelated_content', `${at}/uri`, state);
    },
    '/result/contents',
  );
}

/** Without a policy nobody can say which URIs are children, so only a policy makes this a finding. */
function checkCovered(
  uri: string,
  authorized: string,
  rule: 'resources.unrelated_content' | 'resources.no_active_subscription',
  at: string,
  state: SessionState,
): Finding | undefined {
  if (uri === authorized) return undefined;
  const revision = activePolicy(state);
  if (revision === undefined || revision.resources.get(authorized)?.children.has(uri) === true)
    return undefined;
  return finding(uri.startsWith(authorized) ? 'resources.prefix_is_not_child' : rule, at);
}

/** Whether the policy lets the snapshot's tenant name this resource. */
export function checkResourceAccess(
  uri: string,
  snapshot: Snapshot | undefined,
  state: SessionState,
): Finding | undefined {
  const rule = checkTenantOfResource(uri, snapshot, state);
  return rule === undefined ? undefined : finding(rule, '/params/uri');
}

function checkTenantOfResource(
  uri: string,
  snapshot: Snapshot | undefined,
  state: SessionState,
): PolicyRule | undefined {
  const revision = activePolicy(state);
  if (revision === undefined || snapshot === undefined) return undefined;
  const resource = revision.resources.get(uri);
  if (resource === undefined) return 'resources.not_in_policy';
  return resource.tenant === snapshot.tenant ? undefined : 'resources.wrong_tenant';
}

function activePolicy(state: SessionState): PolicyRevision | undefined {
  return state.policy?.revisions.get(state.activeRevision);
}

/** Whose subscription it is; without a policy all belong to one anonymous principal. */
function subscriber(snapshot: Snapshot | undefined): { subject: string; tenant: string } {
  return { subject: snapshot?.subject ?? '', tenant: snapshot?.tenant ?? '' };
}

/** A resources/subscribe or resources/unsubscribe request against what is active and under way. */
export function judgeSubscriptionRequest(
  kind: 'subscribe' | 'unsubscribe',
  uri: string,
  snapshot: Snapshot | undefined,
  state: SessionState,
): Finding | undefined {
  const who = subscriber(snapshot);
  const pending = state.subscriptions.pendingKind(who, uri);
  if (pending === 'subscribe') return finding('resources.pending_subscription', '/params/uri');
  if (pending === 'unsubscribe') return finding('resources.pending_unsubscription', '/params/uri');
  const isActive = state.subscriptions.isActive(who, uri);
  if (kind === 'unsubscribe')
    return isActive ? undefined : finding('resources.not_subscribed', '/params/uri');
  if (isActive) return finding('resources.duplicate_subscription', '/params/uri');
  if (!state.subscriptions.isFull) return undefined;
  return finding('resources.too_many_subscriptions', '/params/uri', { limit: LIMITS.subscriptions });
}

export function beginSubscription(
  kind: 'subscribe' | 'unsubscribe',
  pending: PendingRequest,
  state: SessionState,
): void {
  state.subscriptions.begin(kind, subscriber(pending.snapshot), pending.subject);
}

export function endSubscription(
  kind: 'subscribe' | 'unsubscribe',
  pending: PendingRequest,
  state: SessionState,
  succeeded: boolean,
): void {
  state.subscriptions.end(kind, subscriber(pending.snapshot), pending.subject, succeeded);
}

/** notifications/resources/updated against the active subscriptions of the principal it is delivered to. */
export function judgeUpdate(
  uri: string,
  snapshot: Snapshot | undefined,
  state: SessionState,
): Finding | undefined {
  // What an active subscription covers was checked against the policy of the same revision when it began.
  const subscribed = state.subscriptions.of(subscriber(snapshot));
  if (subscribed.has(uri)) return undefined;
  const revision = activePolicy(state);
  if (revision === undefined) {
    // "This might be a sub-resource" (schema#ResourceUpdatedNotification): without a policy nobody can tell.
    return subscribed.size > 0 ? undefined : finding('resources.no_active_subscription', '/params/uri');
  }
  let sharesPrefix = false;
  for (const parent of subscribed) {
    if (revision.resources.get(parent)?.children.has(uri) === true) return undefined;
    if (uri.startsWith(parent)) sharesPrefix = true;
  }
  return finding(
    sharesPrefix ? 'resources.prefix_is_not_child' : 'resources.no_active_subscription',
    '/params/uri',
  );
}
