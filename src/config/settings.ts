/**
 * Every setting of the boundary with its default: the value of the property for the `loopback` profile, whose
 * numbers are the contract's, and `service` in the declaration where the `service` profile has another one. A
 * profile is a set of defaults and nothing else: a setting that is given wins. What they mean is decided by the
 * gates that read them; how they are read from the environment is in environment.ts.
 */
import { ChoiceSetting, FlagSetting, IntegerSetting, ListSetting, TextSetting } from './setting.js';
import { isAuthorizationServer, isOrigin, isPublicUrl } from './web-addresses.js';

const MIB = 1024 * 1024;

export type ChallengeScope = 'needed' | 'granted-and-needed';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Profile = 'loopback' | 'service';
export type SessionExpiry = 'fixed' | 'idle';

export class BoundarySettings {
  @ChoiceSetting(
    'MCP_PROFILE',
    ['loopback', 'service'],
    'Which defaults hold where a setting is left out: loopback (the numbers of the contract, for one machine) or service (for many clients behind a proxy).',
  )
  readonly profile: Profile = 'loopback';

  @IntegerSetting('MCP_PORT', 0, 65_535, 'Port on 127.0.0.1; 0 takes any free one.')
  readonly port: number = 3000;

  @TextSetting(
    'MCP_PUBLIC_URL',
    'an absolute http or https URI with a path and without userinfo, query or fragment',
    isPublicUrl,
    'The canonical resource URI, as clients see it through a proxy; its host is accepted in Host. Default: http://127.0.0.1:<port>/mcp.',
  )
  readonly publicUrl: string | undefined = undefined;

  @ListSetting(
    'MCP_ALLOWED_ORIGINS',
    'a list of origins (scheme://host[:port], nothing after it)',
    (items) => items.every(isOrigin),
    'Origins accepted beside the own loopback ones. This is no CORS: it opens no browser.',
  )
  readonly allowedOrigins: readonly string[] = [];

  @ListSetting(
    'MCP_AUTHORIZATION_SERVERS',
    'a list of at least one absolute https URI (http for loopback hosts only)',
    (items) => items.length > 0 && items.every(isAuthorizationServer),
    'Issuers named in the metadata document. The default names nobody real: replace it.',
  )
  readonly authorizationServers: readonly string[] = ['https://authorization-server.invalid'];

  @TextSetting(
    'MCP_RESOURCE_NAME',
    '1 to 128 characters without control characters',
    (value) => value.length > 0 && value.length <= 128 && !/\p{Cc}/u.test(value),
    'Human-readable name of this resource in the metadata document.',
  )
  readonly resourceName: string = 'nest-mcp-boundary';

  @TextSetting(
    'MCP_TOKENS_FILE',
    'the path of a file',
    (value) => value.length > 0,
    'Records of the offline token policy (strict JSON), watched for edits.',
  )
  readonly tokensFile: string | undefined = undefined;

  @ChoiceSetting(
    'MCP_CHALLENGE_SCOPE',
    ['needed', 'granted-and-needed'],
    'Scopes named in a 403 challenge. Default: needed with the offline policy, granted-and-needed with any other.',
  )
  readonly challengeScope: ChallengeScope | undefined = undefined;

  @IntegerSetting('MCP_MAX_CONCURRENT_REQUESTS', 1, 100_000, 'Requests being processed at once.', {
    service: 512,
  })
  readonly maxConcurrentRequests: number = 64;

  @IntegerSetting('MCP_MAX_PENDING_BODIES', 1, 100_000, 'Requests whose body is still arriving at once.', {
    service: 2048,
  })
  readonly maxPendingBodies: number = 256;

  @IntegerSetting('MCP_MAX_CONNECTIONS', 1, 100_000, 'Open connections at once.', { service: 10_000 })
  readonly maxConnections: number = 1024;

  @IntegerSetting('MCP_MAX_PATH_BYTES', 64, 65_536, 'Bytes in the request target.')
  readonly maxPathBytes: number = 2048;

  @IntegerSetting('MCP_MAX_HEADER_FIELDS', 8, 1000, 'Header fields in a request.', { service: 64 })
  readonly maxHeaderFields: number = 32;

  @IntegerSetting('MCP_MAX_HEADER_VALUE_BYTES', 256, 65_536, 'Bytes in one header value.', { service: 8192 })
  readonly maxHeaderValueBytes: number = 2048;

  @IntegerSetting(
    'MCP_MAX_HEADERS_BYTES',
    1024,
    262_144,
    'Bytes in all header fields (name + value + 4 each).',
    { service: 32 * 1024 },
  )
  readonly maxHeadersBytes: number = 12 * 1024;

  @IntegerSetting('MCP_MAX_BODY_BYTES', 64, 16 * MIB, 'Bytes in a request body.', { service: MIB })
  readonly maxBodyBytes: number = 16 * 1024;

