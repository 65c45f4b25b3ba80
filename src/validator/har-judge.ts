/** Judges the messages of a HAR export, each conversation in a session of its own. */

import type { Finding } from './finding.js';
import type { HarEvent } from './har.js';
import { LIMITS } from './limits.js';
import { numberSourcesBelow, readNumberSources } from './number-sources.js';
import { Session } from './session.js';
import { isObject } from './shape.js';
import { isTooLarge, jsonFinding, parseText, tooLargeFinding } from './strict-text.js';
import { Tally } from './tally.js';
import type { LineReport } from './transcript.js';

export class HarJudge {
  readonly tally = new Tally();
  private readonly sessions = new Map<string, Session>();

  /** Judges one message of the export. */
  judge(event: HarEvent): LineReport {
    this.tally.addMessage();
    if (isTooLarge(event.text)) return this.report(tooLargeFinding(), []);
    const parsed = parseText(event.text);
    if (!parsed.ok) return this.report(jsonFinding(parsed), []);
    const { value } = parsed;
    const isStart = isObject(value) && value.method === 'initialize' && event.sender === 'client';
    const session = this.session(event.conversation, isStart && event.conversation.startsWith('url '));
    const found = session.judge({
      sender: event.sender,
      message: value,
      numbers: numberSourcesBelow(readNumberSources(event.text), ''),
    });
    return this.report(found, session.state.takeNotes());
  }

  /** Servers without session ids share a URL: there an initialize request starts the next conversation. */
  private session(conversation: string, isNew: boolean): Session {
    const known = isNew ? undefined : this.sessions.get(conversation);
    if (known !== undefined) return known;
    const session = new Session('transcript', undefined);
    this.sessions.delete(conversation);
    this.sessions.set(conversation, session);
    if (this.sessions.size > LIMITS.conversations) {
      const [oldest] = this.sessions.keys();
      this.sessions.delete(oldest as string);
    }
    return session;
  }

  private report(found: Finding | undefined, notJudged: readonly Finding[]): LineReport {
    if (found !== undefined) this.tally.addFinding(found);
    this.tally.addNotJudged(notJudged.length);
    return { found, notJudged };
  }
}
