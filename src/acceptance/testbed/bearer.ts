/*
 * The bed's bearer checks: opaque random tokens in a table, audience and life and scope, and the challenges that
 * say what is missing. A stand-in for a resource server's validation, not one to copy.
 */
import { randomBytes } from 'node:crypto';
import type { TokenRole } from '../config/load-config.js';
import type { UpstreamFault } from './faults.js';

/** What the bed knows about a token. */
interface Grant {
  readonly role: TokenRole;
  readonly identity: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly expired: boolean;
}

/** A refusal, or the identity that the token stands for. */
export type BearerVerdict =
  | { readonly ok: true; readonly identity: string }
  | { readonly ok: false; readonly status: 401 | 403; readonly error: string; readonly challenge: string };

/** The identity of the valid token. */
export const BED_IDENTITY = 'alice@bed.example';

/** The scope that tools/call needs, and the one that everything else needs. */
const CALL = 'tools:call';
const USE = 'mcp:use';

/** Tokens of one bed, fresh for every start. */
export class BedTokens {
  readonly byRole: Readonly<Record<Exclude<TokenRole, 'other'>, string>>;
  private readonly grants = new Map<string, Grant>();

  constructor(
    private readonly resource: string,
    private readonly metadataUrl: string,
    private readonly fault: UpstreamFault | undefined,
  ) {
    const add = (role: TokenRole, grant: Partial<Grant>): string => {
      const token = randomBytes(32).toString('base64url');
      const right = { role, identity: BED_IDENTITY, audience: resource, scopes: [USE, CALL], expired: false };
      this.grants.set(token, { ...right, ...grant });
      return token;
    };
    this.byRole = {
      valid: add('valid', {}),
      expired: add('expired', { expired: true }),
      neighbour: add('neighbour', { audience: 'https://neighbour.bed.example/mcp' }),
      downstream: add('downstream', { audience: 'https://api.bed.example/' }),
      narrow: add('narrow', { scopes: [USE] }),
    };
  }

  /** Judges an Authorization header for a JSON-RPC method. */
  judge(authorization: string | undefined, method: string): BearerVerdict {
    const needed = method === 'tools/call' ? `${USE} ${CALL}` : USE;
    const token = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return this.refuse(401, 'invalid_request', needed, false);
    const grant = this.grants.get(token);
    if (grant === undefined || !this.isForUs(grant, method))
      return this.refuse(401, 'invalid_token', needed, true);
    const enough = needed.split(' ').every((scope) => grant.scopes.includes(scope));
    if (!enough && this.fault !== 'accepts-narrow')
      return this.refuse(403, 'insufficient_scope', needed, true);
    return { ok: true, identity: grant.identity };
  }

  private isForUs({ role, expired, audience }: Grant, method: string): boolean {
    if (expired) return this.fault === 'accepts-expired';
    if (audience === this.resource) return true;
    const call = method === 'tools/call';
    return (
      (role === 'neighbour' && call && this.fault === 'accepts-neighbour-on-calls') ||
      (role === 'neighbour' && !call && this.fault === 'checks-audience-on-calls-only') ||
      (role === 'downstream' && this.fault === 'accepts-downstream')
    );
  }

  private refuse(status: 401 | 403, error: string, scope: string, named: boolean): BearerVerdict {
    const parts = [
      ...(named ? [`error="${error}"`] : []),
      `scope="${scope}"`,
      `resource_metadata="${this.metadataUrl}"`,
    ];
    return { ok: false, status, error, challenge: `Bearer ${parts.join(', ')}` };
  }
}
