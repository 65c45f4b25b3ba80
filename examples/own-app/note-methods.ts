import { Injectable } from '@nestjs/common';
import { type JsonObject, McpMethod, McpMethodError, type MethodContext } from 'nest-mcp-boundary';
import { UserDatabase } from './user-database.js';

const SCHEME = 'notes://';

@Injectable()
export class NoteMethods {
  constructor(private readonly users: UserDatabase) {}

  @McpMethod('resources/list', { scope: 'resources:read', answer: 'sse' })
  list(_params: JsonObject, { principal }: MethodContext): JsonObject {
    const names = [...this.users.notesOf(principal.subject).keys()];
    return { resources: names.map((name) => ({ uri: SCHEME + name, name, mimeType: 'text/plain' })) };
  }

  @McpMethod('resources/read', { scope: 'resources:read' })
  read({ uri = '' }: JsonObject, { principal }: MethodContext): JsonObject {
    const text =
      typeof uri === 'string'
        ? this.users.notesOf(principal.subject).get(uri.slice(SCHEME.length))
        : undefined;
    if (text === undefined) throw new McpMethodError(-32002, 'Resource not found');
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  }
}
