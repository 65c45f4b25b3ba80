import { describe, expect, test } from '@jest/globals';
import { type JsonRpcMessage, parseEnvelope } from '../../../src/protocol/json-rpc.js';
import { parseStrictJson } from '../../../src/protocol/strict-json.js';

function read(text: string): ReturnType<typeof parseEnvelope> {
  const parsed = parseStrictJson(text, { maxDepth: 64 });
  if (!parsed.ok) throw new Error(`not even JSON: ${parsed.reason}`);
  return parseEnvelope(parsed);
}

const ACCEPTED: readonly (readonly [name: string, text: string, message: JsonRpcMessage])[] = [
  [
    'request',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    { kind: 'request', id: 1, method: 'ping', params: undefined },
  ],
  [
    'request with params, members in another order',
    '{"params":{"a":[1]},"method":"x/y","id":"7","jsonrpc":"2.0"}',
    { kind: 'request', id: '7', method: 'x/y', params: { a: [1] } },
  ],
  [
    'request with empty params',
    '{"jsonrpc":"2.0","id":0,"method":"ping","params":{}}',
    { kind: 'request', id: 0, method: 'ping', params: {} },
  ],
  [
    'id negative',
    '{"jsonrpc":"2.0","id":-5,"method":"ping"}',
    { kind: 'request', id: -5, method: 'ping', params: undefined },
  ],
  [
    'id at the upper end',
    '{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}',
    { kind: 'request', id: 9007199254740991, method: 'ping', params: undefined },
  ],
  [
    'id at the lower end',
    '{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}',
    { kind: 'request', id: -9007199254740991, method: 'ping', params: undefined },
  ],
  [
    'id an empty string',
    '{"jsonrpc":"2.0","id":"","method":"ping"}',
    { kind: 'request', id: '', method: 'ping', params: undefined },
  ],
  [
    'id a string that looks like a number',
    '{"jsonrpc":"2.0","id":"1.0","method":"ping"}',
    { kind: 'request', id: '1.0', method: 'ping', params: undefined },
  ],
  [
    'names written with escapes',
    String.raw`{"json\u0072pc":"2\u002e0","\u0069d":1,"method":"pin\u0067"}`,
    { kind: 'request', id: 1, method: 'ping', params: undefined },
  ],
  [
    'notification',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    { kind: 'notification', method: 'notifications/initialized', params: undefined },
  ],
  [
    'notification with params',
    '{"jsonrpc":"2.0","method":"n","params":{"_meta":{}}}',
    { kind: 'notification', method: 'n', params: { _meta: {} } },
  ],
  ['response', '{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'response', id: 1, result: {} }],
  [
    'error response',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
    { kind: 'error_response', id: 1, error: { code: -32601, message: 'Method not found' } },
  ],
  [
    'error response with data, null data too',
    '{"jsonrpc":"2.0","id":"a","error":{"code":0,"message":"","data":null}}',
    { kind: 'error_response', id: 'a', error: { code: 0, message: '', data: null } },
  ],
  [
    'error response whose sender could not tell the id',
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}',
    { kind: 'error_response', id: null, error: { code: -32700, message: 'Parse error' } },
  ],
];

