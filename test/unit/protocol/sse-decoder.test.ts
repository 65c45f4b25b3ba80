import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { SseDecoder, SseError, type SseEvent } from '../../../src/protocol/sse-decoder.js';
import { encodeSseEvent } from '../../../src/protocol/sse-encoder.js';

const LIMITS = { maxEventBytes: 1024 };
const utf8 = new TextEncoder();

interface Outcome {
  events: SseEvent[];
  /** Code of the error, or undefined where the stream was read to its end. */
  error: string | undefined;
}

/** Reads a whole stream that comes in the given chunks. */
function read(chunks: readonly Uint8Array[], limits = LIMITS): Outcome {
  const decoder = new SseDecoder(limits);
  const events: SseEvent[] = [];
  try {
    for (const chunk of chunks) events.push(...decoder.push(chunk));
    decoder.end();
  } catch (error) {
    if (!(error instanceof SseError)) throw error;
    return { events, error: error.code };
  }
  return { events, error: undefined };
}

/** Cuts into chunks of the given sizes, over and over. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function event(fields: Partial<SseEvent>): SseEvent {
  return { type: 'message', id: undefined, retry: undefined, data: undefined, ...fields };
}

const DELIVERED: readonly (readonly [name: string, stream: string, events: readonly Partial<SseEvent>[]])[] =
  [
    ['empty stream', '', []],
    ['data', 'data: a\n\n', [{ data: 'a' }]],
    ['data without space', 'data:a\n\n', [{ data: 'a' }]],
    ['only one space is taken off', 'data:  a \n\n', [{ data: ' a ' }]],
    ['a tab is not taken off', 'data:\ta\n\n', [{ data: '\ta' }]],
    ['empty data', 'data:\n\n', [{ data: '' }]],
    ['data without colon', 'data\n\n', [{ data: '' }]],
    ['two data lines', 'data: a\ndata: b\n\n', [{ data: 'a\nb' }]],
    ['two empty data lines', 'data\ndata\n\n', [{ data: '\n' }]],
    ['data with colons', 'data: a: b:c\n\n', [{ data: 'a: b:c' }]],
    ['data with NUL', 'data: \0\n\n', [{ data: '\0' }]],
    ['data with other line separators', 'data: \u2028\u0085\v\f\n\n', [{ data: '\u2028\u0085\v\f' }]],
    ['two events', 'data: a\n\ndata: b\n\n', [{ data: 'a' }, { data: 'b' }]],
    ['CR line ends', 'data: a\rdata: b\r\r', [{ data: 'a\nb' }]],
    ['CRLF line ends', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
    ['mixed line ends', 'data: a\r\ndata: b\rdata: c\n\r\n', [{ data: 'a\nb\nc' }]],
    ['LF CR ends the event', 'data: a\n\rdata: b\n\n', [{ data: 'a' }, { data: 'b' }]],
    ['CR at the very end', 'data: a\r\r', [{ data: 'a' }]],
    ['id', 'id: 7\ndata: a\n\n', [{ id: '7', data: 'a' }]],
    ['id is of its block only', 'id: 7\ndata: a\n\ndata: b\n\n', [{ id: '7', data: 'a' }, { data: 'b' }]],
    ['empty id', 'id\ndata: a\n\n', [{ id: '', data: 'a' }]],
    ['last id wins', 'id: 1\nid: 2\ndata: a\n\n', [{ id: '2', data: 'a' }]],
    ['event type', 'event: ping\ndata: a\n\n', [{ type: 'ping', data: 'a' }]],
    [
      'event type is of its block only',
      'event: a\ndata\n\ndata\n\n',
      [{ type: 'a', data: '' }, { data: '' }],
    ],
    ['empty event type is message', 'event:\ndata: a\n\n', [{ data: 'a' }]],
    ['retry', 'retry: 15000\ndata: a\n\n', [{ retry: 15000, data: 'a' }]],
    ['retry with leading zeros', 'retry: 007\n\n', [{ retry: 7 }]],
    ['id and retry without data', 'id: g-1\nretry: 15000\n\n', [{ id: 'g-1', retry: 15000 }]],
    ['event type alone', 'event: ping\n\n', [{ type: 'ping' }]],
    ['comment', ': hello\n\n', []],
    ['comment without text', ':\n\n', []],
    ['comment inside an event', 'data: a\n: b\ndata: c\n\n', [{ data: 'a\nc' }]],
    ['comment that is cut off', 'data: a\n\n: hel', [{ data: 'a' }]],
    ['many comments', ': x\n'.repeat(2000), []],
    ['blank lines', '\n\n\r\r\n\n', []],
    ['a blank line first', '\ndata: a\n\n', [{ data: 'a' }]],
    ['BOM', '\ufeffdata: a\n\n', [{ data: 'a' }]],
    ['BOM and comment', '\ufeff: a\n\n', []],
    ['BOM and cut comment', '\ufeff: a', []],
    ['BOM alone on its line', '\ufeff\n', []],
    ['BOM inside data stays', 'data: \ufeffa\n\n', [{ data: '\ufeffa' }]],
    ['characters of every length', 'data: aé租😀\n\n', [{ data: 'aé租😀' }]],
  ];

const FAULTY: readonly (readonly [name: string, stream: string, code: string, events?: number])[] = [
  ['unknown field', 'foo: bar\n\n', 'unknown_field'],
  ['unknown field without colon', 'foo\n\n', 'unknown_field'],
  ['field name in upper case', 'Data: a\n\n', 'unknown_field'],
  ['space before the field name', ' data: a\n\n', 'unknown_field'],
  ['space before the colon', 'data : a\n\n', 'unknown_field'],
  ['second BOM', '\ufeff\ufeffdata: a\n\n', 'unknown_field'],
  ['BOM on a later line', 'data: a\n\ufeffdata: b\n\n', 'unknown_field'],
  ['a JSON body', '{"error":"x"}\n', 'unknown_field'],
  ['retry empty', 'retry:\n\n', 'invalid_retry'],
  ['retry negative', 'retry: -1\n\n', 'invalid_retry'],
  ['retry with fraction', 'retry: 1.5\n\n', 'invalid_retry'],
  ['retry with exponent', 'retry: 1e3\n\n', 'invalid_retry'],
  ['retry with space', 'retry: 1 \n\n', 'invalid_retry'],
  ['retry in other digits', 'retry: ١٢\n\n', 'invalid_retry'],
  ['retry beyond safe integers', 'retry: 9007199254740992\n\n', 'invalid_retry'],
  ['id with NUL', 'id: a\0\n\n', 'invalid_id'],
  ['cut before the blank line', 'data: a\n', 'truncated_event'],
  ['cut inside a line', 'data: a', 'truncated_event'],
  ['cut inside a field name', 'da', 'truncated_event'],
  ['cut after CR', 'data: a\r', 'truncated_event'],
  ['cut after CRLF', 'data: a\r\n', 'truncated_event'],
  ['cut after a comment in the event', 'data: a\n: b\n', 'truncated_event'],
  ['cut after id', 'id: a\n', 'truncated_event'],
  ['cut after good events', 'data: a\n\ndata: b\n\ndata', 'truncated_event', 2],
  ['fault after good events', 'data: a\n\ndata: b\n\nbad\n\n', 'unknown_field', 2],
  ['line too long', `data: ${'x'.repeat(1019)}\n\n`, 'event_too_large'],
  ['line too long and never ended', 'x'.repeat(1025), 'event_too_large'],
  ['comment too long', `:${'x'.repeat(1024)}\n`, 'event_too_large'],
  ['many short lines', 'data: a\n'.repeat(147), 'event_too_large'],
  ['too large after a good event', `data: a\n\n${'data: a\n'.repeat(147)}`, 'event_too_large', 1],
];

const BYTE_FAULTS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['lone continuation', [0x80]],
  ['cut sequence', [0xe2, 0x82]],
  ['overlong', [0xc0, 0xaf]],
  ['surrogate', [0xed, 0xa0, 0x80]],
  ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ['latin1', [0xe9]],
];

const CHUNK_SIZES = [1, 2, 3, 7, 10_000];

describe('SseDecoder delivers', () => {
  test.each(DELIVERED)('%s', (_, stream, events) => {
    for (const size of CHUNK_SIZES) {
      expect(read(cut(utf8.encode(stream), [size]))).toEqual({ events: events.map(event), error: undefined });
    }
  });
});

describe('SseDecoder refuses', () => {
  test.each(FAULTY)('%s', (_, stream, code, count = 0) => {
    for (const size of CHUNK_SIZES) {
      const { events, error } = read(cut(utf8.encode(stream), [size]));
      expect(error).toBe(code);
      expect(events).toHaveLength(count);
    }
  });

  test.each(BYTE_FAULTS)('bytes that are not UTF-8: %s', (_, bytes) => {
    const inData = Uint8Array.from([...utf8.encode('data: a\n\ndata: '), ...bytes, 0x0a, 0x0a]);
    const inComment = Uint8Array.from([0x3a, ...bytes, 0x0a]);
    for (const size of CHUNK_SIZES) {
      expect(read(cut(inData, [size]))).toEqual({ events: [event({ data: 'a' })], error: 'invalid_utf8' });
      expect(read(cut(inComment, [size])).error).toBe('invalid_utf8');
    }
  });
});

describe('limits', () => {
  test.each([
    ['one line', `data: ${'x'.repeat(1018)}\n\n`],
    ['several lines', `${'data: a\n'.repeat(146)}\n`],
    ['a comment', `: ${'x'.repeat(1022)}\n`],
    ['each event for itself', `data: ${'x'.repeat(1018)}\n\n`.repeat(3)],
  ])('exactly the limit passes: %s', (_, stream) => {
    for (const size of CHUNK_SIZES) expect(read(cut(utf8.encode(stream), [size])).error).toBeUndefined();
  });

  test('the number of events', () => {
    const limits = { maxEventBytes: 1024, maxEvents: 2 };
    const two = utf8.encode('data: a\n\n: c\n\ndata: b\n\n');
    expect(read([two], limits)).toMatchObject({ events: [{ data: 'a' }, { data: 'b' }], error: undefined });
    const three = utf8.encode('data: a\n\ndata: b\n\ndata: c\n\n');
    for (const size of CHUNK_SIZES) {
      const { events, error } = read(cut(three, [size]), limits);
      expect(events).toHaveLength(2);
      expect(error).toBe('too_many_events');
    }
  });

  test('a stream of single bytes costs no more than its length', () => {
    const decoder = new SseDecoder({ maxEventBytes: 1_000_000 });
    const byte = utf8.encode('d');
    const before = performance.now();
    for (let i = 0; i < 1_000_000; i++) decoder.push(byte);
    expect(performance.now() - before).toBeLessThan(5000);
    expect(() => decoder.push(byte)).toThrow('event_too_large');
  });
});

describe('after an error', () => {
  test('each later call throws the same one', () => {
    const decoder = new SseDecoder(LIMITS);
    const thrown: unknown[] = [];
    for (const text of ['bad\n', 'data: a\n\n', '']) {
      try {
        decoder.push(utf8.encode(text));
      } catch (error) {
        thrown.push(error);
      }
    }
    expect(thrown).toHaveLength(3);
    expect(new Set(thrown).size).toBe(1);
    expect(() => decoder.end()).toThrow('unknown_field');
  });

  test('events that were complete before it come first, the error with the next call', () => {
    const decoder = new SseDecoder(LIMITS);
    expect(decoder.push(utf8.encode('data: a\n\nbad\n\ndata: b\n\n'))).toEqual([event({ data: 'a' })]);
    expect(() => decoder.push(utf8.encode(''))).toThrow('unknown_field');
    expect(() => decoder.end()).toThrow('unknown_field');
  });
});

describe('end', () => {
  test('twice is the same as once, and nothing may come after it', () => {
    const decoder = new SseDecoder(LIMITS);
    decoder.end();
    decoder.end();
    expect(() => decoder.push(utf8.encode('data: a\n\n'))).toThrow('already_ended');
  });

  test('a cut event stays an error', () => {
    const decoder = new SseDecoder(LIMITS);
    decoder.push(utf8.encode('data: a\n'));
    expect(() => decoder.end()).toThrow('truncated_event');
    expect(() => decoder.end()).toThrow('truncated_event');
  });

  test('the buffer given to push may be used again', () => {
    const decoder = new SseDecoder(LIMITS);
    const buffer = utf8.encode('data: a');
    decoder.push(buffer);
    buffer.fill(0);
    expect(decoder.push(utf8.encode('\n\n'))).toEqual([event({ data: 'a' })]);
  });
});

describe('properties', () => {
  const BIG = { maxEventBytes: 100_000 };
  const line = fc.string({ unit: 'binary', maxLength: 20 }).filter((s) => !/[\0\r\n]/.test(s));
  const fields = fc.record(
    { event: line, id: line, retry: fc.nat(), data: fc.string({ unit: 'binary', maxLength: 60 }) },
    { requiredKeys: [] },
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 });

  test('what was encoded comes back under any chunking, line ends of data as LF', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fields, line), { maxLength: 5 }), cuts, (list, sizes) => {
        const stream = list.map(([one, comment]) => `: ${comment}\n\n${encodeSseEvent(one)}`).join('');
        const expected = list
          .filter(([one]) => Object.keys(one).length > 0)
          .map(([{ event: type, id, retry, data }]) =>
            event({
              type: type === undefined || type === '' ? 'message' : type,
              id,
              retry,
              data: data?.replace(/\r\n?/g, '\n'),
            }),
          );
        expect(read(cut(utf8.encode(stream), sizes), BIG)).toEqual({ events: expected, error: undefined });
      }),
      { numRuns: 500 },
    );
  });

  // Bytes that make fields likely, so that the property is not about noise alone.
  const nearSse = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'data',
          'id',
          'event',
          'retry',
          ':',
          ' ',
          '\n',
          '\r',
          '\r\n',
          '\n\n',
          '1',
          'é',
          '\0',
          '\ufeff',
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => utf8.encode(parts.join('')));
  const anyBytes = fc.oneof(nearSse, fc.uint8Array({ maxLength: 60 }));

  test('any bytes give events or an SseError, the same ones under any chunking', () => {
    fc.assert(
      fc.property(anyBytes, cuts, (bytes, sizes) => {
        const limits = { maxEventBytes: 24, maxEvents: 3 };
        expect(read(cut(bytes, sizes), limits)).toEqual(read([bytes], limits));
      }),
      { numRuns: 5000 },
    );
  });
});
