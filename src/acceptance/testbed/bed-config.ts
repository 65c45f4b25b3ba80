/*
 * The accept.yaml of a bed, with its secrets in files beside it: the pack reads it as it reads anybody's.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { MODERN_REVISION, type JudgedRevision } from '../revision.js';
import { BED_IDENTITY } from './bearer.js';
import type { Gateway } from './gateway.js';
import { BED_TOOL } from './tools.js';

/** What the file is made of. */
export interface BedFacts {
  readonly revision: JudgedRevision;
  readonly resource: string;
  readonly authorizationServer: string;
  readonly gateway: Gateway;
  readonly directPort: number;
  readonly witnessPort: number;
  /** The witness as a tool instead of an endpoint. */
  readonly witnessTool: boolean;
  readonly idleMs: number;
  readonly cancelMs: number;
  readonly longMegabytes: number;
  readonly memoryGrowthMegabytes: number;
}

const PROGRESS = { intervalMs: 100, events: 5 };
const PADDING_BYTES = 65_536;

const file = (name: string): object => ({ file: `secrets/${name}` });

/** Writes the file and the secrets; returns its path. */
export function writeBedConfig(
  directory: string,
  facts: BedFacts,
  tokens: Readonly<Record<string, string>>,
  others: { readonly witness: string; readonly signing: string },
): string {
  mkdirSync(join(directory, 'secrets'), { mode: 0o700 });
  for (const [name, value] of Object.entries({ ...tokens, ...others })) {
    writeFileSync(join(directory, 'secrets', name), value, { mode: 0o600 });
  }
  const path = join(directory, 'accept.yaml');
  writeFileSync(path, stringify(configOf(facts, Object.keys(tokens))), { mode: 0o600 });
  return path;
}

function configOf(facts: BedFacts, roles: readonly string[]): object {
  const { gateway, revision, directPort, witnessPort } = facts;
  const modern = revision === MODERN_REVISION;
  return {
    environment: 'testbed',
    release: 'testbed',
    target: `http://127.0.0.1:${gateway.port}/mcp`,
    resource: facts.resource,
    authorizationServer: facts.authorizationServer,
    directUpstream: `http://127.0.0.1:${directPort}/mcp`,
    revisions: [revision],
    tokens: Object.fromEntries(roles.map((role) => [role, file(role)])),
    ...(modern && { identity: BED_IDENTITY, tools: toolsOf(facts) }),
    witness: facts.witnessTool
      ? { tool: BED_TOOL.witness }
      : { url: `http://127.0.0.1:${witnessPort}/witness`, token: file('witness') },
    logs: [gateway.logPath],
    ...(gateway.configPath !== undefined && { hash: { proxyConfiguration: gateway.configPath } }),
    versions: {
      proxy: gateway.version,
      server: modern ? '@modelcontextprotocol/server 2' : 'nest-mcp-boundary',
    },
    gateway: {
      // nginx refuses some bent headers itself and cannot know the id of the request.
      ...(gateway.configPath !== undefined && { answersItself: true }),
      ...(gateway.pid !== undefined && { pid: gateway.pid }),
    },
    limits: {
      checkSeconds: 20,
      overallSeconds: 120,
      idleMs: facts.idleMs,
      cancelMs: facts.cancelMs,
      oversizeBytes: 131_072,
      memoryGrowthMegabytes: facts.memoryGrowthMegabytes,
    },
    signingKey: file('signing'),
  };
}

function toolsOf({ longMegabytes }: BedFacts): object {
  const events = Math.ceil((longMegabytes * 1_000_000) / PADDING_BYTES) + 1;
  return {
    counting: BED_TOOL.counting,
    forbidden: BED_TOOL.forbidden,
    progress: { name: BED_TOOL.progress, arguments: PROGRESS, ...PROGRESS },
    long: {
      name: BED_TOOL.progress,
      arguments: { intervalMs: 0, events, paddingBytes: PADDING_BYTES },
      megabytes: longMegabytes,
    },
    slow: { name: BED_TOOL.slow, arguments: { durationMs: 3000 } },
    headerParameter: { name: BED_TOOL.region, argument: 'region', header: 'Region' },
    failing: { name: BED_TOOL.failing, code: -32602 },
  };
}
