/** Vectors for the authorization snapshot, resources, subscriptions and icons. */

import type { RuleId } from '../../src/validator/catalogue.js';
import { steps, type Vector } from './validator-vector.js';
import {
  as,
  c,
  GUIDE,
  GUIDEBOOK,
  INTRO,
  type Json,
  PAGE,
  PLAN,
  s,
  type ScriptStep,
  type Step,
} from './validator-world.js';

const list = (context?: unknown, id = 2): Step => c({ id, method: 'resources/list' }, context);
const read = (uri: string, context: unknown = as(), id = 2): Step =>
  c({ id, method: 'resources/read', params: { uri } }, context);
const subscribe = (uri: string, id: number, context: unknown = as()): Step =>
  c({ id, method: 'resources/subscribe', params: { uri } }, context);
const unsubscribe = (uri: string, id: number): Step =>
  c({ id, method: 'resources/unsubscribe', params: { uri } }, as());
const updated = (uri: string, context: unknown = as()): Step =>
  s({ method: 'notifications/resources/updated', params: { uri } }, context);
const ok = (id: number, result: Json = {}): Step => s({ id, result });
const failed = (id: number): Step => s({ id, error: { code: -32603, message: 'no' } });

/** A resources/list whose one descriptor has these members. */
const described = (members: Json): ScriptStep[] => [
  list(as()),
  ok(2, { resources: [{ uri: GUIDE, name: 'guide', ...members }] }),
];
/** A resources/read of the guide with these contents. */
const contents = (...items: Json[]): ScriptStep[] => [read(GUIDE), ok(2, { contents: items })];
const text = (length: number): Json => ({ uri: GUIDE, text: 'x'.repeat(length) });
const templates = (...uriTemplates: string[]): ScriptStep[] => [
  c({ id: 2, method: 'resources/templates/list' }, as()),
  ok(2, { resourceTemplates: uriTemplates.map((uriTemplate) => ({ uriTemplate, name: 'page' })) }),
];
const listedTools = (members: Json): ScriptStep[] => [
  c({ id: 2, method: 'tools/list' }),
  ok(2, { tools: [{ name: 't', inputSchema: { type: 'object' }, ...members }] }),
];

