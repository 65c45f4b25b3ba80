/**
 * Keeps the offline policy as new as MCP_TOKENS_FILE, without a restart: a good edit is swapped in whole, a
 * broken one (a vanished file too) leaves the last good book in place and the policy marked stale.
 *
 * It polls the file's stat instead of using fs.watch, whose events are bound to an inode: a file replaced by
 * rename, or one reached through a directory symlink that is swapped (Kubernetes), goes unnoticed there.
 */
import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Clock } from '../config/clock.js';
import { OfflineTokenPolicy } from './offline-token-policy.js';
import type { TokensFileProblem } from './tokens-file-shape.js';
import type { TokenBook } from './token-book.js';
import {
  MAX_TOKENS_FILE_BYTES,
  readTokensFile,
  TOO_LARGE,
  TokensFileError,
  wordProblems,
  type TokensFileResult,
} from './tokens-file.js';

/** What the watcher tells; any structured logger can be put behind it. Nothing told is a secret or a claim. */
export interface TokensFileLogger {
  log(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface TokensFileWatcherOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: TokensFileLogger;
  /** Milliseconds between two looks; four fit into the second within which an edit takes effect. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 250;
/**
 * After a change the content is compared for so many more looks even if the stat stays the same: timestamps are
 * coarser than writes, so an edit of equal length just after a read may leave no other trace.
 */
const SETTLING_LOOKS = 8;

type Content =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problems: readonly TokensFileProblem[] };

/** Made by {@link TokensFileWatcher.open}; has Nest's lifecycle hooks, so a module can provide it as it is. */
export class TokensFileWatcher {
  /** The policy that follows the file; the same object for good. */
  readonly policy: OfflineTokenPolicy;
  readonly #options: TokensFileWatcherOptions;
  #book: TokenBook;
  #stat: string;
  /** Digest of the content that was judged last, or why there was none. */
  #judged: string;
  #settling = SETTLING_LOOKS;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #watching = false;

  private constructor(options: TokensFileWatcherOptions, first: Look, book: TokenBook) {
    this.#options = options;
    this.#book = book;
    this.#stat = first.stat;
    this.#judged = identityOf(first.content);
    this.policy = new OfflineTokenPolicy(book, options.clock);
  }

  /**
   * Loads the file for the first time.
   * @throws TokensFileError with everything that is wrong with it
   */
  static async open(options: TokensFileWatcherOptions): Promise<TokensFileWatcher> {
    const look = await lookAt(options.path);
    const result = readContent(look.content, options.clock, undefined);
    if (!result.ok) throw new TokensFileError(result.problems);
    return new TokensFileWatcher(options, look, result.book);
  }

  /** Starts to watch; the timer keeps no process alive. */
  onModuleInit(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#lookLater();
  }

  /** Stops to watch, and waits for a look under way, so that nothing changes and no file is open afterwards. */
  async onModuleDestroy(): Promise<void> {
    this.#watching = false;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        // Nothing above throws but a logger; even then readiness must not say that all is well.
        .catch(() => this.policy.markStale())
        .finally(() => {
          if (this.#watching) this.#lookLater();
        });
    }, this.#options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const look = await lookAt(this.#options.path, this.#settling > 0 ? undefined : this.#stat);
    if (!look || !this.#watching) return;
    this.#settling = look.stat === this.#stat ? this.#settling - 1 : SETTLING_LOOKS;
    this.#stat = look.stat;
    const identity = identityOf(look.content);
    if (identity === this.#judged) return;
    this.#judged = identity;
    this.#judge(look.content);
  }

  #judge(content: Content): void {
    const { clock, logger } = this.#options;
    const result = readContent(content, clock, this.#book);
    if (result.ok) {
      this.#book = result.book;
      this.policy.replace(result.book);
      logger.log({ records: result.book.records.size }, 'tokens file reloaded');
    } else {
      this.policy.markStale();
      logger.warn(
        { problems: wordProblems(result.problems) },
        'tokens file not usable: the last good policy stays in force',
      );
    }
  }
}

function readContent(content: Content, clock: Clock, previous: TokenBook | undefined): TokensFileResult {
  return content.ok ? readTokensFile(content.bytes, { clock, previous }) : content;
}

/** What a look found: `stat` tells whether anything may have changed, `content` what there is to judge. */
interface Look {
  readonly stat: string;
  readonly content: Content;
}

/**
 * Opens, stats and reads through one descriptor, so that stat and content belong to the same file whatever is
 * renamed meanwhile. Non-blocking, since opening a named pipe would wait for its writer.
 * @param known the stat that was seen last: while it holds, nothing is read and the answer is undefined
 */
async function lookAt(path: string): Promise<Look>;
async function lookAt(path: string, known: string | undefined): Promise<Look | undefined>;
async function lookAt(path: string, known?: string): Promise<Look | undefined> {
  let file: FileHandle | undefined;
  let stat = 'none';
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat({ bigint: true });
    stat = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
    if (stat === known) return undefined;
    if (!found.isFile()) return { stat, content: unusable('is no regular file') };
    if (found.size > MAX_TOKENS_FILE_BYTES) return { stat, content: { ok: false, problems: [TOO_LARGE] } };
    return { stat, content: { ok: true, bytes: await file.readFile() } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { stat, content: unusable(`cannot be read (${code ?? 'unknown error'})`) };
  } finally {
    await file?.close();
  }
}

function unusable(problem: string): Content {
  return { ok: false, problems: [{ path: '', problem }] };
}

function identityOf(content: Content): string {
  return content.ok ? hash('sha256', content.bytes, 'hex') : wordProblems(content.problems).join();
}
