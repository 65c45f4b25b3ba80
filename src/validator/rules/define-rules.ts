/**
 * The one constructor of rule tables. A rule is a row: a reason for `--rules`, the place in the specification it
 * comes from, and the sentence a finding of it is rendered with. How a rule is checked is not said here.
 */

/** `schema` = the published schema demands it; `hardening` = this profile asks for more than the specification. */
export type RuleLevel = 'MUST' | 'SHOULD' | 'schema' | 'hardening';

/** One row of the catalogue. */
export interface Rule {
  readonly level: RuleLevel;
  /** Page and heading of specification revision 2025-11-25, or another standard, or `profile hardening`. */
  readonly section: string;
  /** One sentence: what must hold. */
  readonly reason: string;
  /** The finding's sentence; `{name}` is replaced by that fact. The reason itself when left out. */
  readonly text?: string;
  /**
   * The profile cannot judge this, which does not make the message wrong: a failure in a fixture, a notice
   * `not_judged` in a transcript.
   */
  readonly isLimitOfProfile?: true;
}

const HARDENING_SECTION = 'profile hardening';

/** Checks nothing at run time beyond keeping the literal ids in the type. */
export function defineRules<const Id extends string>(rules: Record<Id, Rule>): Readonly<Record<Id, Rule>> {
  return rules;
}

/** A rule the specification states with MUST or MUST NOT. */
export function must(section: string, reason: string, text?: string): Rule {
  return row('MUST', section, reason, text);
}

/** A rule the specification states with SHOULD or SHOULD NOT. */
export function should(section: string, reason: string, text?: string): Rule {
  return row('SHOULD', section, reason, text);
}

/** A rule that is only in the published schema. */
export function schema(section: string, reason: string, text?: string): Rule {
  return row('schema', section, reason, text);
}

/** A rule of this profile alone. */
export function hardening(reason: string, text?: string): Rule {
  return row('hardening', HARDENING_SECTION, reason, text);
}

/** A rule that says what this profile cannot judge. */
export function limit(reason: string, text?: string): Rule {
  return { ...hardening(reason, text), isLimitOfProfile: true };
}

function row(level: RuleLevel, section: string, reason: string, text: string | undefined): Rule {
  return text === undefined ? { level, section, reason } : { level, section, reason, text };
}