export const RESOURCE_VECTORS = {
  'authorization.context_missing': steps([list(as())], [list()]),
  'authorization.context_not_allowed': steps(
    [c({ id: 2, method: 'tools/list' })],
    [c({ id: 2, method: 'tools/list' }, as())],
  ),
  'authorization.context_shape': steps([list(as())], [list({ ...as(), token: 'x' })]),
  'authorization.transport': steps([list(as())], [list(as({ transport: 'stdio' }))]),
  'authorization.token_inactive': steps(
    [list(as({ token_active: true }))],
    [list(as({ token_active: false }))],
  ),
  'authorization.audience': steps(
    [list(as({ token_audience: 'https://door.example/mcp' }))],
    [list(as({ token_audience: 'https://door.example/mcp/' }))],
  ),
  'authorization.resource': steps(
    [list(as({ resource: 'https://door.example/mcp' }))],
    [list(as({ resource: 'https://other.example/mcp' }))],
  ),
  'authorization.stale_revision': steps(
    [{ revision: 'second' }, list(as({ subject: 'eve', authorization_revision: 'second' }))],
    [{ revision: 'second' }, list(as({ subject: 'eve', authorization_revision: 'first' }))],
  ),
  'authorization.unknown_revision': steps([{ revision: 'second' }], [{ revision: 'third' }]),
  'authorization.unknown_subject': steps([list(as())], [list(as({ subject: 'nobody' }))]),
  'authorization.subject_disabled': steps([list(as())], [list(as({ subject: 'ida' }))]),
  'authorization.tenant_binding': steps([list(as())], [list(as({ tenant: 'south' }))]),
  'authorization.scope_exceeds_grant': steps(
    [list(as({ subject: 'rex', scopes: ['resources:list', 'resources:read'] }))],
    [list(as({ subject: 'rex', scopes: ['resources:list', 'resources:subscribe'] }))],
  ),
  'authorization.scope_missing': steps(
    [list(as({ scopes: ['resources:list'] }))],
    [list(as({ scopes: ['resources:read'] }))],
  ),
  'resources.cursor': steps(
    [c({ id: 2, method: 'resources/list', params: { cursor: 'p2' } }, as())],
    [c({ id: 2, method: 'resources/list', params: { cursor: '' } }, as())],
  ),
  'resources.uri': steps([read(GUIDE)], [read('north/guide')]),
  'resources.uri_template': steps(templates(PAGE), templates('docs://north/page/{id')),
  'resources.mime_type': steps(
    described({ mimeType: 'text/markdown; charset=utf-8' }),
    described({ mimeType: 'markdown' }),
  ),
  'resources.annotations': steps(
    described({ annotations: { audience: ['user'], priority: 1, lastModified: '2025-01-12T15:00:58Z' } }),
    described({ annotations: { priority: 1.1 } }),
  ),
  'resources.size': steps(described({ size: 65_536 }), described({ size: 65_537 })),
  'resources.duplicate': steps(templates(PAGE), templates(PAGE, PAGE)),
  'resources.page_size': steps(
    [c({ id: 2, method: 'tools/list' }), ok(2, { tools: tools(256) })],
    [c({ id: 2, method: 'tools/list' }), ok(2, { tools: tools(257) })],
  ),
  'resources.content_count': steps(contents(text(1)), contents(...Array.from({ length: 65 }, () => text(0)))),
  'resources.content_kind': steps(
    contents({ uri: GUIDE, text: '' }),
    contents({ uri: GUIDE, text: '', blob: '' }),
  ),
  'resources.base64': steps(contents({ uri: GUIDE, blob: 'TQ==' }), contents({ uri: GUIDE, blob: 'TR==' })),
  'resources.content_size': steps(contents(text(65_536)), contents({ uri: GUIDE, text: 'é'.repeat(32_769) })),
  'resources.contents_size': steps(
    contents(text(65_000), { uri: INTRO, text: 'x'.repeat(536) }),
    contents(text(65_000), { uri: INTRO, text: 'x'.repeat(537) }),
  ),
  'resources.not_in_policy': steps([read(GUIDE)], [read('docs://north/unlisted')]),
  'resources.wrong_tenant': steps([read(GUIDE)], [read(PLAN)]),
  'resources.unrelated_content': steps(
    contents({ uri: INTRO, text: '' }),
    contents({ uri: 'docs://north/other', text: '' }),
  ),
  'resources.prefix_is_not_child': steps(
    [subscribe(GUIDE, 2), ok(2), updated(INTRO)],
    [subscribe(GUIDE, 2), ok(2), updated(GUIDEBOOK)],
  ),
  'resources.no_active_subscription': steps(
    [subscribe(GUIDE, 2), ok(2), updated(GUIDE)],
    [subscribe(GUIDE, 2), failed(2), updated(GUIDE)],
  ),
  'resources.duplicate_subscription': steps(
    [subscribe(GUIDE, 2), ok(2), subscribe(INTRO, 3)],
    [subscribe(GUIDE, 2), ok(2), subscribe(GUIDE, 3)],
  ),
  'resources.pending_subscription': steps(
    [subscribe(GUIDE, 2), subscribe(GUIDE, 3, as({ subject: 'eve' }))],
    [subscribe(GUIDE, 2), subscribe(GUIDE, 3)],
  ),
  'resources.pending_unsubscription': steps(
    [subscribe(GUIDE, 2), ok(2), unsubscribe(GUIDE, 3), failed(3), unsubscribe(GUIDE, 4)],
    [subscribe(GUIDE, 2), ok(2), unsubscribe(GUIDE, 3), unsubscribe(GUIDE, 4)],
  ),
  'resources.not_subscribed': steps(
    [subscribe(GUIDE, 2), ok(2), unsubscribe(GUIDE, 3)],
    [unsubscribe(GUIDE, 3)],
  ),
  'resources.too_many_subscriptions': steps(manySubscriptions(1024), manySubscriptions(1025), {
    hasPolicy: false,
  }),
  'icons.src': steps(
    listedTools({ icons: [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'] }] }),
    listedTools({ icons: [{ src: 'javascript:alert(1)' }] }),
  ),
} as const satisfies Partial<Record<RuleId, Vector>>;

function tools(count: number): Json[] {
  return Array.from({ length: count }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } }));
}

function manySubscriptions(count: number): ScriptStep[] {
  return Array.from({ length: count }, (_, i) => [
    c({ id: i, method: 'resources/subscribe', params: { uri: `docs://x/${i}` } }),
    ok(i),
  ])
    .flat()
    .slice(0, count > 1024 ? -1 : undefined);
}
