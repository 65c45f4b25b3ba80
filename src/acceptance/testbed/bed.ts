/*
 * The whole bed: upstream, witness and a proxy on loopback, and the accept.yaml that names them. Everything is
 * started here and stopped here; the directory holds secrets and is taken away at the end.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeys } from '../record/keys.js';
import { MODERN_REVISION, type JudgedRevision } from '../revision.js';
import { BedTokens } from './bearer.js';
import { writeBedConfig } from './bed-config.js';
import { BedUnavailable, loadPackage } from './bed-unavailable.js';
import { startDoor } from './door.js';
import { isProxyFault, isUpstreamFault } from './faults.js';
import { startGateway } from './gateway.js';
import { Ledger } from './ledger.js';
import { isNginxFault } from './nginx-faults.js';
import { startOwnServer, type OwnServer } from './own-server.js';
import { METADATA_PATH, startUpstream } from './upstream.js';
import { startWitness } from './witness-server.js';

/** How the bed is set up. Times are short by default: everything is on loopback. */
export interface BedOptions {
  readonly proxy: 'embedded' | 'nginx';
  /** Which upstream: the official SDK for 2026-07-28, this package's own server for 2025-11-25. */
  readonly revision?: JudgedRevision;
  /** Breaks one thing; see faults.ts and nginx-faults.ts. */
  readonly fault?: string | undefined;
  /** The embedded proxy in a process of its own, so that its memory is measured. */
  readonly isolated?: boolean;
  readonly idleMs?: number;
  readonly cancelMs?: number;
  readonly longMegabytes?: number;
  readonly memoryGrowthMegabytes?: number;
  readonly witness?: 'http' | 'tool';
  /** A server of this package that runs already and is left running; without it the stateful bed starts one. */
  readonly server?: OwnServer;
}

/** A running bed. */
export interface Bed {
  readonly configPath: string;
  readonly publicKey: string;
  /** Every secret that the bed made, for tests that search for them. */
  readonly secrets: readonly string[];
  readonly stop: () => Promise<void>;
}

/** What every bed calls itself. */
const RESOURCE = 'https://mcp.bed.example/mcp';
const AUTHORIZATION_SERVER = 'https://login.bed.example';
const KEEP_ALIVE_MS = 400;
export const BED_NAMES = { resource: RESOURCE, authorizationServer: AUTHORIZATION_SERVER } as const;

/** Collects what has to be stopped, in reverse order. */
type Stops = (() => Promise<void>)[];

/** Starts a bed. Throws BedUnavailable, NginxUnavailable or OwnServerUnavailable. */
export async function startBed(options: BedOptions): Promise<Bed> {
  const { fault, proxy, revision = MODERN_REVISION, idleMs = 1200 } = options;
  demandFitting(fault, proxy);
  const directory = mkdtempSync(join(tmpdir(), 'mcp-acceptance-'));
  const stops: Stops = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.toReversed()) await each();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const ledger = new Ledger();
    const gatewayKey = randomBytes(24).toString('base64url');
    const witnessToken = randomBytes(24).toString('base64url');
    const witness = await startWitness(ledger, witnessToken);
    stops.push(witness.stop);
    const start = revision === MODERN_REVISION ? startModern : startStateful;
    const upstream = await start({ directory, ledger, gatewayKey, fault, stops, server: options.server });
    const gateway = await startGateway({
      proxy,
      fault,
      isolated: options.isolated ?? false,
      directory,
      upstreamPort: upstream.port,
      gatewayKey,
      publicHost: new URL(RESOURCE).host,
      tokens: upstream.tokens,
      cutAfterMs: Math.round(idleMs / 2),
      rules: revision === MODERN_REVISION,
    });
    stops.push(gateway.stop);
    const keys = await generateKeys();
    const facts = {
      ...BED_NAMES,
      revision,
      gateway,
      directPort: upstream.port,
      witnessPort: witness.port,
      witnessTool: options.witness === 'tool',
      idleMs,
      cancelMs: options.cancelMs ?? 1500,
      longMegabytes: options.longMegabytes ?? 96,
      memoryGrowthMegabytes: options.memoryGrowthMegabytes ?? 64,
    };
    const others = { witness: witnessToken, signing: JSON.stringify(keys.privateJwk) };
    const configPath = writeBedConfig(directory, facts, upstream.tokens, others);
    const secrets = [...Object.values(upstream.tokens), witnessToken, gatewayKey, String(keys.privateJwk.d)];
    return { configPath, publicKey: JSON.stringify(keys.publicJwk), secrets, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface UpstreamParts {
  readonly directory: string;
  readonly ledger: Ledger;
  readonly gatewayKey: string;
  readonly fault: string | undefined;
  readonly stops: Stops;
  readonly server: OwnServer | undefined;
}

interface StartedUpstream {
  readonly port: number;
  readonly tokens: Readonly<Record<string, string>>;
}

/** The official SDK with its own check of the gateway's key. */
async function startModern({ ledger, gatewayKey, fault, stops }: UpstreamParts): Promise<StartedUpstream> {
  const sdk = await loadPackage(() => import('@modelcontextprotocol/server'), '@modelcontextprotocol/server');
  const upstreamFault = fault !== undefined && isUpstreamFault(fault) ? fault : undefined;
  const tokens = new BedTokens(RESOURCE, `${new URL(RESOURCE).origin}${METADATA_PATH}`, upstreamFault);
  const upstream = await startUpstream({
    ...BED_NAMES,
    sdk,
    tokens,
    ledger,
    gatewayKey,
    keepAliveMs: KEEP_ALIVE_MS,
    fault: upstreamFault,
  });
  stops.push(upstream.stop);
  return { port: upstream.port, tokens: tokens.byRole };
}

/** This package's own server behind a door that checks the gateway's key. */
async function startStateful(parts: UpstreamParts): Promise<StartedUpstream> {
  const { directory, ledger, gatewayKey, fault, stops } = parts;
  const server = parts.server ?? (await startOwnServer({ ...BED_NAMES, directory }));
  if (parts.server === undefined) stops.push(server.stop);
  const open = fault === 'leaves-direct-way-open';
  const door = await startDoor({ serverPort: server.port, gatewayKey, ledger, open });
  stops.push(door.stop);
  return { port: door.port, tokens: server.tokens };
}

function demandFitting(fault: string | undefined, proxy: BedOptions['proxy']): void {
  const fits =
    fault === undefined ||
    isUpstreamFault(fault) ||
    (proxy === 'embedded' ? isProxyFault(fault) : isNginxFault(fault));
  if (!fits) throw new BedUnavailable(`the ${proxy} proxy has no fault ${fault}`);
}
