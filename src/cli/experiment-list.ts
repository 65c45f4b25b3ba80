/**
 * Ten experiments: one good request, and the same request with one thing changed. What must come of each change is
 * part of the experiment, so that a test can tell when the server and the lesson drift apart.
 */
import { BASE_SCOPES } from '../auth/scope-catalog.js';
import type { Lab } from '../lab.js';
import { SPOKEN_REVISION } from '../protocol/revisions.js';
import { draft, type RequestDraft, withHeader } from './request-draft.js';

/** Where an experiment takes place: the lab, two tokens in it, and a ready session for each. */
export interface Scene {
  readonly lab: Pick<Lab, 'change'>;
  readonly token: string;
  readonly session: string;
  readonly neighbourSession: string;
  /** Id of the event that the answer to a `resources/list` on POST bore. */
  readonly postEventId: string;
  /** Id of an event of the neighbour's GET stream. */
  readonly neighbourEventId: string;
  /** Changes what the issuer has recorded about the token. */
  record(changes: RecordChanges): void;
}

export interface RecordChanges {
  readonly authorizationResource?: string;
  readonly tokenResource?: string;
  readonly scopes?: readonly string[];
  readonly revoked?: boolean;
  readonly currentRevision?: string;
}

export interface Change {
  readonly what: string;
  /** The changed request; may change the scene first. */
  readonly request: (scene: Scene) => RequestDraft;
  /** What must come back: status, and the public code of a refusal. */
  readonly expected: readonly [status: number, code?: string];
}

export interface Experiment {
  readonly title: string;
  readonly lesson: string;
  readonly unchanged: (scene: Scene) => RequestDraft;
  readonly changes: readonly Change[];
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
const ELSEWHERE = 'https://elsewhere.example/mcp';
const DRAFT_DATE = '2026-01-01';

const initialize = (protocolVersion: string): object => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'experiments', version: '1' } },
});
const ping = ({ token, session }: Scene): RequestDraft => draft('POST', { token, session, message: PING });
const list = ({ token, session }: Scene): RequestDraft => draft('POST', { token, session, message: LIST });
const stream = ({ token, session }: Scene): RequestDraft => draft('GET', { token, session });