const REFUSED: readonly (readonly [name: string, text: string, reason: string])[] = [
  ['batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 'batch'],
  ['empty batch', '[]', 'batch'],
  ['null', 'null', 'not_an_object'],
  ['string', '"ping"', 'not_an_object'],
  ['number', '1', 'not_an_object'],
  ['empty object', '{}', 'wrong_version'],
  ['no version', '{"id":1,"method":"ping"}', 'wrong_version'],
  ['version 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 'wrong_version'],
  ['version a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}', 'wrong_version'],
  ['version with space', '{"jsonrpc":"2.0 ","id":1,"method":"ping"}', 'wrong_version'],
  ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 'invalid_id'],
  ['id true', '{"jsonrpc":"2.0","id":true,"method":"ping"}', 'invalid_id'],
  ['id array', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', 'invalid_id'],
  ['id object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 'invalid_id'],
  ['id fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 'invalid_id'],
  ['id 1.0', '{"jsonrpc":"2.0","id":1.0,"method":"ping"}', 'invalid_id'],
  ['id 1e2', '{"jsonrpc":"2.0","id":1e2,"method":"ping"}', 'invalid_id'],
  ['id 1E0', '{"jsonrpc":"2.0","id":1E0,"method":"ping"}', 'invalid_id'],
  ['id -0', '{"jsonrpc":"2.0","id":-0,"method":"ping"}', 'invalid_id'],
  ['id -0.0', '{"jsonrpc":"2.0","id":-0.0,"method":"ping"}', 'invalid_id'],
  ['id underflow', '{"jsonrpc":"2.0","id":1e-999,"method":"ping"}', 'invalid_id'],
  ['id 2^53', '{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}', 'invalid_id'],
  [
    'id 2^53+1, which a double rounds',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    'invalid_id',
  ],
  ['id -2^53', '{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}', 'invalid_id'],
  [
    'id fraction that a double rounds',
    '{"jsonrpc":"2.0","id":1.00000000000000000001,"method":"ping"}',
    'invalid_id',
  ],
  ['method empty', '{"jsonrpc":"2.0","id":1,"method":""}', 'invalid_method'],
  ['method null', '{"jsonrpc":"2.0","id":1,"method":null}', 'invalid_method'],
  ['method number', '{"jsonrpc":"2.0","id":1,"method":1}', 'invalid_method'],
  ['params array', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 'invalid_params'],
  ['params null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', 'invalid_params'],
  ['params string', '{"jsonrpc":"2.0","method":"n","params":"a"}', 'invalid_params'],
  ['unknown member', '{"jsonrpc":"2.0","id":1,"method":"ping","x":1}', 'unknown_member'],
  ['member in other case', '{"jsonrpc":"2.0","ID":1,"method":"ping"}', 'unknown_member'],
  ['member __proto__', '{"jsonrpc":"2.0","__proto__":{"method":"ping"},"id":1}', 'unknown_member'],
  ['method and result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 'mixed_kinds'],
  ['method and error', '{"jsonrpc":"2.0","method":"n","error":{"code":1,"message":"a"}}', 'mixed_kinds'],
  [
    'result and error',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"a"}}',
    'mixed_kinds',
  ],
  ['result and params', '{"jsonrpc":"2.0","id":1,"result":{},"params":{}}', 'params_without_method'],
  ['no kind', '{"jsonrpc":"2.0"}', 'no_kind'],
  ['id only', '{"jsonrpc":"2.0","id":1}', 'no_kind'],
  ['result without id', '{"jsonrpc":"2.0","result":{}}', 'missing_id'],
  ['result null', '{"jsonrpc":"2.0","id":1,"result":null}', 'invalid_result'],
  ['result array', '{"jsonrpc":"2.0","id":1,"result":[]}', 'invalid_result'],
  ['error with id null', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"a"}}', 'invalid_id'],
  ['error null', '{"jsonrpc":"2.0","id":1,"error":null}', 'invalid_error'],
  ['error a string', '{"jsonrpc":"2.0","id":1,"error":"a"}', 'invalid_error'],
  ['error without code', '{"jsonrpc":"2.0","id":1,"error":{"message":"a"}}', 'invalid_error'],
  ['error code a string', '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"a"}}', 'invalid_error'],
  ['error code a fraction', '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"a"}}', 'invalid_error'],
  ['error without message', '{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 'invalid_error'],
  ['error message a number', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}}', 'invalid_error'],
];

describe('parseEnvelope', () => {
  test.each(ACCEPTED)('accepts %s', (_, text, message) => {
    expect(read(text)).toEqual({ ok: true, message });
  });

  test.each(REFUSED)('refuses %s', (_, text, reason) => {
    expect(read(text)).toEqual({ ok: false, code: 'invalid_jsonrpc', reason });
  });

  test('a number id whose source text is not known is refused', () => {
    const value = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(parseEnvelope({ value, rootNumbers: new Map() })).toMatchObject({
      ok: false,
      reason: 'invalid_id',
    });
  });
});
