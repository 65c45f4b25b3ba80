/** Sentences for findings: the rule's text with its facts put in. Nothing else makes text of a finding. */

import { RULES } from './catalogue.js';
import type { Finding } from './finding.js';

/** One sentence that says what is wrong, for people and for `error_contains`. */
export function renderFinding(found: Finding): string {
  const rule = RULES[found.rule];
  return (rule.text ?? rule.reason).replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (name === 'pointer') return found.pointer === '' ? 'the message' : found.pointer;
    const fact = Object.hasOwn(found.facts, name) ? found.facts[name] : undefined;
    return fact === undefined ? placeholder : String(fact);
  });
}
