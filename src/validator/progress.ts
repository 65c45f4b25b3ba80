/**
 * Progress tokens of one sender (basic/utilities/progress): unique among its active requests, good until the
 * request is answered, or until the task that it started reaches a terminal status.
 */

import { detached, detachedId, type RequestId } from './id-history.js';
import { LIMITS } from './limits.js';

interface TokenUse {
  last: number;
  /** Set once the request was answered with a task. */
  taskId: string | undefined;
}

export class ProgressTokens {
  private readonly uses = new Map<RequestId, TokenUse>();
  private readonly byTask = new Map<string, RequestId>();

  isInUse(token: RequestId): boolean {
    return this.uses.has(token);
  }

  begin(token: RequestId): void {
    this.uses.set(detachedId(token), {
      last: -Infinity,
      taskId: undefined,
    });
  }

  /** The request was answered. */
  end(token: RequestId | undefined): void {
    if (token !== undefined) this.uses.delete(token);
  }

  /** The request was answered with a task: the token lives as long as the task (section 3 of its behaviour). */
  handOver(token: RequestId | undefined, taskId: string): void {
    const use = token === undefined ? undefined : this.uses.get(token);
    if (token === undefined || use === undefined) return;
    if (this.byTask.size >= LIMITS.tasks) {
      const [oldest] = this.byTask.keys();
      this.endTask(oldest as string);
    }
    use.taskId = detached(taskId);
    this.byTask.set(use.taskId, token);
  }

  endTask(taskId: string): void {
    this.end(this.byTask.get(taskId));
    this.byTask.delete(taskId);
  }

  /** Takes one step; says whether the token is known and the value rises. */
  advance(token: RequestId, value: number): 'good' | 'unknown' | 'not_rising' {
    const use = this.uses.get(token);
    if (use === undefined) return 'unknown';
    if (value <= use.last) return 'not_rising';
    use.last = value;
    return 'good';
  }
}
