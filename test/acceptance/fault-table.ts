/**
 * Which fault of the bed makes which checks fail. `proves`: the checks that the fault was made for. `drags`: checks
 * that fail with them because the faults are not independent, each with its reason in `because`.
 */

export interface FaultRow {
  readonly proxy: 'embedded' | 'nginx';
  readonly fault: string;
  readonly proves: readonly string[];
  readonly drags?: readonly string[];
  readonly because?: string;
  /** Needs the proxy in a process of its own: run through the built command line. */
  readonly isolated?: true;
}

const embedded = (fault: string, ...proves: string[]): FaultRow => ({ proxy: 'embedded', fault, proves });
const nginx = (fault: string, ...proves: string[]): FaultRow => ({ proxy: 'nginx', fault, proves });

/** Checks that pass though nothing gets through, since they ask for nothing to be executed. */
export const NEEDS_NO_TWIN = [
  'audience.metadata',
  'audience.no-token-in-answers',
  'audience.no-token-in-logs',
  'downgrade.names-supported',
] as const;

export const FAULT_TABLE: readonly FaultRow[] = [
  // Group 1: gateways that mend what the server should have refused.
  embedded('aligns-method', 'version.method-mismatch'),
  { ...embedded('replays-refused-calls', 'version.method-mismatch'), because: 'a 400, then an execution' },
  embedded('aligns-name', 'version.name-mismatch'),
  embedded('aligns-body-version', 'version.body-version-older'),
  embedded('aligns-header-version', 'version.header-version-older'),
  embedded('fills-version', 'version.missing-version-header'),
  embedded('fills-method', 'version.missing-method-header'),
  embedded('fills-name', 'version.missing-name-header'),
  embedded('mends-base64', 'version.malformed-base64'),
  embedded('does-not-decode-names', 'version.encoded-name'),
  nginx('nginx-denies-encoded-names', 'version.encoded-name'),
  embedded('keeps-first-of-repeated', 'version.repeated-header'),
  embedded('raises-unknown-version', 'version.unsupported'),

  // Group 2: decisions on headers that nobody verified.
  embedded('translates-older', 'decision.older-version'),
  embedded('translates-undeclared', 'decision.missing-version'),
  embedded('has-no-rules', 'decision.forbidden-tool'),
  nginx('nginx-has-no-tool-rules', 'decision.forbidden-tool'),
  {
    ...embedded('aligns-name-unseen', 'decision.hidden-tool'),
    drags: ['version.name-mismatch'],
    because: 'a hidden tool is a name that the body does not bear',
  },
  {
    ...embedded('translates-hidden', 'decision.hidden-tool-older'),
    drags: ['decision.older-version'],
    because: 'it gets through by translating older versions',
  },
  {
    ...embedded(
      'serves-older-revisions',
      'decision.older-version',
      'decision.missing-version',
      'downgrade.initialize',
    ),
    drags: ['decision.hidden-tool-older', 'downgrade.names-supported'],
    because: 'a server of both eras answers all of them by the old rules',
  },
  embedded('aligns-parameter', 'decision.parameter-mismatch'),
  embedded('fills-parameter', 'decision.parameter-missing'),

  // Group 3: tokens, identities, challenges, logs.
  embedded('runs-as-service-account', 'audience.valid'),
  embedded('accepts-expired', 'audience.expired'),
  embedded('accepts-neighbour-on-calls', 'audience.neighbour'),
  embedded('accepts-downstream', 'audience.downstream'),
  embedded('checks-audience-on-calls-only', 'audience.every-post'),
  embedded('remembers-connection', 'audience.same-connection'),
  embedded('takes-token-from-query', 'audience.query'),
  embedded('trusts-identity-headers', 'audience.made-up-identity'),
  embedded('echoes-token', 'audience.no-token-in-answers'),
  embedded('trims-challenge', 'audience.narrow'),
  {
    ...embedded('accepts-narrow', 'audience.narrow'),
    drags: ['audience.challenge', 'errors.403'],
    because: 'there is no 403 left to look at',
  },
  embedded('rewrites-challenge', 'audience.challenge'),
  embedded('rewrites-metadata', 'audience.metadata'),
  embedded('logs-authorization', 'audience.no-token-in-logs'),
  embedded('turns-log-off', 'audience.no-token-in-logs'),
  nginx('nginx-logs-authorization', 'audience.no-token-in-logs'),
  nginx('nginx-turns-log-off', 'audience.no-token-in-logs'),
  {
    ...embedded('forwards-any-audience', 'audience.neighbour', 'audience.downstream', 'audience.every-post'),
    drags: ['audience.expired', 'audience.narrow', 'audience.challenge', 'errors.403'],
    because: 'every token becomes the valid one',
  },

  // Group 4: streams.
  embedded('buffers', 'stream.progress'),
  {
    ...nginx('nginx-buffers', 'stream.progress'),
    drags: ['stream.idle', 'stream.keep-alive', 'stream.comments-not-data'],
    because: 'a quiet subscription never fills the buffer, so that nothing of it arrives',
  },
  embedded('strips-buffering-hint', 'stream.buffering-hint'),
  nginx('nginx-hides-buffering-hint', 'stream.buffering-hint'),
  { ...embedded('hoards', 'stream.memory'), isolated: true },
  {
    ...embedded('swallows-disconnects', 'stream.cancel', 'stream.cancel-unanswered'),
    because: 'a proxy that forgets the client does so before and after the first event',
  },
  nginx('nginx-swallows-disconnects', 'stream.cancel-unanswered'),
  embedded('books-cancelled-as-success', 'stream.cancel-outcome'),
  embedded('cuts-idle-streams', 'stream.idle'),
  {
    ...nginx('nginx-cuts-idle-streams', 'stream.idle'),
    drags: ['stream.keep-alive'],
    because: 'it cuts before the first comment',
  },
  embedded('strips-comments', 'stream.keep-alive'),
  embedded('turns-comments-into-data', 'stream.comments-not-data'),

  // Group 5: errors.
  embedded('retypes-400', 'errors.400'),
  embedded('brands-401', 'errors.401'),
  embedded('brands-403', 'errors.403'),
  embedded('brands-404', 'errors.404'),
  embedded('brands-405-get', 'errors.405-get'),
  embedded('brands-405-delete', 'errors.405-delete'),
  embedded('brands-405-put', 'errors.405-put'),
  embedded('limits-body', 'errors.413'),
  nginx('nginx-limits-bodies', 'errors.413'),
  embedded('wraps-application-errors', 'errors.application'),
  {
    ...nginx(
      'nginx-intercepts-errors',
      'errors.400',
      'errors.401',
      'errors.403',
      'errors.404',
      'errors.405-get',
      'errors.405-delete',
      'errors.405-put',
      'errors.413',
    ),
    drags: ['audience.narrow', 'audience.challenge'],
    because: 'the page comes without the challenge',
  },

  // Group 6: downgrade.
  embedded('mints-session', 'downgrade.initialize'),
  {
    ...embedded('answers-initialize', 'downgrade.initialize'),
    drags: ['downgrade.names-supported'],
    because: 'there is no refusal that could name anything',
  },
  embedded('hides-supported', 'downgrade.names-supported'),
  embedded('echoes-session', 'downgrade.session-header'),

  // Group 7: the way around.
  embedded('leaves-direct-way-open', 'bypass.direct'),
];

