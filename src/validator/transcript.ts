/**
 * Judges a transcript line by line: `{direction, message[, transport_context]}` or `{control_event}` as strict JSON.
 * It goes on after a finding. Cutting a file into lines and showing findings is the caller's work.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import { type Finding, finding } from './finding.js';
import { senderOf } from './fixture.js';
import { numberSourcesBelow, readNumberSources } from './number-sources.js';
import type { Policy } from './policy.js';
import { shownName } from './secrecy.js';
import { Session } from './session.js';
import { isObject } from './shape.js';
import { isTooLarge, jsonFinding, parseText, tooLargeFinding } from './strict-text.js';
import { Tally } from './tally.js';

/** What one line brought. */
export interface LineReport {
  /** Pointers are from the line: `/message/params/uri`. */
  readonly found: Finding | undefined;
  readonly notJudged: readonly Finding[];
}

const NOTHING: LineReport = { found: undefined, notJudged: [] };
const WIRE_KEYS: ReadonlySet<string> = new Set(['direction', 'message', 'transport_context']);

export class TranscriptJudge {
  readonly tally = new Tally();
  private readonly session: Session;

  constructor(policy: Policy | undefined) {
    this.session = new Session('transcript', policy);
  }

  /** Judges one line, without its line end. A blank line is nothing. */
  line(text: string): LineReport {
    if (isTooLarge(text)) return this.refused(tooLargeFinding());
    if (text.trim() === '') return NOTHING;
    const parsed = parseText(text);
    if (!parsed.ok) return this.refused(jsonFinding(parsed));
    return this.step(parsed.value, text);
  }

  /** A line that could not even be read as text: too long, or not UTF-8. */
  unreadable(rule: 'json.too_large' | 'json.invalid_utf8'): LineReport {
    return this.refused(rule === 'json.too_large' ? tooLargeFinding() : finding(rule, ''));
  }

  private step(value: JsonValue, text: string): LineReport {
    if (!isObject(value)) return this.badStep('is not an object');
    if (Object.hasOwn(value, 'control_event')) return this.control(value);
    for (const key in value) {
      if (!WIRE_KEYS.has(key)) return this.badStep(`has unknown keys: ${shownName(key)}`);
    }
    const sender = senderOf(value.direction);
    if (sender === undefined) return this.badStep('has no direction client_to_server or server_to_client');
    if (value.message === undefined) return this.badStep('has no message');
    this.tally.addMessage();
    const found = this.session.judge({
      sender,
      message: value.message,
      context: value.transport_context,
      numbers: numberSourcesBelow(readNumberSources(text), '/message'),
    });
    return this.report(found === undefined ? undefined : inLine(found));
  }

  private control(value: JsonObject): LineReport {
    const event = value.control_event;
    const isGood =
      Object.keys(value).length === 1 &&
      isObject(event) &&
      Object.keys(event).length === 2 &&
      event.type === 'activate_authorization_revision' &&
      typeof event.revision === 'string';
    if (!isGood) return this.badStep('has a control_event that is not {type, revision} alone');
    const found = this.session.activateRevision(event.revision as string);
    return this.report(found);
  }

  private badStep(problem: string): LineReport {
    return this.refused(finding('step.shape', '', { problem }));
  }

  private refused(found: Finding): LineReport {
    this.tally.addFinding(found);
    return { found, notJudged: [] };
  }

  private report(found: Finding | undefined): LineReport {
    const notJudged = this.session.state.takeNotes().map(inLine);
    if (found === undefined && notJudged.length === 0) return NOTHING;
    if (found !== undefined) this.tally.addFinding(found);
    this.tally.addNotJudged(notJudged.length);
    return { found, notJudged };
  }
}

/** The finding with its pointer from the line; the snapshot stands beside the message. */
function inLine(found: Finding): Finding {
  const at = found.rule.startsWith('authorization.') ? '' : '/message';
  return { ...found, pointer: at + found.pointer };
}
