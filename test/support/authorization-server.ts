/**
 * As much of an authorization server as a client needs to log in on loopback: its metadata (RFC 8414), dynamic
 * registration (RFC 7591), and a token endpoint that takes any code. There is no page to look at: a test sees where
 * the client would send its user, and exchanges the code itself.
 */
import { afterAll } from '@jest/globals';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const opened: AuthorizationServer[] = [];
afterAll(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

export class AuthorizationServer {
  readonly #server: Server;
  /** Scopes asked for by each login, in order. */
  readonly logins: string[][] = [];
  /** Whether any request bore an Authorization header. */
  sawCredentials = false;

  /** @param tokenFor the access token for a set of scopes; what the resource server knows of it is its own business */
  private constructor(
    private readonly tokenFor: (scopes: readonly string[]) => string,
    private readonly options: { readonly registers: boolean },
  ) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(
    tokenFor: (scopes: readonly string[]) => string,
    options: { readonly registers: boolean } = { registers: true },
  ): Promise<AuthorizationServer> {
    const opening = new AuthorizationServer(tokenFor, options);
    opening.#server.listen(0, '127.0.0.1');
    await once(opening.#server, 'listening');
    opened.push(opening);
    return opening;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.sawCredentials ||= request.headers.authorization !== undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const document = this.#documentFor(`${request.method} ${request.url}`, body);
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  }

  #documentFor(what: string, body: string): object | undefined {
    const { issuer } = this;
    if (what === 'GET /.well-known/oauth-authorization-server') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...(this.options.registers && { registration_endpoint: `${issuer}/register` }),
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      };
    }
    if (what === 'POST /register' && this.options.registers) {
      return { ...JSON.parse(body), client_id: 'interop' };
    }
    if (what !== 'POST /token') return undefined;
    // A code says which scopes its login asked for.
    const scopes = (new URLSearchParams(body).get('code') ?? '').split(' ');
    return {
      access_token: this.tokenFor(scopes),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: scopes.join(' '),
    };
  }
}

/** A client's side of the login: keeps what the client library wants kept, and notes where it sends the user. */
export class LoginProvider {
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  /** Where the user was sent last. */
  authorizationUrl: URL | undefined;

  /** @param token borne from the start, as if it was kept from an earlier login */
  constructor(
    private readonly server: AuthorizationServer,
    token?: string,
  ) {
    if (token === undefined) return;
    // v2 asks to be given back which issuer a token is from.
    this.#tokens = { access_token: token, token_type: 'Bearer', issuer: server.issuer };
  }

  readonly redirectUrl = 'http://127.0.0.1/callback';

  get clientMetadata(): OAuthClientMetadata {
    return {
      redirect_uris: [this.redirectUrl],
      client_name: 'interop',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    };
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
    this.server.logins.push((url.searchParams.get('scope') ?? '').split(' '));
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** The code that the user's browser would bring back. */
  get code(): string {
    return this.authorizationUrl?.searchParams.get('scope') ?? '';
  }
}