const IN_SESSION = [
  'audience.downstream',
  'audience.expired',
  'audience.narrow',
  'audience.neighbour',
  'audience.same-connection',
  'bypass.direct',
  'errors.400',
  'errors.401',
  'errors.403',
  'errors.404',
  'errors.405-put',
  'errors.413',
  'errors.application',
  'session.bound',
  'session.required',
  'session.terminated',
  'session.version-header',
  'stream.get',
  'stream.resume',
] as const;

/** The same for revision 2025-11-25, where the upstream is this package's own server and cannot be broken. */
export const STATEFUL_FAULT_TABLE: readonly FaultRow[] = [
  {
    ...embedded('strips-session-header', 'session.survives'),
    drags: IN_SESSION,
    because: 'all of them first show that a session works',
  },
  {
    ...nginx('nginx-strips-headers', 'session.survives'),
    drags: [...IN_SESSION, 'audience.challenge', 'audience.metadata'],
    because: 'without Accept this server refuses before it asks for a token',
  },
  embedded('rewrites-version-header', 'session.version-header'),
  embedded('adds-session', 'session.required'),
  embedded('maps-session-to-token', 'session.bound'),
  embedded('answers-delete', 'session.terminated'),
  embedded('vouches-for-expired', 'audience.expired'),
  embedded('vouches-for-neighbour', 'audience.neighbour'),
  embedded('vouches-for-downstream', 'audience.downstream'),
  embedded('remembers-connection', 'audience.same-connection'),
  embedded('trims-challenge', 'audience.narrow'),
  {
    ...embedded('vouches-for-narrow', 'audience.narrow'),
    drags: ['errors.403'],
    because: 'there is no 403 left to look at',
  },
  embedded('rewrites-challenge', 'audience.challenge'),
  embedded('rewrites-metadata', 'audience.metadata'),
  embedded('echoes-token', 'audience.no-token-in-answers'),
  embedded('logs-authorization', 'audience.no-token-in-logs'),
  nginx('nginx-logs-authorization', 'audience.no-token-in-logs'),
  {
    ...embedded('refuses-get', 'stream.get'),
    drags: ['stream.resume'],
    because: 'there is no stream to go on with',
  },
  embedded('strips-last-event-id', 'stream.resume'),
  embedded('retypes-400', 'errors.400'),
  embedded('brands-401', 'errors.401'),
  embedded('brands-403', 'errors.403'),
  embedded('brands-404', 'errors.404'),
  embedded('brands-405-put', 'errors.405-put'),
  embedded('limits-body', 'errors.413'),
  nginx('nginx-limits-bodies', 'errors.413'),
  embedded('wraps-application-errors', 'errors.application'),
  {
    ...nginx(
      'nginx-intercepts-errors',
      'errors.400',
      'errors.401',
      'errors.403',
      'errors.404',
      'errors.405-put',
      'errors.413',
    ),
    drags: ['audience.narrow'],
    because: 'the page of a 403 comes without the challenge',
  },
  embedded('leaves-direct-way-open', 'bypass.direct'),
];

/** Faults that let nothing through: every check that needs a positive twin fails as not testable. */
export const TOTAL_FAULTS = [
  { proxy: 'embedded', fault: 'strips-mirrored-headers' },
  { proxy: 'nginx', fault: 'nginx-strips-headers' },
] as const;
