/** Counts of a transcript or HAR run: messages, findings by level, and what was not judged, apart. */

import { RULES, type RuleId } from './catalogue.js';
import type { Finding } from './finding.js';
import { PROFILE } from './fixture-run.js';
import { PROTOCOL_VERSION } from './limits.js';

/** What a run over a recorded conversation ends with. */
export interface TranscriptSummary {
  readonly status: 'ok' | 'findings';
  readonly profile: string;
  readonly protocol_version: string;
  readonly messages: number;
  readonly findings: number;
  /** Of the findings, those that only this profile demands. */
  readonly profile_hardening: number;
  readonly not_judged: number;
  readonly rules: Readonly<Partial<Record<RuleId, number>>>;
}

export class Tally {
  private messages = 0;
  private findings = 0;
  private hardening = 0;
  private notes = 0;
  private readonly rules = new Map<RuleId, number>();

  addMessage(): void {
    this.messages++;
  }

  addFinding({ rule }: Finding): void {
    this.findings++;
    if (RULES[rule].level === 'hardening') this.hardening++;
    this.rules.set(rule, (this.rules.get(rule) ?? 0) + 1);
  }

  addNotJudged(count: number): void {
    this.notes += count;
  }

  summary(): TranscriptSummary {
    return {
      status: this.findings === 0 ? 'ok' : 'findings',
      profile: PROFILE,
      protocol_version: PROTOCOL_VERSION,
      messages: this.messages,
      findings: this.findings,
      profile_hardening: this.hardening,
      not_judged: this.notes,
      rules: Object.fromEntries([...this.rules].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}