  @IntegerSetting('MCP_MAX_JSON_DEPTH', 4, 512, 'Nesting of arrays and objects in a request body.')
  readonly maxJsonDepth: number = 64;

  @IntegerSetting('MCP_MAX_RESPONSE_BYTES', 1024, 64 * MIB, 'Bytes in one JSON-RPC answer.', {
    service: 4 * MIB,
  })
  readonly maxResponseBytes: number = 64 * 1024;

  @IntegerSetting('MCP_HEAD_TIMEOUT_MS', 100, 600_000, 'Milliseconds until the head must be complete.')
  readonly headTimeoutMs: number = 5000;

  @IntegerSetting('MCP_BODY_TIMEOUT_MS', 100, 600_000, 'Milliseconds until the body must be complete.', {
    service: 10_000,
  })
  readonly bodyTimeoutMs: number = 2000;

  @IntegerSetting(
    'MCP_WRITE_TIMEOUT_MS',
    100,
    600_000,
    'Milliseconds that a client may leave its answer unread.',
    { service: 30_000 },
  )
  readonly writeTimeoutMs: number = 5000;

  @IntegerSetting(
    'MCP_KEEP_ALIVE_TIMEOUT_MS',
    100,
    600_000,
    'Milliseconds an idle connection is kept open.',
    { service: 65_000 },
  )
  readonly keepAliveTimeoutMs: number = 5000;

  @IntegerSetting(
    'MCP_MAX_DISCARD_BYTES',
    0,
    16 * MIB,
    'Bytes of a refused body that are read and thrown away.',
  )
  readonly maxDiscardBytes: number = MIB;

  @IntegerSetting('MCP_DISCARD_TIMEOUT_MS', 0, 60_000, 'Milliseconds for that.')
  readonly discardTimeoutMs: number = 1000;

  @IntegerSetting('MCP_RETRY_AFTER_SECONDS', 1, 3600, 'Seconds named in Retry-After of a 503.')
  readonly retryAfterSeconds: number = 1;

  @IntegerSetting('MCP_MAX_SESSIONS', 1, 1_000_000, 'Live sessions at once; none is evicted for a new one.', {
    service: 10_000,
  })
  readonly maxSessions: number = 8;

  @IntegerSetting('MCP_SESSION_TTL_SECONDS', 1, 604_800, 'Seconds a session lives, see MCP_SESSION_EXPIRY.', {
    service: 1800,
  })
  readonly sessionTtlSeconds: number = 60;

  @IntegerSetting(
    'MCP_MAX_SESSIONS_PER_SUBJECT',
    1,
    1_000_000,
    'Live sessions of one subject, so that one client that never sends DELETE does not lock all others out; never more than MCP_MAX_SESSIONS in all.',
    { service: 32 },
  )
  readonly maxSessionsPerSubject: number = 1_000_000;

  @ChoiceSetting(
    'MCP_SESSION_EXPIRY',
    ['fixed', 'idle'],
    'What the seconds of a session are counted from: its creation (fixed), or the end of its last request, and never while one runs (idle).',
    { service: 'idle' },
  )
  readonly sessionExpiry: SessionExpiry = 'fixed';

  @IntegerSetting('MCP_MAX_EVENTS_PER_SESSION', 1, 10_000, 'Events kept for the GET stream of one session.', {
    service: 256,
  })
  readonly maxEventsPerSession: number = 16;

  @IntegerSetting('MCP_STREAM_RETRY_MS', 0, 3_600_000, 'Milliseconds named in retry on the GET stream.')
  readonly streamRetryMs: number = 15_000;

  @FlagSetting(
    'MCP_ACCEPT_MISSING_PROTOCOL_VERSION',
    'Takes a request without MCP-Protocol-Version as speaking the version that its session negotiated.',
  )
  readonly acceptMissingProtocolVersion: boolean = false;

  @FlagSetting(
    'MCP_ACCEPT_OTHER_PROTOCOL_VERSION',
    'Takes an earlier published version in MCP-Protocol-Version, after initialize, for the negotiated one.',
  )
  readonly acceptOtherProtocolVersion: boolean = false;

  @FlagSetting(
    'MCP_ACCEPT_METADATA_CREDENTIALS',
    'Answers a request for the metadata document that bears Authorization; the credentials are not looked at.',
  )
  readonly acceptMetadataCredentials: boolean = false;

  @IntegerSetting(
    'MCP_SHUTDOWN_TIMEOUT_MS',
    0,
    600_000,
    'Milliseconds that running requests get at a stop.',
    { service: 25_000 },
  )
  readonly shutdownTimeoutMs: number = 5000;

  @ChoiceSetting(
    'MCP_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'Least level that is logged; request lines are info.',
  )
  readonly logLevel: LogLevel = 'info';
}

/** Settings that a caller may give; what is left out has its default. */
export type SettingsInput = Partial<BoundarySettings>;
