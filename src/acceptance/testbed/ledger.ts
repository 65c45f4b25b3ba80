/*
 * What really happened in the bed's upstream, by nonce: executions with identity and outcome, and the answers it
 * sent. The witness reads it; nothing else does.
 */
import { createHash } from 'node:crypto';

/** One execution, changed while it goes on. */
export interface LedgerEntry {
  readonly tool: string;
  readonly identity: string;
  cancelled: boolean;
  outcome: 'running' | 'completed' | 'cancelled';
}

interface Page {
  readonly executions: LedgerEntry[];
  readonly answers: { status: number; contentType: string; bodySha256: string }[];
}

/** Nonces that are kept; the oldest go first. */
const MAX_PAGES = 5000;

/** The ledger of one bed. */
export class Ledger {
  private readonly pages = new Map<string, Page>();

  /** Notes that a tool began to run. */
  begin(nonce: string, tool: string, identity: string): LedgerEntry {
    const entry: LedgerEntry = { tool, identity, cancelled: false, outcome: 'running' };
    this.page(nonce).executions.push(entry);
    return entry;
  }

  /** Notes an answer as it left the server. */
  answered(nonce: string, status: number, contentType: string, body: string): void {
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    this.page(nonce).answers.push({ status, contentType, bodySha256 });
  }

  /** The witness's document for a nonce. */
  testimony(nonce: string): object {
    const { executions, answers } = this.pages.get(nonce) ?? { executions: [], answers: [] };
    return { runs: executions.length, executions, answers };
  }

  private page(nonce: string): Page {
    const known = this.pages.get(nonce);
    if (known !== undefined) return known;
    if (this.pages.size >= MAX_PAGES) this.pages.delete(this.pages.keys().next().value ?? '');
    const page: Page = { executions: [], answers: [] };
    this.pages.set(nonce, page);
    return page;
  }
}
