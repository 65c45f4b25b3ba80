/**
 * Every rule of the validator, in one table. Ids are API: other people's fixtures name them, so they are never
 * renamed and never change meaning (a test pins them). `validate --rules` prints this table.
 */

import { AUTHORIZATION_RULES } from './rules/authorization-rules.js';
import { CLIENT_FEATURE_RULES } from './rules/client-feature-rules.js';
import type { Rule } from './rules/define-rules.js';
import { ENVELOPE_RULES } from './rules/envelope-rules.js';
import { RESOURCE_RULES } from './rules/resource-rules.js';
import { SESSION_RULES } from './rules/session-rules.js';
import { TOOL_RULES } from './rules/tool-rules.js';

const TABLE = {
  ...ENVELOPE_RULES,
  ...SESSION_RULES,
  ...AUTHORIZATION_RULES,
  ...RESOURCE_RULES,
  ...TOOL_RULES,
  ...CLIENT_FEATURE_RULES,
};

/** The stable id of a rule. */
export type RuleId = keyof typeof TABLE;

/** The catalogue by id. */
export const RULES: Readonly<Record<RuleId, Rule>> = TABLE;

/** All ids, in the order of the printed table. */
export const RULE_IDS: readonly RuleId[] = Object.keys(TABLE) as RuleId[];
