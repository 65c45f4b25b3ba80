/**
 * Where this server is: its path, its canonical resource URI, the Host values and Origins that are its own.
 * Loopback names carry the port, so the whole is known only when the server listens; until then nothing is
 * accepted, since no request can arrive.
 */
import { protectedResourceMetadataPath } from '../protocol/resource-uri.js';
import type { BoundarySettings } from './settings.js';

export const METADATA_ROOT_PATH = '/.well-known/oauth-protected-resource';
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;

export class Endpoint {
  readonly #settings: Pick<BoundarySettings, 'publicUrl' | 'allowedOrigins'>;
  #resource: string | undefined;
  #resourceMetadata: string | undefined;
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();
  #bound: Array<() => void> = [];

  /** @param path of the MCP endpoint, absolute, e.g. `/mcp` */
  constructor(
    settings: Pick<BoundarySettings, 'publicUrl' | 'allowedOrigins'>,
    readonly path: string,
  ) {
    this.#settings = settings;
  }

  /** Path of the metadata document by RFC 9728 section 3.1: the well-known part comes before the path. */
  get metadataPath(): string {
    return protectedResourceMetadataPath(this.path);
  }

  /** Every path of the boundary: the endpoint, then those of its metadata document. */
  get paths(): readonly [endpoint: string, ...metadata: string[]] {
    return [this.path, METADATA_ROOT_PATH, this.metadataPath];
  }

  /** Called when the server listens and its port is known; again when it listens anew. */
  bind(port: number): void {
    const { publicUrl, allowedOrigins } = this.#settings;
    const authorities = LOOPBACK_HOSTS.flatMap((host) =>
      port === 80 ? [host, `${host}:${port}`] : [`${host}:${port}`],
    );
    this.#resource = publicUrl ?? `http://127.0.0.1:${port}${this.path}`;
    const resource = new URL(this.#resource);
    this.#resourceMetadata = `${resource.origin}${protectedResourceMetadataPath(resource.pathname)}`;
    const defaultPort = resource.protocol === 'https:' ? 443 : 80;
    this.#hosts = new Set(
      publicUrl === undefined
        ? authorities
        : [...authorities, resource.host, `${resource.hostname}:${resource.port || defaultPort}`],
    );
    this.#origins = new Set([
      ...LOOPBACK_HOSTS.map((host) => new URL(`http://${host}:${port}`).origin),
      ...allowedOrigins,
    ]);
    for (const listener of this.#bound.splice(0)) listener();
  }

  /** Runs once the resource URI is known: now, or when the server listens. */
  whenBound(listener: () => void): void {
    if (this.#resource === undefined) this.#bound.push(listener);
    else listener();
  }

  /** The canonical resource URI (RFC 8707): what the audience of a token must equal. */
  get resource(): string {
    return known(this.#resource);
  }

  /** URL of the metadata document, for `resource_metadata` in challenges (RFC 9728 section 5.1). */
  get resourceMetadata(): string {
    return known(this.#resourceMetadata);
  }

  isOwnHost(host: string): boolean {
    return this.#hosts.has(host) || this.#hosts.has(host.toLowerCase());
  }

  isAllowedOrigin(origin: string): boolean {
    return this.#origins.has(origin);
  }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the endpoint is asked for its address before the server listens');
  return value;
}
