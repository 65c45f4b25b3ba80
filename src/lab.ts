/**
 * The real application on any free port with its gates traced: for `experiments` and `explain`, which show what a
 * gate decided and why. Tokens are claims that can be changed while sessions live; a session can be assumed to
 * exist. One request at a time, so that a trace belongs to its request.
 */
import { OfflineTokenPolicy } from './auth/offline-token-policy.js';
import { SHIPPED_SCOPES } from './auth/scope-catalog.js';
import { buildTokenBook, tokenDigest, type TokenBook, type TokenClaims } from './auth/token-book.js';
import { SystemClock } from './config/clock.js';
import type { BoundarySettings, SettingsInput } from './config/settings.js';
import { settingsFrom } from './config/environment.js';
import { startApp } from './create-app.js';
import type { Session } from './exchange/session.js';
import { type GateStep, traceGates } from './gate-trace.js';
import { InMemorySessionStore } from './sessions/in-memory-session-store.js';

/** A token of the lab and what its issuer recorded; what is left out is right. */
export interface LabToken extends Partial<Omit<TokenClaims, 'digest'>> {
  readonly token: string;
  readonly subject: string;
}

export interface LabState {
  readonly tokens: readonly LabToken[];
  readonly revoked?: readonly string[];
  /** Current revision of every subject; left out: the tokens' own. */
  readonly revision?: string;
}

export interface LabOptions extends LabState {
  readonly settings?: SettingsInput;
  /** A ready session with this id is assumed to belong to this subject. */
  readonly assumedSession?: { readonly id: string; readonly subject: string };
}

export interface Lab {
  readonly port: number;
  readonly resource: string;
  /** Puts other claims in place; live sessions stay. */
  change(state: LabState): void;
  /** Runs one exchange and gives the gates that its request reached, in order. */
  traced<T>(exchange: () => Promise<T>): Promise<{ readonly answer: T; readonly steps: readonly GateStep[] }>;
  stop(): Promise<void>;
}

const LIFETIME_MS = 10 * 60 * 1000;
const REVISION = '1';

export async function startLab(options: LabOptions): Promise<Lab> {
  const clock = new SystemClock();
  const settings: BoundarySettings = settingsFrom({ ...options.settings, port: 0 });
  const policy = new OfflineTokenPolicy(bookOf(options, clock.now()), clock);
  const sessionStore = new InMemorySessionStore(clock, settings.maxSessions);
  if (options.assumedSession !== undefined) assume(sessionStore, options.assumedSession, clock.now());
  const running = await startApp({ settings, clock, logger: false, tokenPolicy: policy, sessionStore });

  let steps: GateStep[] = [];
  traceGates(running.app, (step) => steps.push(step));
  return {
    port: running.port,
    resource: running.resource,
    change: (state) => policy.replace(bookOf(state, clock.now())),
    traced: async (exchange) => {
      steps = [];
      return { answer: await exchange(), steps };
    },
    stop: () => running.stop(),
  };
}

function bookOf({ tokens, revoked, revision }: LabState, now: number): TokenBook {
  return buildTokenBook({
    issuer: 'urn:nest-mcp-boundary:lab',
    tokens: tokens.map(({ token, subject, ...claims }) => ({
      tokenId: `token of ${subject} ${tokenDigest(token).slice(0, 8)}`,
      subject,
      tenant: 'lab',
      scopes: SHIPPED_SCOPES,
      authorizationRevision: REVISION,
      expiresAt: now + LIFETIME_MS,
      ...claims,
      digest: tokenDigest(token),
    })),
    revoked,
    revisions:
      revision === undefined
        ? undefined
        : tokens.map(({ subject, tenant = 'lab' }) => ({ subject, tenant, revision })),
  });
}

function assume(
  store: InMemorySessionStore,
  { id, subject }: { id: string; subject: string },
  now: number,
): void {
  const session: Session | undefined = store.create({
    id,
    owner: { subject, tenant: 'lab', authorizationRevision: REVISION },
    expiresAt: now + LIFETIME_MS,
  });
  if (session !== undefined) store.transition(id, 'created', 'ready');
}
