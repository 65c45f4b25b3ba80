/*
 * The JSON schema (2020-12) of a record file, as data; `accept schema` prints it. Every member says what it holds;
 * nothing else is allowed, so that a reader knows that there is nothing else.
 */
import { PROBLEM_TEXT, GROUND_TEXT } from '../texts.js';
import { RECORD_FORMAT } from './record.js';

const string = (description: string): object => ({ type: 'string', description });
const nullable = (type: string, description: string): object => ({ type: [type, 'null'], description });
const list = (items: object, description: string): object => ({ type: 'array', items, description });
const object = (
  properties: Record<string, object>,
  description: string,
  optional: readonly string[] = [],
): object => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const texts = (description: string): object => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

const EVIDENCE = object(
  {
    what: string('What was sent, in words.'),
    declared: object(
      {
        header: nullable('string', 'MCP-Protocol-Version as sent.'),
        body: nullable('string', 'Protocol version in params._meta as sent.'),
      },
      'The revision that the request declared, side by side with the answer below.',
    ),
    status: nullable('integer', 'HTTP status of the answer.'),
    code: nullable('integer', 'JSON-RPC error code of the answer.'),
    contentType: nullable('string', 'Content type of the answer.'),
    body: string(
      'The first 400 characters of the body, without ids, nonces and secrets; a summary of a stream.',
    ),
    failure: nullable('string', 'Why there was no answer, in the word of the system.'),
    runs: nullable('integer', 'How often the tool ran for this exchange, as the witness says.'),
  },
  'One exchange.',
);

const EXPECTED = object(
  {
    status: list({ type: 'integer' }, 'HTTP statuses, any of them.'),
    code: list(
      { type: 'integer' },
      'JSON-RPC error codes, any of them; the id has to be the same as of the request.',
    ),
    runs: { type: 'integer', description: 'How often the tool has to run.' },
    more: list({ type: 'string' }, 'What else has to hold, in words.'),
  },
  'What the check wanted to see.',
  ['status', 'code', 'runs', 'more'],
);

const MEASURED = object(
  {
    durationMs: { type: 'number', description: 'How long the check took.' },
    arrivals: list(
      object(
        {
          atMs: {
            type: 'number',
            description: 'Milliseconds after the request was sent, by a monotonic clock.',
          },
          kind: { enum: ['progress', 'result', 'comment', 'notification'] },
        },
        'One event or comment of a stream.',
      ),
      'Arrivals of a stream, in order.',
    ),
    values: {
      type: 'object',
      additionalProperties: { type: 'number' },
      description: 'Other measurements by name.',
    },
  },
  'Numbers that differ from run to run.',
  ['durationMs', 'arrivals', 'values'],
);

const CHECK = object(
  {
    id: string('Stable id of the check.'),
    group: {
      enum: ['version', 'decision', 'audience', 'stream', 'errors', 'downgrade', 'bypass', 'session'],
    },
    level: { enum: ['MUST', 'SHOULD'] },
    section: string('Page and anchor of the specification, or an RFC.'),
    title: string('What has to hold.'),
    meaning: string('What it means if it does not.'),
    status: {
      enum: ['pass', 'fail', 'not-testable', 'not-run'],
      description: 'not-testable counts as failed.',
    },
    problems: list({ enum: Object.keys(PROBLEM_TEXT) }, 'Why it did not pass.'),
    expected: EXPECTED,
    evidence: list(EVIDENCE, 'What was exchanged.'),
    notes: list({ type: 'string' }, 'Remarks.'),
    measured: MEASURED,
  },
  'One check.',
);

const VERDICT = object(
  {
    name: { enum: ['PASS', 'PASS_WITH_EXCEPTIONS', 'BLOCK'] },
    grounds: list(
      object(
        {
          ground: { enum: Object.keys(GROUND_TEXT) },
          check: string('Id of the check; empty for the whole run.'),
        },
        'One ground.',
      ),
      'Why it blocks; empty otherwise.',
    ),
    exceptions: list(
      object(
        {
          check: string('Id of the check.'),
          owner: string('Who answers for it.'),
          reason: string('Why.'),
          expires: string('Last day, YYYY-MM-DD in UTC.'),
          state: { enum: ['used', 'expired', 'stale', 'refused', 'unjudged'] },
        },
        'One known exception and how it fared.',
      ),
      'The exceptions of the configuration.',
    ),
  },
  'The sum of the run.',
);

const RECORD = object(
  {
    format: { const: RECORD_FORMAT },
    environment: string('Name of the environment.'),
    release: string('Name of the release.'),
    revision: string('The revision that was judged.'),
    acceptedRevisions: list({ type: 'string' }, 'Revisions that the configuration accepts.'),
    target: string('Where the requests went: origin and path.'),
    resource: string('Canonical resource URI.'),
    authorizationServer: string('Issuer that the metadata has to name.'),
    versions: texts('Versions of client, server and proxy, as configured.'),
    hashes: texts('SHA-256, hex, of the files that the configuration names.'),
    verdict: VERDICT,
    complete: { type: 'boolean', description: 'Whether every check was run.' },
    checks: list(CHECK, 'All checks in the order they ran.'),
    run: object(
      {
        id: string('Random id of the run.'),
        startedAt: string('ISO 8601, UTC.'),
        finishedAt: string('ISO 8601, UTC.'),
      },
      'Which run this was.',
    ),
  },
  'What is signed: the canonical JSON (RFC 8785) of this object is the payload of the JWS.',
);

/** Schema of a record file. */
export const RECORD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Acceptance record',
  ...object(
    {
      record: RECORD,
      jws: {
        oneOf: [
          { type: 'null' },
          object(
            {
              protected: string(
                'Protected header, base64url: alg EdDSA, kid the RFC 7638 thumbprint of the key.',
              ),
              signature: string('Ed25519 signature, base64url.'),
            },
            'Flattened JWS (RFC 7515) without its payload, which is the record.',
          ),
        ],
        description: 'The signature; null if the run was incomplete.',
      },
    },
    'A record and its signature. The file is the canonical JSON of this object and a line feed.',
  ),
};
