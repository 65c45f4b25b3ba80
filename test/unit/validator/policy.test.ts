/** Reading a policy: what it holds, and the sentence for each way it can be wrong. */

import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../src/protocol/strict-json.js';
import { readPolicy } from '../../../src/validator/policy.js';
import {
  AUTHORIZATION,
  DEFAULTS,
  GUIDE,
  INTRO,
  type Json,
  PAGE,
  RESOURCE,
  testPolicy,
} from '../../support/validator-world.js';

function problem(changes: Json, defaults: unknown = DEFAULTS): string {
  const read = readPolicy({ ...AUTHORIZATION, ...changes } as JsonValue, defaults as JsonValue);
  return read.ok ? 'it was accepted' : read.problem;
}

const inRevision = (changes: Json): Json => ({
  revisions: { first: { principals: {}, resources: [], resourceTemplates: [], ...changes } },
});
const at = '/authorization/revisions/first';

describe('a policy', () => {
  it('is read whole', () => {
    const policy = testPolicy();
    const first = policy.revisions.get('first');
    expect(policy.protectedResource).toBe(RESOURCE);
    expect(policy.initialRevision).toBe('first');
    expect(first?.principals.get('rex')).toEqual({
      tenant: 'north',
      scopes: new Set(['resources:list', 'resources:read']),
      isEnabled: true,
    });
    expect(first?.resources.get(GUIDE)).toEqual({ tenant: 'north', children: new Set([INTRO]) });
    expect(first?.templates.get(PAGE)).toEqual(new Set(['north']));
    expect(policy.revisions.get('second')?.principals.get('ada')?.isEnabled).toBe(false);
  });

  it('may leave the defaults out', () => {
    const read = readPolicy(AUTHORIZATION as JsonValue, undefined);
    expect(read).toMatchObject({
      ok: true,
      policy: { defaults: { tokenAudience: RESOURCE, tokenActive: true } },
    });
  });

  it('takes names like those of Object.prototype as names', () => {
    const text = `{"principals":{"__proto__":{"tenant":"t","scopes":[]}},"resources":[],"resourceTemplates":[]}`;
    const revisions = { first: JSON.parse(text) as JsonValue };
    const read = readPolicy({ ...(AUTHORIZATION as JsonObject), revisions }, undefined);
    expect(read.ok && [...(read.policy.revisions.get('first')?.principals.keys() ?? [])]).toEqual([
      '__proto__',
    ]);
  });

  it.each<[string, string, Json]>([
    [
      'a relative protected resource',
      '/authorization/protected_resource must be an absolute URI (RFC 3986) of at most 2048 characters',
      { protected_resource: '/mcp' },
    ],
    [
      'an unknown initial revision',
      '/authorization/initial_revision is not one of the revisions',
      { initial_revision: 'x' },
    ],
    ['an unknown key', '/authorization has unknown keys: extra', { extra: 1 }],
    ['revisions as array', '/authorization/revisions must be an object', { revisions: [] }],
    ['an unknown key of a revision', `${at} has unknown keys: groups`, inRevision({ groups: {} })],
    [
      'a scope nobody knows',
      `${at}/principals/a/scopes may hold only resources:list, resources:read, resources:subscribe`,
      inRevision({ principals: { a: { tenant: 't', scopes: ['admin'] } } }),
    ],
    [
      'enabled that is no boolean',
      `${at}/principals/a/enabled must be a boolean`,
      inRevision({ principals: { a: { tenant: 't', scopes: [], enabled: 1 } } }),
    ],
    [
      'a principal without tenant',
      `${at}/principals/a lacks the key tenant`,
      inRevision({ principals: { a: { scopes: [] } } }),
    ],
    [
      'a resource twice',
      `${at}/resources/1/uri is listed twice`,
      inRevision({
        resources: [
          { uri: 'a:b', tenant: 't' },
          { uri: 'a:b', tenant: 't' },
        ],
      }),
    ],
    [
      'a relative resource',
      `${at}/resources/0/uri must be an absolute URI (RFC 3986) of at most 2048 characters`,
      inRevision({ resources: [{ uri: 'b', tenant: 't' }] }),
    ],
    [
      'a child of another tenant',
      `${at}/resources lists a child of another tenant`,
      inRevision({
        resources: [
          { uri: 'a:b', tenant: 't', children: ['a:c'] },
          { uri: 'a:c', tenant: 'u' },
        ],
      }),
    ],
    [
      'a child that is no resource',
      `${at}/resources lists a child that is no resource of the revision`,
      inRevision({ resources: [{ uri: 'a:b', tenant: 't', children: ['a:c'] }] }),
    ],
    [
      'its own child',
      `${at}/resources lists a resource as its own child`,
      inRevision({ resources: [{ uri: 'a:b', tenant: 't', children: ['a:b'] }] }),
    ],
    [
      'a broken template',
      `${at}/resourceTemplates/0/uriTemplate must follow RFC 6570: an expression has no valid RFC 6570 variable name`,
      inRevision({ resourceTemplates: [{ uriTemplate: 'a:{b-c}', tenant: 't' }] }),
    ],
  ])('is refused with %s', (_name, sentence, changes) => {
    expect(problem({ initial_revision: 'first', ...changes })).toBe(sentence);
  });

  it.each<[string, string, unknown]>([
    [
      'another transport',
      '/transport_context_defaults/transport must be "streamable_http"',
      { ...DEFAULTS, transport: 'stdio' },
    ],
    [
      'an inactive token',
      '/transport_context_defaults/token_active must be true',
      { ...DEFAULTS, token_active: false },
    ],
    [
      'another audience',
      '/transport_context_defaults/token_audience must equal /authorization/protected_resource',
      { ...DEFAULTS, token_audience: 'a:b' },
    ],
    [
      'an unknown key',
      '/transport_context_defaults has unknown keys: subject',
      { ...DEFAULTS, subject: 'x' },
    ],
  ])('is refused with defaults of %s', (_name, sentence, defaults) => {
    expect(problem({}, defaults)).toBe(sentence);
  });
});
