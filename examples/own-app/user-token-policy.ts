import { Injectable } from '@nestjs/common';
import { TokenPolicy, type TokenVerdict } from 'nest-mcp-boundary';
import { UserDatabase } from './user-database.js';

@Injectable()
export class UserTokenPolicy extends TokenPolicy {
  constructor(private readonly users: UserDatabase) {
    super();
  }

  override authenticate(token: string, resource: string): TokenVerdict {
    const grant = this.users.findGrant(token);
    if (grant === undefined) return { ok: false, code: 'invalid_token', reason: 'unknown' };
    const { user, audience, scopes, expiresAt } = grant;
    if (audience !== resource) return { ok: false, code: 'invalid_token', reason: 'wrong_audience' };
    if (expiresAt <= Date.now()) return { ok: false, code: 'invalid_token', reason: 'expired' };
    const identity = { subject: user.name, tenant: user.team, authorizationRevision: '1' };
    return { ok: true, principal: { ...identity, scopes, tokenId: user.name, expiresAt } };
  }
}
