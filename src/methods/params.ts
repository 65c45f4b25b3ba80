import { JSON_RPC_ERROR } from '../protocol/json-rpc.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { McpMethodError } from './mcp-method.js';

/** For methods without params of their own: `{}` or `_meta` only, else −32602. */
export function refuseParams(params: JsonObject): void {
  for (const member in params) {
    if (member !== '_meta') throw new McpMethodError(JSON_RPC_ERROR.invalidParams, 'Invalid params');
  }
}
