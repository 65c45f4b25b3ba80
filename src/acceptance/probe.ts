/*
 * What a check works with: builds requests with fresh ids and nonces, sends them, asks the witness, and keeps
 * evidence without ids, nonces and tokens. It knows no rule of the specification.
 */
import { randomBytes } from 'node:crypto';
import {
  HostNotNamed,
  type Client,
  headerOf,
  type Answer,
  type Outgoing,
  ExchangeFailed,
} from './client/exchange.js';
import {
  isRecord,
  parseMessage,
  responseOf,
  write,
  type ModernRequest,
  type RpcMessage,
} from './client/json-rpc.js';
import type { AcceptConfig, TokenRole } from './config/load-config.js';
import type { Evidence } from './finding.js';
import { NotTestable, type Report } from './report.js';
import type { LogWatch } from './logs.js';
import { META } from './revision.js';
import type { Secrets } from './secrets.js';
import { askWitness, WitnessSilent, type Testimony } from './witness.js';

/** What came back for one request. Exactly one of `answer` and `failure` is set. */
export interface Observation {
  readonly what: string;
  readonly sent: Outgoing;
  readonly id: string;
  readonly nonce: string;
  readonly answer: Answer | undefined;
  readonly failure: string | undefined;
  readonly message: RpcMessage | undefined;
}

/** A nonce for which nothing may ever run, and the check that said so. */
export interface QuietNonce {
  readonly checkId: string;
  readonly nonce: string;
}

/** Things that outlive one check. */
export interface RunState {
  readonly secrets: Secrets;
  readonly logs: LogWatch;
  counter: number;
  readonly quiet: QuietNonce[];
  readonly shared: Map<string, Promise<unknown>>;
}

const EXCERPT = 400;

/** One per check; the run state is common to all. */
export class Probe {
  constructor(
    readonly config: AcceptConfig,
    readonly client: Client,
    readonly signal: AbortSignal,
    private readonly checkId: string,
    private readonly state: RunState,
  ) {}

  get secrets(): Secrets {
    return this.state.secrets;
  }

  get logs(): LogWatch {
    return this.state.logs;
  }

  /** A fresh request id, unique within the run. */
  nextId(): string {
    this.state.counter += 1;
    return `accept-${this.state.counter}`;
  }

  /** A fresh nonce, unguessable, so that no earlier run can have left traces of it. */
  nextNonce(): string {
    return randomBytes(12).toString('hex');
  }

  /** A token by role; a role that the configuration leaves out makes the check not testable. */
  token(role: TokenRole): string {
    const token = this.config.tokens[role];
    if (token === undefined) throw new NotTestable('not-configured', `tokens.${role} is not configured`);
    return token;
  }

  /** A tool role; missing makes the check not testable. */
  tool<Role extends keyof NonNullable<AcceptConfig['tools']>>(
    role: Role,
  ): NonNullable<NonNullable<AcceptConfig['tools']>[Role]> {
    const tool = this.config.tools?.[role];
    if (tool === undefined) throw new NotTestable('not-configured', `tools.${role} is not configured`);
    return tool;
  }

  /** A right `tools/call` with the valid token; spread it and bend a part. */
  call(name: string, args: Readonly<Record<string, unknown>> = {}): ModernRequest {
    const nonce = this.nextNonce();
    const params = { name, arguments: { ...args, [this.config.nonceArgument]: nonce } };
    return {
      url: this.config.target,
      id: this.nextId(),
      nonce,
      method: 'tools/call',
      params,
      token: this.token('valid'),
    };
  }

  /** Any other right request with the valid token. */
  request(method: string, params: Readonly<Record<string, unknown>> = {}): ModernRequest {
    const token = this.token('valid');
    return { url: this.config.target, id: this.nextId(), nonce: this.nextNonce(), method, params, token };
  }

  /** Sends a described request. */
  async send(what: string, request: ModernRequest, more: Partial<Outgoing> = {}): Promise<Observation> {
    return this.sendRaw(what, { ...write(request), ...more }, request.id, request.nonce);
  }

  /** Sends bytes as they are. A refused connection is an observation, not an error. */
  async sendRaw(what: string, sent: Outgoing, id: string, nonce: string): Promise<Observation> {
    const common = { what, sent, id, nonce };
    try {
      const answer = await this.client.send(sent, this.signal);
      return { ...common, answer, failure: undefined, message: responseOf(answer) };
    } catch (error) {
      if (error instanceof HostNotNamed || this.signal.aborted || !(error instanceof ExchangeFailed))
        throw error;
      return { ...common, answer: undefined, failure: error.code, message: undefined };
    }
  }

  /** Asks the witness; silence makes the check not testable. */
  async witness(nonce: string): Promise<Testimony> {
    try {
      return await askWitness(this.config, this.client, nonce, this.signal);
    } catch (error) {
      if (error instanceof WitnessSilent)
        throw new NotTestable(error.reason, 'the witness could not be asked');
      throw error;
    }
  }

  /** Nothing may run for this nonce, now or later: asked again at the end of the whole run. */
  mustStayQuiet(nonce: string): void {
    this.state.quiet.push({ checkId: this.checkId, nonce });
  }

  /** A measurement that several checks judge; taken once per run. */
  shared<T>(name: string, take: () => Promise<T>): Promise<T> {
    const known = this.state.shared.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const taken = take();
    this.state.shared.set(name, taken);
    return taken;
  }

  /** Waits, unless the check is out of time. */
  async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      const stop = (): void => {
        clearTimeout(timer);
        reject(new ExchangeFailed('ABORTED'));
      };
      this.signal.addEventListener('abort', stop, { once: true });
    });
  }
}

/** Adds an observation to a report, with ids and nonces replaced so that two runs read the same. */
export function keep(report: Report, seen: Observation, runs: number | null = null): void {
  const clean = (text: string): string => text.replaceAll(seen.nonce, '<nonce>').replaceAll(seen.id, '<id>');
  const evidence: Evidence = {
    what: seen.what,
    declared: {
      header: seen.sent.headers.find(([name]) => name.toLowerCase() === 'mcp-protocol-version')?.[1] ?? null,
      body: declaredInBody(seen.sent.body),
    },
    status: seen.answer?.status ?? null,
    code: seen.message?.error?.code ?? null,
    contentType: seen.answer === undefined ? null : (headerOf(seen.answer.headers, 'content-type') ?? null),
    body: clean(seen.answer?.body ?? '').slice(0, EXCERPT),
    failure: seen.failure ?? null,
    runs,
  };
  report.evidence.push(evidence);
}

function declaredInBody(body: string | Buffer | undefined): string | null {
  const params = typeof body === 'string' && body.length < 65_536 ? parseMessage(body)?.params : undefined;
  const meta = params?.['_meta'];
  const version = isRecord(meta) ? meta[META.protocolVersion] : undefined;
  return typeof version === 'string' ? version : null;
}
