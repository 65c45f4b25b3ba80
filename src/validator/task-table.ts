/** Tasks a session has seen created, with their last status; bounded, the oldest is forgotten first. */

import { detached } from './id-history.js';
import { LIMITS } from './limits.js';

const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** basic/utilities/tasks#task-status-lifecycle: a task in such a status keeps it. */
export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}

export class TaskTable {
  private readonly statuses = new Map<string, string>();

  has(taskId: string): boolean {
    return this.statuses.has(taskId);
  }

  status(taskId: string): string | undefined {
    return this.statuses.get(taskId);
  }

  set(taskId: string, status: string): void {
    if (!this.statuses.has(taskId) && this.statuses.size >= LIMITS.tasks) {
      const [oldest] = this.statuses.keys();
      this.statuses.delete(oldest as string);
    }
    this.statuses.set(detached(taskId), detached(status));
  }
}
