/*
 * The shape of accept.yaml, as class-validator classes. Rules that need more than one value, and reading the
 * secrets, are in load-config.ts.
 */
import { Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MODERN_REVISION, STATEFUL_REVISION } from '../revision.js';

const HTTP_URL = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };

/** A secret: exactly one of the three ways to give it. */
export class SecretSource {
  /** The secret itself; fine for a bed, unwise in a repository. */
  @IsOptional() @IsString() @IsNotEmpty() literal?: string;
  /** Name of an environment variable. */
  @IsOptional() @IsString() @IsNotEmpty() env?: string;
  /** Path of a file that holds nothing else; relative to the configuration file. */
  @IsOptional() @IsString() @IsNotEmpty() file?: string;
}

/** The tokens by role. Each role left out makes its checks fail as not testable. */
export class TokenSources {
  @ValidateNested() @Type(() => SecretSource) @IsObject() valid!: SecretSource;
  @IsOptional() @ValidateNested() @Type(() => SecretSource) expired?: SecretSource;
  @IsOptional() @ValidateNested() @Type(() => SecretSource) neighbour?: SecretSource;
  @IsOptional() @ValidateNested() @Type(() => SecretSource) downstream?: SecretSource;
  @IsOptional() @ValidateNested() @Type(() => SecretSource) narrow?: SecretSource;
  /** A second valid identity; only the 2025-11-25 checks use it. */
  @IsOptional() @ValidateNested() @Type(() => SecretSource) other?: SecretSource;
}

/** A tool that reports progress at a known interval. */
export class ProgressTool {
  @IsString() @IsNotEmpty() name!: string;
  @IsOptional() @IsObject() arguments?: Record<string, unknown>;
  @IsInt() @Min(10) @Max(60_000) intervalMs!: number;
  @IsInt() @Min(3) @Max(1000) events!: number;
}

/** A tool whose answer is long, for the memory check. */
export class LongTool {
  @IsString() @IsNotEmpty() name!: string;
  @IsOptional() @IsObject() arguments?: Record<string, unknown>;
  @IsInt() @Min(1) megabytes!: number;
}

/** A tool that runs for a while and stops when it is cancelled. */
export class SlowTool {
  @IsString() @IsNotEmpty() name!: string;
  @IsOptional() @IsObject() arguments?: Record<string, unknown>;
}

/** A tool with a parameter that `x-mcp-header` mirrors. */
export class HeaderTool {
  @IsString() @IsNotEmpty() name!: string;
  @IsString() @IsNotEmpty() argument!: string;
  @Matches(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/) header!: string;
}

/** A tool call that the server answers with a JSON-RPC error on HTTP 200. */
export class FailingTool {
  @IsString() @IsNotEmpty() name!: string;
  @IsInt() code!: number;
}

/** Tool names by role. */
export class ToolRoles {
  @IsString() @IsNotEmpty() counting!: string;
  @IsOptional() @IsString() @IsNotEmpty() forbidden?: string;
  @IsOptional() @ValidateNested() @Type(() => ProgressTool) progress?: ProgressTool;
  @IsOptional() @ValidateNested() @Type(() => LongTool) long?: LongTool;
  @IsOptional() @ValidateNested() @Type(() => SlowTool) slow?: SlowTool;
  @IsOptional() @ValidateNested() @Type(() => HeaderTool) headerParameter?: HeaderTool;
  @IsOptional() @ValidateNested() @Type(() => FailingTool) failing?: FailingTool;
  /** Name of the argument that carries the nonce, in every tool above. */
  @IsOptional() @IsString() @IsNotEmpty() nonceArgument?: string;
}

/** How execution is observed from outside the response: an HTTP endpoint or a tool. */
export class WitnessSource {
  @IsOptional() @IsUrl(HTTP_URL) url?: string;
  @IsOptional() @IsString() @IsNotEmpty() tool?: string;
  /** Bearer for the endpoint; the tool is called with the valid token. */
  @IsOptional() @ValidateNested() @Type(() => SecretSource) token?: SecretSource;
}

