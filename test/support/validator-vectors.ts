/**
 * For every rule of the catalogue a conversation that breaks it with its last step, and a neighbour, as close as can
 * be, that breaks nothing. The type makes a rule without vectors a compile error.
 */

import type { RuleId } from '../../src/validator/catalogue.js';
import { CLIENT_FEATURE_VECTORS } from './validator-vectors-client-features.js';
import { ENVELOPE_VECTORS } from './validator-vectors-envelope.js';
import { RESOURCE_VECTORS } from './validator-vectors-resources.js';
import { TOOL_VECTORS } from './validator-vectors-tools.js';
import type { Vector } from './validator-vector.js';

export const VECTORS: Readonly<Record<RuleId, Vector>> = {
  ...ENVELOPE_VECTORS,
  ...RESOURCE_VECTORS,
  ...TOOL_VECTORS,
  ...CLIENT_FEATURE_VECTORS,
};
