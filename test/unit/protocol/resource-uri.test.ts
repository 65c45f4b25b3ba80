import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  isAbsoluteResourceUri,
  protectedResourceMetadataPath,
  ResourceUriError,
  tenantHandbookUri,
} from '../../../src/protocol/resource-uri.js';

const SEGMENT = /^kb:\/\/tenant\/((?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+)\/handbook$/;

describe('tenantHandbookUri', () => {
  test.each([
    ['acme', 'kb://tenant/acme/handbook'],
    ['AZaz09-._~', 'kb://tenant/AZaz09-._~/handbook'],
    ['租户/甲?#', 'kb://tenant/%E7%A7%9F%E6%88%B7%2F%E7%94%B2%3F%23/handbook'],
    ["!'()*", 'kb://tenant/%21%27%28%29%2A/handbook'],
    [
      '$&+,;=:@[]%"<>\\^`{|} \'',
      'kb://tenant/%24%26%2B%2C%3B%3D%3A%40%5B%5D%25%22%3C%3E%5C%5E%60%7B%7C%7D%20%27/handbook',
    ],
    ['\u{1f600}', 'kb://tenant/%F0%9F%98%80/handbook'],
    ['\0\n\u007f', 'kb://tenant/%00%0A%7F/handbook'],
    ['../other', 'kb://tenant/..%2Fother/handbook'],
    ['...', 'kb://tenant/.../handbook'],
    ['%2E%2E', 'kb://tenant/%252E%252E/handbook'],
    ['.', 'kb://tenant/%2E/handbook'],
    ['..', 'kb://tenant/%2E%2E/handbook'],
  ])('%j', (tenant, uri) => {
    expect(tenantHandbookUri(tenant)).toBe(uri);
  });

  test.each(['', '\ud800', 'a\udc00b', '\udc00\ud800'])('throws on %j', (tenant) => {
    expect(() => tenantHandbookUri(tenant)).toThrow(ResourceUriError);
  });

  test.each(['.', '..'])('a reader that normalises loses the tenant %j and finds no other', (tenant) => {
    expect(new URL(tenantHandbookUri(tenant)).href).toBe('kb://tenant/handbook');
  });

  test('is one segment from which the tenant comes back, and URL keeps it', () => {
    const tenant = fc.string({ unit: 'binary', minLength: 1 }).filter((s) => s !== '.' && s !== '..');
    fc.assert(
      fc.property(tenant, (name) => {
        const uri = tenantHandbookUri(name);
        expect(decodeURIComponent(SEGMENT.exec(uri)?.[1] ?? '')).toBe(name);
        expect(new URL(uri).href).toBe(uri);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('isAbsoluteResourceUri', () => {
  test.each([
    'http://127.0.0.1:3000/mcp',
    'https://mcp.example.com/mcp',
    'https://mcp.example.com',
    'https://mcp.example.com/',
    'https://mcp.example.com:8443/a/b/',
    'HTTPS://MCP.Example.com/mcp',
    'http://localhost/mcp',
    'http://[::1]:3000/mcp',
    "https://a/b:c@d;e=f!$&'()*+,~_-.",
    'https://a/%E7%A7%9F%2f',
    'https://a/...',
    'https://a//b',
  ])('yes: %s', (value) => {
    expect(isAbsoluteResourceUri(value)).toBe(true);
  });

  test.each([
    '',
    'mcp',
    '/mcp',
    '//a/mcp',
    'a.example/mcp',
    'ftp://a/mcp',
    'kb://tenant/a',
    'urn:a:b',
    'https:',
    'https://',
    'https:///mcp',
    'https:a/mcp',
    'https:/a/mcp',
    'https://a/mcp#',
    'https://a/mcp#x',
    'https://a/mcp?',
    'https://a/mcp?x=y',
    'https://a?x',
    'https://u@a/mcp',
    'https://u:p@a/mcp',
    'https://@a/mcp',
    'https://:@a/mcp',
    'https://a\\@b/mcp',
    'https://a\\b',
    'https://a:99999/mcp',
    'https://a:b/mcp',
    'https://[::1/mcp',
    'https://[x]/mcp',
    'https://1.2.3.256/mcp',
    ' https://a/mcp',
    'https://a/mcp ',
    'https://a/m cp',
    'https://a/\tmcp',
    'https://a/mcp\n',
    'https://a/%',
    'https://a/%zz',
    'https://a/%4',
    'https://a/租',
    'https://é/mcp',
    'https://a/./mcp',
    'https://a/../mcp',
    'https://a/b/..',
    'https://a/%2e%2E/mcp',
    'https://a/"',
    'https://a/{b}',
    'https://a,https://b',
  ])('no: %j', (value) => {
    expect(isAbsoluteResourceUri(value)).toBe(false);
  });

  test('never throws', () => {
    const near = fc.string({ unit: fc.constantFrom(...'ah.:/?#@[]%2e\\ 1'.split('')), maxLength: 20 });
    fc.assert(
      fc.property(near, (rest) => {
        const value = `http://${rest}`;
        const url = URL.canParse(value) ? new URL(value) : undefined;
        const isPlain = url !== undefined && url.search + url.hash + url.username + url.password === '';
        expect(!isAbsoluteResourceUri(value) || isPlain).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('protectedResourceMetadataPath', () => {
  test.each([
    ['/mcp', '/.well-known/oauth-protected-resource/mcp'],
    ['/', '/.well-known/oauth-protected-resource'],
    ['', '/.well-known/oauth-protected-resource'],
    ['/a/b', '/.well-known/oauth-protected-resource/a/b'],
    ['/mcp/', '/.well-known/oauth-protected-resource/mcp/'],
  ])('%j', (path, metadata) => {
    expect(protectedResourceMetadataPath(path)).toBe(metadata);
  });
});
