/**
 * Protocol revisions as data. This endpoint speaks one; another revision is another contract and gets a route and
 * module of its own, so nothing here chooses between revisions.
 */

/** The one revision that is answered, whatever a client proposes. */
export const SPOKEN_REVISION = '2025-11-25';

/** Published before it. None of them is spoken; they are known so that they can be told from drafts and from later ones. */
const EARLIER_REVISIONS: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26', '2025-06-18']);

/** What an `MCP-Protocol-Version` header says (MCP transports, "Protocol Version Header"). */
export type RevisionHeader = 'missing' | 'spoken' | 'earlier' | 'unsupported';

/** Compared character for character: a revision is a name, not a date to be ordered. */
export function judgeRevisionHeader(value: string | undefined): RevisionHeader {
  if (value === undefined) return 'missing';
  if (value === SPOKEN_REVISION) return 'spoken';
  return EARLIER_REVISIONS.has(value) ? 'earlier' : 'unsupported';
}
