/** What the harness needs of the product, from src/ or from dist/. */
export interface Product {
  readonly [name: string]: unknown;
}

export interface TokenRecordDocument {
  token?: string;
  token_sha256?: string;
  token_id: string;
  subject: string;
  tenant: string;
  scopes: string[];
  authorization_revision: string;
  expires_at?: string;
  expires_in?: number;
  active?: boolean;
  issuer?: string;
  audience?: string;
  resource?: string;
  authorization_resource?: string;
  token_resource?: string;
}

/** The document of MCP_TOKENS_FILE. */
export interface TokensDocument {
  issuer: string;
  tokens: TokenRecordDocument[];
  revisions?: Array<{ subject: string; tenant: string; revision: string }>;
  allowed_tenants?: Record<string, string[]>;
  revoked?: string[];
}

export interface HarnessOptions {
  /** `MCP_…` settings; the port is any free one. */
  readonly env?: Record<string, string>;
  /** Records of the token policy; left out only when `env` names a tokens file. */
  readonly tokens?: TokensDocument;
  readonly tenantsWithoutData?: readonly string[];
}

export interface HarnessCommands {
  advance(milliseconds: number): void;
  /** From now on time passes by `advance` only. */
  freeze(): void;
  setTokens(document: TokensDocument): void;
  markStale(): void;
  notify(sessionId: string, method: string, params?: object): Promise<string>;
  release(): number;
  held(): number;
  aborted(): number;
  logs(): string;
  heap(): number;
  stop(): Promise<void>;
}

export interface Harness {
  readonly address: { readonly port: number; readonly origin: string; readonly resource: string };
  readonly commands: HarnessCommands;
}

export function openHarness(product: Product, options: HarnessOptions): Promise<Harness>;
