/**
 * Every bound of the profile, in one place. None is a limit of MCP: they keep memory and time bounded and make
 * "too much" a finding instead of a crash.
 */

export const LIMITS = {
  /** One JSON text: a fixture, a policy, a transcript line, a message in a HAR file. Bytes of UTF-8. */
  textBytes: 2_000_000,
  nesting: 64,
  /** Per sender. */
  outstanding: 1024,
  /** Separate runs of integer ids, and string ids, that a session remembers as used. */
  idIntervals: 4096,
  idStrings: 65_536,
  idStringCharacters: 4_000_000,
  idLength: 1024,
  methodLength: 256,
  versionLength: 64,
  cursorLength: 1024,
  uriLength: 2048,
  uriTemplateLength: 2048,
  mimeTypeLength: 255,
  nameLength: 1024,
  pageItems: 256,
  icons: 64,
  contentItems: 64,
  contentBytes: 65_536,
  subscriptions: 1024,
  schemaDepth: 16,
  schemaEntries: 256,
  arrayItems: 1024,
  stringCharacters: 100_000,
  samplingMessages: 256,
  /** JSON text of a requested schema that stays in memory while its elicitation is outstanding. */
  requestedSchemaCharacters: 65_536,
  /** Tools whose schemas a session remembers, and the JSON text of all of them. */
  tools: 4096,
  toolCharacters: 16_000_000,
  tasks: 1024,
  elicitations: 1024,
  /** Conversations of one HAR file that are followed at once, and its size in bytes. */
  conversations: 256,
  harBytes: 64_000_000,
} as const;

/** The one protocol revision that is judged. */
export const PROTOCOL_VERSION = '2025-11-25';
