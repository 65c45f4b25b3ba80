/*
 * The one list of checks per judged revision, in the order they run. Ids are unique and pinned by a test.
 */
import { MODERN_REVISION, STATEFUL_REVISION, type JudgedRevision } from '../revision.js';
import { AUDIENCE_CHECKS } from './audience.js';
import { BYPASS_CHECKS } from './bypass.js';
import { CHALLENGE_CHECKS } from './challenge.js';
import type { Check } from './check.js';
import { DECISION_CHECKS } from './decision.js';
import { DOWNGRADE_CHECKS } from './downgrade.js';
import { ERROR_CHECKS } from './errors.js';
import { LOG_CHECKS } from './logs.js';
import { STATEFUL_AUDIENCE_CHECKS } from './stateful/audience-checks.js';
import { STATEFUL_BYPASS_CHECKS, STATEFUL_ERROR_CHECKS } from './stateful/error-checks.js';
import { SESSION_CHECKS } from './stateful/session-checks.js';
import { STATEFUL_STREAM_CHECKS } from './stateful/stream-checks.js';
import { STREAM_CHECKS } from './stream.js';
import { VERSION_CHECKS } from './version.js';

const MODERN: readonly Check[] = [
  ...VERSION_CHECKS,
  ...DECISION_CHECKS,
  ...AUDIENCE_CHECKS,
  ...CHALLENGE_CHECKS,
  ...LOG_CHECKS,
  ...STREAM_CHECKS,
  ...ERROR_CHECKS,
  ...DOWNGRADE_CHECKS,
  ...BYPASS_CHECKS,
];

const STATEFUL: readonly Check[] = [
  ...SESSION_CHECKS,
  ...STATEFUL_AUDIENCE_CHECKS,
  ...LOG_CHECKS,
  ...STATEFUL_STREAM_CHECKS,
  ...STATEFUL_ERROR_CHECKS,
  ...STATEFUL_BYPASS_CHECKS,
];

/** Checks by judged revision; those marked `last` come after the others. */
export const CHECKS: Readonly<Record<JudgedRevision, readonly Check[]>> = {
  [MODERN_REVISION]: inOrder(MODERN),
  [STATEFUL_REVISION]: inOrder(STATEFUL),
};

function inOrder(checks: readonly Check[]): readonly Check[] {
  return [...checks.filter(({ last }) => last !== true), ...checks.filter(({ last }) => last === true)];
}
