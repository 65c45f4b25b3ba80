/**
 * Bytes of one connection → answers, framed by Content-Length or in chunks. Texts are Latin-1, one character a
 * byte. Strict where a mistake would hide a wrong answer: bytes that belong to no answer are an error.
 */

/** @typedef {{ status: number, head: string, body: string }} Answer */

const LENGTH = /\r\ncontent-length: *([0-9]+)\r\n/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked\r\n/i;
const NO_BODY = new Set([204, 304]);

export class AnswerReader {
  #text = '';

  /**
   * @param {Buffer} chunk
   * @returns {Answer | undefined} the answer, once it is whole
   */
  push(chunk) {
    const text = this.#text === '' ? chunk.toString('latin1') : this.#text + chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    const head = text.slice(0, headEnd + 2);
    const framed = headEnd < 0 ? undefined : bodyOf(text, head, headEnd + 4);
    if (framed === undefined) {
      this.#text = text;
      return undefined;
    }
    if (framed.end !== text.length) throw new Error('bytes after the answer');
    this.#text = '';
    return { status: statusOf(head), head, body: framed.body };
  }
}

/** @param {string} head */
function statusOf(head) {
  if (!head.startsWith('HTTP/1.1 ')) throw new Error('no HTTP/1.1 answer');
  return Number(head.slice(9, 12));
}

/**
 * @param {string} text
 * @param {string} head
 * @param {number} start
 * @returns {{ body: string, end: number } | undefined} undefined while it is not whole
 */
function bodyOf(text, head, start) {
  const length = LENGTH.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return text.length < end ? undefined : { body: text.slice(start, end), end };
  }
  if (CHUNKED.test(head)) return unchunk(text, start);
  if (NO_BODY.has(statusOf(head))) return { body: '', end: start };
  throw new Error('an answer without a length');
}

/**
 * RFC 9112 section 7.1, without trailers.
 * @param {string} text
 * @param {number} start
 */
function unchunk(text, start) {
  let body = '';
  for (let at = start; ;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('a chunk without a size');
    const end = lineEnd + 2 + size + 2;
    if (text.length < end) return undefined;
    if (size === 0) return { body, end };
    body += text.slice(lineEnd + 2, end - 2);
    at = end;
  }
}
