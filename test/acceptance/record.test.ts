import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../src/acceptance/record/canonical-json.js';
import { RECORD_FORMAT, type AcceptanceRecord } from '../../src/acceptance/record/record.js';
import { generateKeys } from '../../src/acceptance/record/keys.js';
import { verifyRecordFile, writeRecordFile } from '../../src/acceptance/record/sign.js';

const RECORD = {
  format: RECORD_FORMAT,
  environment: 'staging “é”',
  release: '1',
  verdict: { name: 'PASS', grounds: [], exceptions: [] },
  checks: [{ id: 'a.b', measured: { durationMs: 1.5 } }],
} as unknown as AcceptanceRecord;

describe('canonical JSON', () => {
  test.each([
    [
      'members are sorted by code units',
      { b: 1, a: 2, '€': 3, '\r': 4, '😀': 5, '\ufb33': 6 },
      '{"\\r":4,"a":2,"b":1,"€":3,"😀":5,"\ufb33":6}',
    ],
    ['numbers are written as in ECMAScript', [1e30, 4.5, 2e-3, 1e-27, -0], '[1e+30,4.5,0.002,1e-27,0]'],
    ['members that are undefined are left out', { a: undefined, b: null }, '{"b":null}'],
    ['control characters are escaped in the short form', '\u000f\n"\\', '"\\u000f\\n\\"\\\\"'],
  ])('%s', (_name, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each([
    ['NaN', Number.NaN],
    ['a lone surrogate', '\ud800'],
    ['undefined', undefined],
    ['a bigint', 1n],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalJson({ value: [value] })).toThrow(TypeError);
  });
});

describe('a signed record', () => {
  test('verifies with the public key alone and says what was verified', async () => {
    const { privateJwk, publicJwk } = await generateKeys();
    const file = Buffer.from(await writeRecordFile(RECORD, privateJwk));
    expect(await verifyRecordFile(file, publicJwk)).toEqual({
      ok: true,
      record: RECORD,
      keyId: publicJwk.kid,
    });
  });

  test('fails on any changed byte', async () => {
    const { privateJwk, publicJwk } = await generateKeys();
    const file = Buffer.from(await writeRecordFile(RECORD, privateJwk));
    for (let at = 0; at < file.length; at += 1) {
      for (const change of [1, 2, 32, 128]) {
        const bent = Buffer.from(file);
        bent[at] = (bent[at] ?? 0) ^ change;
        const { ok } = await verifyRecordFile(bent, publicJwk);
        expect([at, change, ok]).toEqual([at, change, false]);
      }
    }
  });

  test.each([
    ['a byte at the end', (text: string) => `${text} `],
    ['a missing line feed', (text: string) => text.trimEnd()],
    ['other white space', (text: string) => JSON.stringify(JSON.parse(text), null, 1)],
    ['a repeated member', (text: string) => text.replace('"release":"1"', '"release":"2","release":"1"')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['an added member', (text: string) => text.replace('{"jws"', '{"a":1,"jws"')],
  ])('fails on %s', async (_name, bend) => {
    const { privateJwk, publicJwk } = await generateKeys();
    const file = await writeRecordFile(RECORD, privateJwk);
    expect((await verifyRecordFile(Buffer.from(bend(file)), publicJwk)).ok).toBe(false);
  });

  test('fails with another key, and without a signature', async () => {
    const [mine, other] = [await generateKeys(), await generateKeys()];
    const file = Buffer.from(await writeRecordFile(RECORD, mine.privateJwk));
    expect(await verifyRecordFile(file, other.publicJwk)).toEqual({ ok: false, problem: 'bad-signature' });
    const unsigned = Buffer.from(await writeRecordFile(RECORD, undefined));
    expect(await verifyRecordFile(unsigned, mine.publicJwk)).toEqual({ ok: false, problem: 'unsigned' });
  });
});
