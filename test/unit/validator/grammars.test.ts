/** Grammars by named vectors: y_ is accepted, n_ is refused. */

import { describe, expect, it } from '@jest/globals';
import { decodedBase64Size, utf8Size } from '../../../src/validator/base64.js';
import {
  hostOf,
  isAbsoluteUri,
  isMimeType,
  isTimestamp,
  uriTemplateProblem,
} from '../../../src/validator/uri.js';

function table(judge: (text: string) => boolean, vectors: Readonly<Record<string, string>>): void {
  it.each(Object.entries(vectors))('%s', (name, text) => {
    expect(judge(text)).toBe(name.startsWith('y_'));
  });
}

describe('absolute URI (RFC 3986)', () => {
  table(isAbsoluteUri, {
    y_http: 'http://example.com',
    y_path: 'kb://tenant/a%20b/c;d=e',
    y_query_fragment: 'https://a.example:8443/p?q=/?&x=[1'.replace('[', '%5B') + '#f/?',
    y_userinfo: 'ftp://user:pw@host/',
    y_ipv6: 'http://[2001:db8::1]:80/',
    y_urn: 'urn:isbn:0451450523',
    y_empty_authority: 'file:///etc/hosts',
    y_file_drive: 'file:///D:/a',
    y_scheme_signs: 'a+b-c.1:x',
    n_relative: '/a/b',
    n_no_scheme: '//host/path',
    n_digit_scheme: '1a:b',
    n_nothing_after: 'a:',
    n_only_slashes: 'http://',
    n_space: 'http://a/b c',
    n_quote: 'http://a/"',
    n_bad_percent: 'http://a/%2',
    n_bad_percent_hex: 'http://a/%zz',
    n_unicode: 'http://a/é',
    n_backslash: 'http://a\\b',
    n_braces: 'http://a/{b}',
    n_port_letters: 'http://a:b1/',
    n_bracket_in_path: 'http://a/[b]',
    n_hash_in_fragment: 'http://a/#b#c',
    n_open_bracket: 'http://[::1/',
    n_line_feed: 'http://a/\n',
    n_empty: '',
  });

  it('gives the host', () => {
    expect(['https://u@h.example:1/p', 'https:///p', 'https://[::1]:2', 'a:b'].map(hostOf)).toEqual([
      'h.example',
      '',
      '[::1]',
      '',
    ]);
  });
});

describe('URI template (RFC 6570)', () => {
  table((text) => uriTemplateProblem(text) === undefined, {
    y_simple: 'kb://t/{id}',
    y_literal_only: 'kb://t/all',
    y_reserved: 'kb://t{+path}',
    y_query: 'kb://t{?a,b}',
    y_explode: 'kb://t{/parts*}',
    y_prefix: 'kb://t/{id:3}',
    y_dotted: 'kb://t/{a.b}',
    y_pct_name: 'kb://t/{%41b}',
    y_unicode_literal: 'kb://t/é/{id}',
    n_empty: '',
    n_open: 'kb://t/{id',
    n_close: 'kb://t/id}',
    n_nested: 'kb://t/{{id}}',
    n_empty_expression: 'kb://t/{}',
    n_hyphen: 'kb://t/{doc-id}',
    n_space: 'kb://t/{a b}',
    n_double_comma: 'kb://t/{a,,b}',
    n_reserved_operator: 'kb://t/{=a}',
    n_prefix_zero: 'kb://t/{a:0}',
    n_prefix_long: 'kb://t/{a:12345}',
    n_leading_dot: 'kb://t/{.}',
    n_quote: 'kb://t/"{a}',
    n_bad_percent: 'kb://t/%2/{a}',
  });
});

describe('MIME type', () => {
  table(isMimeType, {
    y_plain: 'text/plain',
    y_parameter: 'text/plain; charset=utf-8',
    y_quoted: 'multipart/mixed; boundary="a b"',
    y_suffix: 'application/vnd.api+json',
    n_no_slash: 'text',
    n_two_slashes: 'a/b/c',
    n_empty_subtype: 'text/',
    n_space: 'text /plain',
    n_open_parameter: 'text/plain;',
    n_no_value: 'text/plain; charset',
    n_line_feed: 'text/plain\n',
  });
});

describe('timestamp (RFC 3339)', () => {
  table(isTimestamp, {
    y_utc: '2025-11-25T10:00:00Z',
    y_lower: '2025-11-25t10:00:00z',
    y_fraction: '2025-11-25T10:00:00.123456Z',
    y_offset: '2025-11-25T10:00:00+05:45',
    y_leap_day: '2024-02-29T00:00:00Z',
    y_leap_second: '2016-12-31T23:59:60Z',
    n_leap_day: '2100-02-29T00:00:00Z',
    n_no_zone: '2025-11-25T10:00:00',
    n_date_only: '2025-11-25',
    n_month: '2025-13-01T00:00:00Z',
    n_day: '2025-04-31T00:00:00Z',
    n_day_zero: '2025-04-00T00:00:00Z',
    n_hour: '2025-11-25T24:00:00Z',
    n_minute: '2025-11-25T10:60:00Z',
    n_offset_hour: '2025-11-25T10:00:00+24:00',
    n_offset_short: '2025-11-25T10:00:00+0545',
    n_comma: '2025-11-25T10:00:00,5Z',
    n_words: 'yesterday',
  });
});

describe('Base64 (RFC 4648, canonical)', () => {
  it.each<[string, string, number | undefined]>([
    ['y_empty', '', 0],
    ['y_one', 'TQ==', 1],
    ['y_two', 'TWE=', 2],
    ['y_three', 'TWFu', 3],
    ['n_unpadded', 'TQ', undefined],
    ['n_url_alphabet', 'TW-_', undefined],
    ['n_leftover_bits_one', 'TR==', undefined],
    ['n_leftover_bits_two', 'TWF=', undefined],
    ['n_padding_inside', 'TQ==TWFu', undefined],
    ['n_three_paddings', 'T===', undefined],
    ['n_only_padding', '====', undefined],
    ['n_space', 'TWF u', undefined],
    ['n_line_feed', 'TWFu\n', undefined],
  ])('%s', (_name, text, size) => {
    expect(decodedBase64Size(text)).toBe(size);
  });

  it('measures strings in UTF-8', () => {
    for (const text of ['', 'a', 'é', '€', '😀', 'a😀é€']) {
      expect([text, utf8Size(text)]).toEqual([text, new TextEncoder().encode(text).length]);
    }
  });
});
