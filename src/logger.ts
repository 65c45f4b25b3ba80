/**
 * pino behind Nest's LoggerService: one JSON line per event on standard output. Lines are written
 * asynchronously in small batches and flushed at exit.
 */
import type { LoggerService } from '@nestjs/common';
import { destination, type DestinationStream, pino, type Logger as PinoLogger } from 'pino';
import type { LogLevel } from './config/settings.js';

/** Bytes that may wait before a write; a timer writes what waits longer. */
const BATCH_BYTES = 4096;
const FLUSH_INTERVAL_MS = 200;

/** What Nest tells of its own start, line by line: of use to whoever asks for debug only. */
const BOOT_CONTEXTS: ReadonlySet<unknown> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

export class PinoLoggerService implements LoggerService {
  constructor(
    private readonly pino: PinoLogger,
    readonly flush: () => void,
  ) {}

  log(message: unknown, ...details: unknown[]): void {
    this.#write(BOOT_CONTEXTS.has(details.at(-1)) ? 'debug' : 'info', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.#write('error', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.#write('warn', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.#write('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.#write('debug', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.#write('fatal', message, details);
  }

  /** Nest gives the context last; an error comes with its stack before it, which belongs into `err`. */
  #write(level: 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, details: unknown[]): void {
    const context = details.at(-1);
    if (typeof message === 'object' && message !== null && !(message instanceof Error)) {
      this.pino[level]({ context, ...message });
      return;
    }
    const stack = level === 'error' && details.length > 1 ? details[0] : undefined;
    const text = message instanceof Error ? message.message : String(message);
    this.pino[level]({ context, ...(typeof stack === 'string' && { err: { message: text, stack } }) }, text);
  }
}

export function createLogger(level: LogLevel): PinoLoggerService {
  const output = destination({
    fd: 1,
    sync: false,
    minLength: BATCH_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  return new PinoLoggerService(pinoTo(output, level), () => output.flushSync());
}

/** @param output gets one JSON object a line: `level` as a word, `time` in milliseconds since the epoch */
export function pinoTo(output: DestinationStream, level: LogLevel): PinoLogger {
  return pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      // `err` comes masked and plain; pino's own serializer would rename its type and drop its cause.
      serializers: { err: (err: unknown) => err },
    },
    output,
  );
}
