/**
 * Resource subscriptions of a session, by principal and URI, active and under way. Only a successful response
 * changes what is active; that is the caller's to see to.
 */

import { detached } from './id-history.js';
import { LIMITS } from './limits.js';

/** Who subscribes: subject and tenant of a snapshot, or the one anonymous principal when there is no policy. */
export interface Subscriber {
  readonly subject: string;
  readonly tenant: string;
}

type PendingKind = 'subscribe' | 'unsubscribe';

export class Subscriptions {
  private readonly active = new Map<string, Set<string>>();
  private readonly pending = new Map<string, PendingKind>();
  private activeCount = 0;

  get isFull(): boolean {
    return this.activeCount + this.pending.size >= LIMITS.subscriptions;
  }

  get isEmpty(): boolean {
    return this.activeCount === 0;
  }

  isActive(who: Subscriber, uri: string): boolean {
    return this.active.get(ownerKey(who))?.has(uri) === true;
  }

  /** The URIs a principal is subscribed to. */
  of(who: Subscriber): ReadonlySet<string> {
    return this.active.get(ownerKey(who)) ?? new Set();
  }

  pendingKind(who: Subscriber, uri: string): PendingKind | undefined {
    return this.pending.get(pendingKey(who, uri));
  }

  begin(kind: PendingKind, who: Subscriber, uri: string): void {
    this.pending.set(detached(pendingKey(who, uri)), kind);
  }

  /** Ends a pending operation; `succeeded` says whether it takes effect. */
  end(kind: PendingKind, who: Subscriber, uri: string, succeeded: boolean): void {
    this.pending.delete(pendingKey(who, uri));
    if (!succeeded) return;
    const owner = ownerKey(who);
    const uris = this.active.get(owner) ?? new Set<string>();
    this.activeCount -= uris.size;
    if (kind === 'subscribe') uris.add(detached(uri));
    else uris.delete(uri);
    this.activeCount += uris.size;
    if (uris.size > 0) this.active.set(detached(owner), uris);
    else this.active.delete(owner);
  }

  /** Another authorization revision ends every subscription; what is under way fails when its result arrives. */
  clear(): void {
    this.active.clear();
    this.activeCount = 0;
  }
}

function ownerKey(who: Subscriber): string {
  return JSON.stringify([who.subject, who.tenant]);
}

function pendingKey(who: Subscriber, uri: string): string {
  return JSON.stringify([who.subject, who.tenant, uri]);
}
