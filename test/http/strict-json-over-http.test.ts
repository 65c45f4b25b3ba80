/** Gate 7, content: bytes, nesting, syntax, envelope, id; what the unit tests pin by grammar, seen from outside. */
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PublicCode } from '../../src/errors/catalog.js';
import { connectTo, expectRefused } from '../support/connections.js';
import { expectNoLeak } from '../support/refusal.js';
import { ask, call, openReadySession, post } from '../support/requests.js';
import { startServer, type TestServer } from '../support/server.js';
import { ALICE_AND_BOB, CANARY } from '../support/tokens.js';

let server: TestServer;
let session: string;

beforeAll(async () => {
  server = await startServer({ tokens: ALICE_AND_BOB });
  session = await openReadySession(server);
});
afterEach(() => expectNoLeak(server, session));

async function expectBodyRefused(body: string | Uint8Array, code: PublicCode): Promise<void> {
  await expectRefused(server, post(server, body, { session }), 400, code);
}

const echo = (text: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"text":${text}}}`;
/** The message and its params are two of the levels. */
const nested = (levels: number): string => echo('['.repeat(levels - 2) + ']'.repeat(levels - 2));
const withId = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

test.each([
  ['a lone continuation byte', [0x80]],
  ['a cut sequence', [0xe4, 0xbd]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['Latin-1', [0xe9]],
  ['0xff', [0xff]],
])('[G7.utf8] %s', async (_what, bytes) => {
  const [before = '', after = ''] = echo('"?"').split('?');
  await expectBodyRefused(
    Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]),
    'invalid_utf8',
  );
});

test('[G7.utf8] UTF-16 is not UTF-8', async () => {
  await expectBodyRefused(Buffer.from(`\ufeff${withId('1')}`, 'utf16le'), 'invalid_utf8');
});

test('[G7.depth] 64 levels pass, 65 do not', async () => {
  expect((await ask(server, post(server, nested(64), { session }))).status).toBe(200);
  await expectBodyRefused(nested(65), 'json_depth_exceeded');
});

test.each([
  ['arrays that never end', '['.repeat(16_000)],
  ['objects that never end', '{"a":'.repeat(3000)],
  ['65 levels of a text that is wrong anyway', `${'['.repeat(65)}x`],
])('[G7.depth] %s', async (_what, body) => {
  await expectBodyRefused(body, 'json_depth_exceeded');
});

test.each([
  ['nothing but space', ' '],
  ['a word', 'hello'],
  ['two values', `${withId('1')}${withId('2')}`],
  ['something after the value', `${withId('1')}x`],
  ['NUL after the value', `${withId('1')}\0`],
  ['a byte order mark', `\ufeff${withId('1')}`],
  ['a comment', `/* */${withId('1')}`],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
  ['single quotes', "{'jsonrpc':'2.0'}"],
  ['NaN', echo('NaN')],
  ['Infinity', echo('-Infinity')],
  ['a number that overflows', echo('1e999')],
  ['a leading zero', echo('01')],
  ['hex', echo('0x1')],
  ['a duplicate key', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
  ['a duplicate key in params', echo('{"a":1,"a":1}')],
  ['a duplicate key by its escape', echo('{"a":1,"\\u0061":2}')],
  ['a duplicate __proto__', echo('{"__proto__":1,"__proto__":2}')],
  ['a lone high surrogate', echo('"\\ud800"')],
  ['a lone low surrogate', echo('"\\udc00x"')],
  ['surrogates the wrong way round', echo('"\\udc00\\ud800"')],
  ['a lone surrogate in a key', echo('{"\\ud800":1}')],
  ['a raw line feed in a string', echo('"a\nb"')],
  ['an unknown escape', echo('"\\x41"')],
  ['a cut value', withId('1').slice(0, -1)],
  ['a secret that is no JSON', CANARY],
])('[G7.json] %s', async (_what, body) => {
  await expectBodyRefused(body, 'invalid_json');
});

test('__proto__ is an ordinary key and comes back as one', async () => {
  const body = echo('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  const answer = await ask(server, post(server, body, { session }));
  expect(answer.body).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"params":{"text":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}}}',
  );
  expect('polluted' in {}).toBe(false);
});

test.each([
  ['a batch', `[${withId('1')}]`],
  ['an empty batch', '[]'],
  ['null', 'null'],
  ['a number', '1'],
  ['a string', '"ping"'],
  ['an empty object', '{}'],
  ['no version', '{"id":1,"method":"ping"}'],
  ['version 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
  ['version as a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}'],
  ['a member of no meaning', '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}'],
  ['__proto__ as a member', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}'],
  ['a member in another case', '{"jsonrpc":"2.0","id":1,"Method":"ping"}'],
  ['method and result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'],
  ['result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}'],
  ['an empty method', '{"jsonrpc":"2.0","id":1,"method":""}'],
  ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":["ping"]}'],
  ['a method of null', '{"jsonrpc":"2.0","id":1,"method":null}'],
  ['params by position', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
  ['params of null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'],
  ['params without a method', '{"jsonrpc":"2.0","id":1,"params":{}}'],
  ['only an id', '{"jsonrpc":"2.0","id":1}'],
  ['a result without an id', '{"jsonrpc":"2.0","result":{}}'],
  ['an error that is none', '{"jsonrpc":"2.0","id":1,"error":"x"}'],
])('[G7.jsonrpc] %s', async (_what, body) => {
  await expectBodyRefused(body, 'invalid_jsonrpc');
});

test.each([
  'null',
  'true',
  '{}',
  '[1]',
  '1.5',
  '1.0',
  '1e2',
  '1E0',
  '-0',
  '0.0',
  '9007199254740992',
  '-9007199254740992',
  '9007199254740993',
  '1e308',
  '123456789012345678901234567890',
])('[G7.id] %s is no id', async (id) => {
  await expectBodyRefused(withId(id), 'invalid_jsonrpc');
});

test.each([
  '0',
  '1',
  '-1',
  '9007199254740991',
  '-9007199254740991',
  '""',
  '"1"',
  '"__proto__"',
  '"租户/甲?#"',
  '"\\u2028\\"\\\\"',
  JSON.stringify('x'.repeat(1000)),
])('[G7.id] %s comes back as it is', async (id) => {
  const answer = await ask(server, post(server, withId(id), { session }));
  expect(answer.status).toBe(200);
  expect((JSON.parse(answer.body) as { id: unknown }).id).toBe(JSON.parse(id));
});

test('[G7.utf8] characters split over segments are whole characters', async () => {
  const text = post(server, call(1, 'test/echo', { text: 'é租🦀' }), { session });
  const connection = await connectTo(server);
  for (let cut = text.length - 14; cut < text.length; cut++) {
    connection.send(text.slice(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 10));
    connection.send(text.slice(cut));
    const answer = await connection.answer();
    expect(JSON.parse(answer.body)).toMatchObject({ result: { params: { text: 'é租🦀' } } });
  }
});
