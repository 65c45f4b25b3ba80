import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../protocol/strict-json.js';
import { McpMethod } from './mcp-method.js';
import { refuseParams } from './params.js';

const EMPTY: JsonObject = Object.freeze({});

/** `ping` (2025-11-25 basic/utilities/ping): the other side is there. */
@Injectable()
export class PingMethod {
  @McpMethod('ping')
  ping(params: JsonObject): JsonObject {
    refuseParams(params);
    return EMPTY;
  }
}
