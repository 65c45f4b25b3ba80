/*
 * The names of all ways in which the bed can be broken. Each breaks one thing; the table in the tests says which
 * check it makes fail. What a proxy fault does is in proxy-faults.ts.
 */

/** Faults of the upstream. */
export const UPSTREAM_FAULTS = [
  'accepts-expired',
  'accepts-neighbour-on-calls',
  'accepts-downstream',
  'accepts-narrow',
  'checks-audience-on-calls-only',
  'trusts-identity-headers',
  'books-cancelled-as-success',
  'leaves-direct-way-open',
  'serves-older-revisions',
  'runs-as-service-account',
] as const;

/** Faults of the embedded proxy. */
export const PROXY_FAULTS = [
  'aligns-method',
  'aligns-name',
  'aligns-name-unseen',
  'aligns-body-version',
  'aligns-header-version',
  'fills-version',
  'fills-method',
  'fills-name',
  'mends-base64',
  'does-not-decode-names',
  'keeps-first-of-repeated',
  'raises-unknown-version',
  'translates-older',
  'translates-undeclared',
  'translates-hidden',
  'has-no-rules',
  'aligns-parameter',
  'fills-parameter',
  'strips-mirrored-headers',
  'replays-refused-calls',
  'remembers-connection',
  'forwards-any-audience',
  'takes-token-from-query',
  'echoes-token',
  'trims-challenge',
  'rewrites-challenge',
  'rewrites-metadata',
  'logs-authorization',
  'turns-log-off',
  'buffers',
  'strips-buffering-hint',
  'hoards',
  'swallows-disconnects',
  'cuts-idle-streams',
  'strips-comments',
  'turns-comments-into-data',
  'retypes-400',
  'brands-401',
  'brands-403',
  'brands-404',
  'brands-405-get',
  'brands-405-delete',
  'brands-405-put',
  'limits-body',
  'wraps-application-errors',
  'answers-initialize',
  'mints-session',
  'hides-supported',
  'echoes-session',
] as const;

/** Faults of the embedded proxy in front of a server of the stateful revision; some serve for both. */
export const STATEFUL_FAULTS = [
  'strips-session-header',
  'rewrites-version-header',
  'adds-session',
  'maps-session-to-token',
  'answers-delete',
  'vouches-for-expired',
  'vouches-for-neighbour',
  'vouches-for-downstream',
  'vouches-for-narrow',
  'refuses-get',
  'strips-last-event-id',
] as const;

export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];
export type ProxyFault = (typeof PROXY_FAULTS)[number] | (typeof STATEFUL_FAULTS)[number];

/** Which part of the bed a fault belongs to. */
export function isUpstreamFault(fault: string): fault is UpstreamFault {
  return (UPSTREAM_FAULTS as readonly string[]).includes(fault);
}

export function isProxyFault(fault: string): fault is ProxyFault {
  return ([...PROXY_FAULTS, ...STATEFUL_FAULTS] as readonly string[]).includes(fault);
}