/** Versions to write into the record. */
export class Versions {
  @IsOptional() @IsString() client?: string;
  @IsOptional() @IsString() server?: string;
  @IsOptional() @IsString() proxy?: string;
}

/** Facts about the gateway that a black box cannot see. */
export class GatewayFacts {
  /**
   * It refuses bent headers itself. The specification lets an intermediary answer without a JSON-RPC error, and
   * it cannot know the request id, so that both are then accepted from it.
   */
  @IsOptional() @IsBoolean() answersItself?: boolean;
  /** Process whose memory is watched, children included; Linux only. */
  @IsOptional() @IsInt() @Min(1) pid?: number;
}

/** Bounds of a run. */
export class Limits {
  @IsOptional() @IsInt() @Min(1) @Max(3600) checkSeconds?: number;
  @IsOptional() @IsInt() @Min(1) @Max(36_000) overallSeconds?: number;
  /** How long a quiet subscription has to stay open. */
  @IsOptional() @IsInt() @Min(100) @Max(3_600_000) idleMs?: number;
  /** Within which a closed connection has to reach the tool. */
  @IsOptional() @IsInt() @Min(100) @Max(600_000) cancelMs?: number;
  /** Size of a body that the server refuses with 413. */
  @IsOptional() @IsInt() @Min(1024) @Max(268_435_456) oversizeBytes?: number;
  @IsOptional() @IsInt() @Min(1) @Max(4096) memoryGrowthMegabytes?: number;
}

/** A known failure that somebody answers for until a day. */
export class KnownException {
  @IsString() @IsNotEmpty() check!: string;
  @IsString() @IsNotEmpty() owner!: string;
  @IsString() @IsNotEmpty() reason!: string;
  /** The last day it holds, as YYYY-MM-DD (UTC). */
  @IsISO8601({ strict: true }) @Matches(/^\d{4}-\d{2}-\d{2}$/) expires!: string;
}

/** The whole file. */
export class AcceptFile {
  @IsString() @IsNotEmpty() environment!: string;
  @IsString() @IsNotEmpty() release!: string;
  @IsUrl(HTTP_URL) target!: string;
  @IsUrl(HTTP_URL) resource!: string;
  @IsUrl(HTTP_URL) authorizationServer!: string;
  @IsOptional() @IsUrl(HTTP_URL) directUpstream?: string;
  @IsArray()
  @ArrayNotEmpty()
  @IsIn([MODERN_REVISION, STATEFUL_REVISION], { each: true })
  revisions!: string[];
  /** The identity that the witness reports for the valid token. */
  @IsOptional() @IsString() @IsNotEmpty() identity?: string;
  @ValidateNested() @Type(() => TokenSources) @IsObject() tokens!: TokenSources;
  @IsOptional() @ValidateNested() @Type(() => ToolRoles) tools?: ToolRoles;
  @IsOptional() @ValidateNested() @Type(() => WitnessSource) witness?: WitnessSource;
  @IsOptional() @IsArray() @IsString({ each: true }) logs?: string[];
  /** Files to hash into the record, by a name of yours. */
  @IsOptional() @IsObject() hash?: Record<string, string>;
  @IsOptional() @ValidateNested() @Type(() => Versions) versions?: Versions;
  @IsOptional() @ValidateNested() @Type(() => GatewayFacts) gateway?: GatewayFacts;
  @IsOptional() @ValidateNested() @Type(() => Limits) limits?: Limits;
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => KnownException)
  exceptions?: KnownException[];
  /** The private key (JWK, Ed25519) that signs the record. */
  @ValidateNested() @Type(() => SecretSource) @IsObject() signingKey!: SecretSource;
  /** PEM file of an own certificate authority. */
  @IsOptional() @IsString() @IsNotEmpty() caFile?: string;
}
