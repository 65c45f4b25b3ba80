/**
 * Reads exactly the announced bytes of one body within its time. The parser below never gives more than
 * Content-Length; less is `truncated_body`, later is `request_timeout`.
 */
import type { IncomingMessage } from 'node:http';
import { BoundaryError } from '../errors/boundary-error.js';
import type { PublicCode } from '../errors/catalog.js';

/**
 * The body, if all of it has come already, as nearly always it has with its head; else undefined. The end of the
 * stream is left unread: nobody waits for it, and its events would cost more than the body.
 */
export function readArrived(request: IncomingMessage, length: number): Uint8Array | undefined {
  if (request.readableLength !== length) return undefined;
  return request.read() as Uint8Array;
}

/** @param length announced, > 0; the buffer is made when the first byte has come */
export function readBody(request: IncomingMessage, length: number, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let received = 0;

    const timer = setTimeout(() => fail('request_timeout'), timeoutMs);
    request.on('data', onData).once('end', onEnd).once('close', onClose).once(BODY_FAILED, fail);

    function onData(chunk: Uint8Array): void {
      received += chunk.length;
      chunks.push(chunk);
    }
    function onEnd(): void {
      settle();
      const [first] = chunks;
      if (received !== length || first === undefined) reject(new BoundaryError('truncated_body'));
      else resolve(chunks.length === 1 ? first : Buffer.concat(chunks, length));
    }
    function onClose(): void {
      fail('truncated_body');
    }
    function fail(code: PublicCode): void {
      settle();
      reject(new BoundaryError(code));
    }
    function settle(): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off(BODY_FAILED, fail);
    }
  });
}

/** Event on a request whose body can no longer arrive, with the public code; emitted by the HTTP server. */
export const BODY_FAILED = Symbol('body failed');
