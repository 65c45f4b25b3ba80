/**
 * The client notifications of the profile. Any other is refused by the transport as
 * `unsupported_notification`.
 */
import { Injectable } from '@nestjs/common';
import { SessionService } from '../sessions/session.service.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { McpMethod, type MethodContext } from './mcp-method.js';

@Injectable()
export class NotificationMethods {
  constructor(private readonly sessions: SessionService) {}

  /** Makes the session ready and announces its resources, so that a client that listens lists them. */
  @McpMethod('notifications/initialized')
  async initialized(_params: JsonObject, { session }: MethodContext): Promise<void> {
    await this.sessions.makeReady(session, 'notifications/resources/list_changed');
  }

  /** Stops the named request if it runs in this session; else nothing (basic/utilities/cancellation). */
  @McpMethod('notifications/cancelled')
  cancelled({ requestId }: JsonObject, { session }: MethodContext): void {
    if (typeof requestId === 'string' || typeof requestId === 'number')
      this.sessions.cancel(session, requestId);
  }

  /** Accepted and dropped: this server asks for no progress, but official clients may send some. */
  @McpMethod('notifications/progress')
  progress(): void {}

  /** Accepted and dropped: this server never asks for roots. */
  @McpMethod('notifications/roots/list_changed')
  rootsListChanged(): void {}
}