export const EXPERIMENTS: readonly Experiment[] = [
  {
    title: 'Accept only JSON',
    lesson: 'A server may answer a POST with JSON or with a stream, so a client must take both, by name.',
    unchanged: ping,
    changes: [
      {
        what: 'Accept: application/json',
        request: (scene) => withHeader(ping(scene), 'Accept', 'application/json'),
        expected: [406, 'not_acceptable'],
      },
    ],
  },
  {
    title: 'Content-Type text/plain',
    lesson: 'A form or a beacon of a web page can send text/plain without asking; JSON says what it is.',
    unchanged: ping,
    changes: [
      {
        what: 'Content-Type: text/plain',
        request: (scene) => withHeader(ping(scene), 'Content-Type', 'text/plain'),
        expected: [415, 'unsupported_media_type'],
      },
    ],
  },
  {
    title: 'Version or session header missing',
    lesson: 'After initialize every request says which revision it speaks and which session it belongs to.',
    unchanged: ping,
    changes: [
      {
        what: 'without MCP-Protocol-Version',
        request: (scene) => withHeader(ping(scene), 'MCP-Protocol-Version', undefined),
        expected: [400, 'missing_protocol_version'],
      },
      {
        what: 'without MCP-Session-Id',
        request: (scene) => withHeader(ping(scene), 'MCP-Session-Id', undefined),
        expected: [400, 'missing_or_invalid_session'],
      },
    ],
  },
  {
    title: 'initialize with a draft',
    lesson:
      'A proposal in the body is answered with the revision that is spoken here; a header is a claim, not a proposal.',
    unchanged: ({ token }) => draft('POST', { token, message: initialize(SPOKEN_REVISION) }),
    changes: [
      {
        what: `params.protocolVersion: ${DRAFT_DATE}`,
        request: ({ token }) => draft('POST', { token, message: initialize(DRAFT_DATE) }),
        expected: [200],
      },
      {
        what: `MCP-Protocol-Version: ${DRAFT_DATE}`,
        request: ({ token }) =>
          withHeader(
            draft('POST', { token, message: initialize(SPOKEN_REVISION) }),
            'MCP-Protocol-Version',
            DRAFT_DATE,
          ),
        expected: [400, 'unsupported_protocol_version'],
      },
    ],
  },
  {
    title: 'The token in the query',
    lesson: 'A URI ends up in logs, histories and Referer; a token must never travel in one.',
    unchanged: ping,
    changes: [
      {
        what: '/mcp?access_token=… instead of Authorization',
        request: (scene) => ({
          ...withHeader(ping(scene), 'Authorization', undefined),
          target: `/mcp?access_token=${scene.token}`,
        }),
        expected: [400, 'query_not_allowed'],
      },
    ],
  },
  {
    title: 'The right token with the session of another',
    lesson: 'A session id is no credential: for everybody but its owner it does not exist.',
    unchanged: ping,
    changes: [
      {
        what: 'MCP-Session-Id of a neighbour',
        request: (scene) => withHeader(ping(scene), 'MCP-Session-Id', scene.neighbourSession),
        expected: [404, 'session_not_found'],
      },
    ],
  },
  {
    title: 'Without a scope, and with a token that is not good',
    lesson: 'A good token that may not is 403 and says what is needed; a bad token is 401 and says nothing.',
    unchanged: list,
    changes: [
      {
        what: 'the token has no resources:read',
        request: (scene) => {
          scene.record({ scopes: BASE_SCOPES });
          return list(scene);
        },
        expected: [403, 'insufficient_scope'],
      },
      {
        what: 'the token was never issued',
        request: (scene) => withHeader(list(scene), 'Authorization', 'Bearer never-issued'),
        expected: [401, 'invalid_token'],
      },
    ],
  },
  {
    title: 'Issued for another resource',
    lesson:
      'RFC 8707: a token that was asked for, or issued, for a neighbour is no good here, whatever its scopes.',
    unchanged: ping,
    changes: [
      {
        what: 'resource of the authorization request elsewhere',
        request: (scene) => {
          scene.record({ authorizationResource: ELSEWHERE });
          return ping(scene);
        },
        expected: [401, 'invalid_token'],
      },
      {
        what: 'resource of the token request elsewhere',
        request: (scene) => {
          scene.record({ tokenResource: ELSEWHERE });
          return ping(scene);
        },
        expected: [401, 'invalid_token'],
      },
    ],
  },
  {
    title: 'A right that ends while the session lives',
    lesson: 'The token is judged anew on every request, so what was revoked stops at the next one.',
    unchanged: ping,
    changes: [
      {
        what: 'the revision of the subject has changed',
        request: (scene) => {
          scene.record({ currentRevision: '2' });
          return ping(scene);
        },
        expected: [401, 'invalid_token'],
      },
      {
        what: 'the token was revoked',
        request: (scene) => {
          scene.record({ revoked: true });
          return ping(scene);
        },
        expected: [401, 'invalid_token'],
      },
    ],
  },
  {
    title: 'Last-Event-ID of another stream',
    lesson: 'A stream is resumed after its own events only; what another stream delivered is nobody else’s.',
    unchanged: stream,
    changes: [
      {
        what: 'the id of an event on a POST stream',
        request: (scene) => withHeader(stream(scene), 'Last-Event-ID', scene.postEventId),
        expected: [400, 'invalid_last_event_id'],
      },
      {
        what: 'the id of an event of another session',
        request: (scene) => withHeader(stream(scene), 'Last-Event-ID', scene.neighbourEventId),
        expected: [400, 'invalid_last_event_id'],
      },
    ],
  },
];
