/**
 * Protocol revisions as data. This endpoint speaks one; another revision is another contract and gets a route and
 * module of its own, so nothing here chooses between revisions.
 */

/** The one revision that is answered, whatever a client proposes. */
export const SPOKEN_REVISION = '2025-11-25';

/** What an `MCP-Protocol-Version` header says (MCP transports, "Protocol Version Header"). */
export type RevisionHeader = 'missing' | 'spoken' | 'unsupported';

/** Compared character for character: a revision is a name, not a date to be ordered. */
export function judgeRevisionHeader(value: string | undefined): RevisionHeader {
  if (value === undefined) return 'missing';
  return value === SPOKEN_REVISION ? 'spoken' : 'unsupported';
}
