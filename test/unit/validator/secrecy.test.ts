/** Secrets: which form fields ask for one, and that no finding ever shows one. */

import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../../../src/validator/finding.js';
import { renderFinding } from '../../../src/validator/render-finding.js';
import { namesSecret, shownName } from '../../../src/validator/secrecy.js';
import { as, c, run, s, type ScriptStep } from '../../support/validator-world.js';

describe('a form field that asks for a secret', () => {
  it.each([
    'password',
    'Password',
    'PASSWORD',
    'newPassword',
    'user_password',
    'pass-word',
    'passwords',
    'password2',
    'passcode',
    'pass_code',
    'api_key',
    'apiKey',
    'API-Key',
    'apikey',
    'APIKEY',
    'APIKey',
    'myApiKeyValue',
    'api key',
    'access_token',
    'accessToken',
    'Access-Token',
    'accesstoken',
    'token',
    'authToken',
    'TOKEN',
    'secret',
    'client_secret',
    'clientSecret',
    'creditCard',
    'credit_card',
    'credit-card-number',
    'creditcard',
    'cvv',
    'CVV2',
    'card_cvv',
    'userapikey',
    'api.key',
  ])('%s', (field) => {
    expect(namesSecret(field)).toBe(true);
  });

  it.each([
    'language',
    'tokenizer',
    'secretary',
    'passenger',
    'key',
    'api',
    'access',
    'card',
    'keyboard',
    'compass',
    'word',
    'tokenization',
    'credit',
    'discoverage',
    'name',
    '',
  ])('%s is harmless', (field) => {
    expect(namesSecret(field)).toBe(false);
  });
});

const SECRETS = [
  'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'sk-live-0123456789abcdef0123456789',
  'Bearer abcdef0123456789',
];

describe.each(SECRETS)('a credential in a message (%#)', (secret) => {
  const conversations: Readonly<Record<string, ScriptStep[]>> = {
    'argument of a wrong type': [
      c({ id: 2, method: 'tools/call', params: { name: 'convert_amount', arguments: { amount: secret } } }),
    ],
    'argument outside the enum': [
      c({
        id: 2,
        method: 'tools/call',
        params: { name: 'convert_amount', arguments: { amount: 1, unit: secret } },
      }),
    ],
    'undeclared argument name': [
      c({
        id: 2,
        method: 'tools/call',
        params: { name: 'convert_amount', arguments: { amount: 1, [secret]: 1 } },
      }),
    ],
    'tool name': [c({ id: 2, method: 'tools/call', params: { name: secret.replaceAll(' ', '') } })],
    method: [c({ id: 2, method: secret })],
    'notification name': [c({ method: `notifications/${secret}` })],
    id: [s({ id: secret, result: {} })],
    'unknown member': [c({ id: 2, method: 'ping', [secret]: 1 })],
    'unknown param': [c({ id: 2, method: 'tools/list', params: { [secret]: 1 } })],
    URI: [c({ id: 2, method: 'resources/read', params: { uri: `docs://north/?t=${secret}` } }, as())],
    subject: [c({ id: 2, method: 'resources/list' }, as({ subject: secret }))],
    'context member': [c({ id: 2, method: 'resources/list' }, { ...as(), [secret]: 1 })],
    'form field': [
      s({
        id: 2,
        method: 'elicitation/create',
        params: {
          message: 'm',
          requestedSchema: { type: 'object', properties: { [secret]: { type: 'object' } } },
        },
      }),
    ],
    'schema keyword': [
      c({ id: 2, method: 'tools/list' }),
      s({ id: 2, result: { tools: [{ name: 't', inputSchema: { type: 'object', [secret]: 1 } }] } }),
    ],
    'progress token': [
      c({ method: 'notifications/progress', params: { progressToken: secret, progress: 1 } }),
    ],
  };

  it.each(Object.entries(conversations))('as %s is shown by its pointer only', (_where, steps) => {
    const found = run({ steps }).at(-1) as Finding;
    expect(found).toBeDefined();
    expect(JSON.stringify(found) + renderFinding(found)).not.toContain(secret);
  });
});

describe('a shown name', () => {
  it('is cut short', () => {
    expect(shownName('x y '.repeat(100))).toHaveLength(65);
  });

  it('has no control characters, nor ones that turn a terminal line around', () => {
    expect(shownName('a\u001b[31m\u202eb\nc')).toBe('a\ufffd[31m\ufffdb\ufffdc');
  });
});
