/**
 * Tasks: augmentation of requests, CreateTaskResult, snapshots in tasks/list and status notifications
 * (basic/utilities/tasks). Who may see which task is not judged.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { aCursor } from './descriptors.js';
import { type Check, type Finding, finding } from './finding.js';
import { detached } from './id-history.js';
import { LIMITS } from './limits.js';
import { pageOf } from './resources.js';
import type { PendingRequest, SessionState } from './session-state.js';
import { aString, firstFinding, isObject, meta, shape } from './shape.js';
import { isTerminal } from './task-table.js';
import { isTimestamp } from './uri.js';

const STATUSES: ReadonlySet<unknown> = new Set([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

const timestamp =
  (member: string): Check =>
  (value, at) =>
    typeof value === 'string' && isTimestamp(value) ? undefined : finding('tasks.timestamp', at, { member });

const milliseconds = (value: unknown): boolean => typeof value === 'number' && value >= 0;

const taskMembers: Readonly<Record<string, Check>> = {
  taskId: (value, at) =>
    typeof value === 'string' && value !== '' && value.length <= LIMITS.idLength
      ? undefined
      : finding('tasks.task_id', at, { limit: LIMITS.idLength }),
  status: (value, at) => (STATUSES.has(value) ? undefined : finding('tasks.status', at)),
  createdAt: timestamp('createdAt'),
  lastUpdatedAt: timestamp('lastUpdatedAt'),
  ttl: (value, at) => (value === null || milliseconds(value) ? undefined : finding('tasks.ttl', at)),
};
const optionalTaskMembers: Readonly<Record<string, Check>> = {
  statusMessage: aString,
  pollInterval: (value, at) => (milliseconds(value) ? undefined : finding('tasks.poll_interval', at)),
};

/** Missing members of a task have rules of their own, so that a finding names what is missing. */
function missingMember(value: unknown, at: string): Finding | undefined {
  if (!isObject(value)) return undefined;
  for (const [member, check] of Object.entries(taskMembers)) {
    if (!Object.hasOwn(value, member)) return check(undefined, `${at}/${member}`);
  }
  return undefined;
}

const taskShape = shape('task', taskMembers, optionalTaskMembers);
const statusShape = shape('params', taskMembers, { ...optionalTaskMembers, _meta: meta });

/** One snapshot of a task (schema#Task). */
const taskSnapshot: Check = (value, at) => missingMember(value, at) ?? taskShape(value, at);

/** Params of notifications/tasks/status. */
export const taskStatusParams: Check = (value, at) => missingMember(value, at) ?? statusShape(value, at);

/** The `task` member of augmented params (schema#TaskMetadata). */
export const taskMetadata: Check = (value, at) => {
  const isGood =
    isObject(value) &&
    Object.keys(value).every((key) => key === 'ttl') &&
    (value.ttl === undefined || milliseconds(value.ttl));
  return isGood ? undefined : finding('tasks.metadata', at);
};

const createShape = shape('result', { task: taskSnapshot }, { _meta: meta });

/** A CreateTaskResult (schema#CreateTaskResult) to an augmented request. */
export function judgeCreateTask(result: JsonObject, state: SessionState): Finding | undefined {
  if (!isObject(result.task)) return finding('tasks.create_result_required', '/result');
  const found = createShape(result, '/result');
  if (found !== undefined) return found;
  if (result.task.status !== 'working') return finding('tasks.initial_status', '/result/task/status');
  return state.tasks.has(result.task.taskId as string)
    ? finding('tasks.duplicate_id', '/result/task/taskId')
    : undefined;
}

/** Keeps the task of a good CreateTaskResult. */
export function createTask(
  result: JsonObject,
  pending: PendingRequest,
  progress: { handOver(token: string | number | undefined, taskId: string): void },
  state: SessionState,
): void {
  const task = result.task as JsonObject;
  state.tasks.set(task.taskId as string, task.status as string);
  progress.handOver(pending.progressToken, task.taskId as string);
}

const listShape = shape('result', { tasks: pageOf(taskSnapshot) }, { nextCursor: aCursor, _meta: meta });

/** The result of tasks/list: every snapshot, whatever its status. */
export function judgeTaskList(result: JsonObject, state: SessionState): Finding | undefined {
  const found = listShape(result, '/result');
  if (found !== undefined) return found;
  const seen = new Set<string>();
  return firstFinding(
    result.tasks as JsonValue[],
    (value, at) => {
      const task = value as JsonObject;
      const taskId = task.taskId as string;
      if (seen.has(taskId)) return finding('tasks.duplicate_id', `${at}/taskId`);
      seen.add(taskId);
      return judgeStatus(task, at, state);
    },
    '/result/tasks',
  );
}

/** basic/utilities/tasks#task-status-lifecycle: out of a terminal status there is no way. */
export function judgeStatus(task: JsonObject, at: string, state: SessionState): Finding | undefined {
  const known = state.tasks.status(task.taskId as string);
  return known !== undefined && isTerminal(known) && known !== task.status
    ? finding('tasks.terminal_status', `${at}/status`)
    : undefined;
}

/** Keeps the new status of a task; a terminal one ends its progress token. */
export function updateStatus(task: JsonObject, state: SessionState): void {
  const taskId = task.taskId as string;
  if (!state.tasks.has(taskId)) return;
  state.tasks.set(detached(taskId), task.status as string);
  if (!isTerminal(task.status as string)) return;
  state.client.progress.endTask(taskId);
  state.server.progress.endTask(taskId);
}
