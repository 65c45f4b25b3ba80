/**
 * What a session knows while it is replayed. The method and notification tables read and change it; only session.ts
 * makes one. Everything in it is bounded by limits.ts.
 */

import type { JsonObject, JsonValue } from '../protocol/strict-json.js';
import type { Snapshot } from './authorization.js';
import { otherPeer, type Peer } from './capabilities.js';
import { RULES } from './catalogue.js';
import type { Finding } from './finding.js';
import { IdHistory, type RequestId } from './id-history.js';
import { NO_NUMBER_SOURCES, type NumberSources } from './number-sources.js';
import type { Policy } from './policy.js';
import { ProgressTokens } from './progress.js';
import type { CompiledSchema } from './schema-dialect.js';
import { Subscriptions } from './subscriptions.js';
import { TaskTable } from './task-table.js';
import { ToolTable } from './tool-table.js';

export type LifecycleState =
  'new' | 'waiting_for_initialize_response' | 'waiting_for_initialized_notification' | 'ready';

/**
 * `fixture`: a case ends at its first finding, and what the profile cannot judge is one. `transcript`: goes on after
 * a finding, and what it cannot judge is only noted.
 */
export type Mode = 'fixture' | 'transcript';

/** A request that waits for its response. */
export interface PendingRequest {
  readonly id: RequestId;
  readonly method: string;
  /** False: its response is matched and not looked into, because the request was not judged or not good. */
  readonly isJudged: boolean;
  readonly isTask: boolean;
  readonly progressToken: RequestId | undefined;
  readonly snapshot: Snapshot | undefined;
  /** What the request was about: a URI or a tool name. */
  readonly subject: string;
  readonly elicitation: PendingElicitation | undefined;
  /** A cancelled or badly answered request may be dropped when room is needed. */
  isSpent: boolean;
}

export interface PendingElicitation {
  readonly mode: 'form' | 'url';
  /** Of a form, compiled; undefined when this profile cannot judge it. */
  readonly schema: CompiledSchema | undefined;
}

/** The requests of one sender. */
export interface Sender {
  readonly pending: Map<RequestId, PendingRequest>;
  readonly history: IdHistory;
  readonly progress: ProgressTokens;
  /** What this side declared in the handshake; undefined when that was not seen (transcripts only). */
  declared: ReadonlySet<string> | undefined;
}

export class SessionState {
  lifecycle: LifecycleState = 'new';
  readonly client: Sender = newSender();
  readonly server: Sender = newSender();
  readonly subscriptions = new Subscriptions();
  readonly tools = new ToolTable();
  readonly tasks = new TaskTable();
  /** URL mode elicitations that may still be completed, oldest first. */
  readonly elicitations = new Set<string>();
  activeRevision: string;
  /** The snapshot that was kept last, to be shared by requests that say the same. */
  lastSnapshot: Snapshot | undefined = undefined;
  /** Source text of unusual numbers in the message that is being judged. */
  numbers: NumberSources = NO_NUMBER_SOURCES;
  private noted: Finding[] = [];

  constructor(
    readonly mode: Mode,
    readonly policy: Policy | undefined,
  ) {
    this.activeRevision = policy?.initialRevision ?? '';
  }

  sender(peer: Peer): Sender {
    return peer === 'client' ? this.client : this.server;
  }

  /** The side that receives what `peer` sends. */
  receiver(peer: Peer): Sender {
    return this.sender(otherPeer(peer));
  }

  /**
   * In a transcript a limit of the profile is noted and does not count against the message; in a fixture it does.
   * Returns the finding when it counts.
   */
  unlessNoted(found: Finding): Finding | undefined {
    if (this.mode === 'fixture' || RULES[found.rule].isLimitOfProfile !== true) return found;
    this.note(found);
    return undefined;
  }

  /** Notes something that this profile could not judge. */
  note(found: Finding): void {
    this.noted.push(found);
  }

  /** What was noted since the last call. */
  takeNotes(): readonly Finding[] {
    if (this.noted.length === 0) return this.noted;
    const noted = this.noted;
    this.noted = [];
    return noted;
  }
}

/** One message as somebody recorded it. */
export interface WireStep {
  readonly sender: Peer;
  readonly message: JsonValue;
  /** The identity snapshot beside the message; undefined when there is none. */
  readonly context?: JsonValue | undefined;
  /** Source text of unusual numbers, by pointer from the message. */
  readonly numbers?: NumberSources;
}

/** A request as the method table sees it. */
export interface JudgedRequest {
  readonly sender: Peer;
  readonly params: JsonObject;
  readonly isTask: boolean;
  readonly snapshot: Snapshot | undefined;
}

function newSender(): Sender {
  return {
    pending: new Map(),
    history: new IdHistory(),
    progress: new ProgressTokens(),
    declared: undefined,
  };
}
