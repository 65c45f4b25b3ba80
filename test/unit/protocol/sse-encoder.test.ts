import { describe, expect, test } from '@jest/globals';
import { encodeSseEvent, SseFieldError, type SseFields } from '../../../src/protocol/sse-encoder.js';

const WRITTEN: readonly (readonly [name: string, fields: SseFields, text: string])[] = [
  ['nothing', {}, '\n'],
  ['data', { data: 'a' }, 'data: a\n\n'],
  ['empty data is a data line', { data: '' }, 'data: \n\n'],
  ['data that begins with a space keeps it', { data: ' a' }, 'data:  a\n\n'],
  ['data with LF', { data: 'a\nb' }, 'data: a\ndata: b\n\n'],
  ['data with CR', { data: 'a\rb' }, 'data: a\ndata: b\n\n'],
  ['data with CRLF is one line end', { data: 'a\r\nb' }, 'data: a\ndata: b\n\n'],
  ['data with LFCR is two', { data: 'a\n\rb' }, 'data: a\ndata: \ndata: b\n\n'],
  ['data that ends with a line end', { data: 'a\n' }, 'data: a\ndata: \n\n'],
  ['data of a line end only', { data: '\n' }, 'data: \ndata: \n\n'],
  [
    'data cannot start a field',
    { data: 'a\nid: 1\n\nevent: b' },
    'data: a\ndata: id: 1\ndata: \ndata: event: b\n\n',
  ],
  ['data with NUL and other line separators', { data: '\0\u2028\u0085' }, 'data: \0\u2028\u0085\n\n'],
  ['id', { id: '1' }, 'id: 1\n\n'],
  ['empty id', { id: '' }, 'id: \n\n'],
  ['id with colon and space', { id: ': a' }, 'id: : a\n\n'],
  ['event', { event: 'ping' }, 'event: ping\n\n'],
  ['retry zero', { retry: 0 }, 'retry: 0\n\n'],
  ['retry', { retry: 15000 }, 'retry: 15000\n\n'],
  ['retry at the end of safe integers', { retry: Number.MAX_SAFE_INTEGER }, 'retry: 9007199254740991\n\n'],
  ['id and retry without data', { id: 'a', retry: 1 }, 'id: a\nretry: 1\n\n'],
  [
    'all of them',
    { data: '{}', retry: 1, id: 'g-1', event: 'message' },
    'event: message\nid: g-1\nretry: 1\ndata: {}\n\n',
  ],
  ['undefined is left out', { data: undefined, id: undefined, event: undefined, retry: undefined }, '\n'],
];

const REFUSED: readonly (readonly [name: string, fields: SseFields, field: string])[] = [
  ['id with LF', { id: 'a\nb' }, 'id'],
  ['id with CR', { id: 'a\r' }, 'id'],
  ['id with NUL', { id: '\0' }, 'id'],
  ['event with LF', { event: '\ndata: x' }, 'event'],
  ['event with CR', { event: 'a\rb' }, 'event'],
  ['event with NUL', { event: 'a\0' }, 'event'],
  ['retry negative', { retry: -1 }, 'retry'],
  ['retry with fraction', { retry: 1.5 }, 'retry'],
  ['retry NaN', { retry: Number.NaN }, 'retry'],
  ['retry infinite', { retry: Number.POSITIVE_INFINITY }, 'retry'],
  ['retry that is written with an exponent', { retry: 1e21 }, 'retry'],
];

describe('encodeSseEvent', () => {
  test.each(WRITTEN)('%s', (_, fields, text) => {
    expect(encodeSseEvent(fields)).toBe(text);
  });

  test.each(REFUSED)('refuses %s', (_, fields, field) => {
    expect(() => encodeSseEvent({ data: 'x', ...fields })).toThrow(SseFieldError);
    expect(() => encodeSseEvent(fields)).toThrow(expect.objectContaining({ field }));
  });

  test('the error does not repeat the content', () => {
    expect(() => encodeSseEvent({ id: 'secret\n' })).toThrow(/^not a writable SSE id$/);
  });
});
