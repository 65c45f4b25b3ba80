/**
 * Whether an answer is right. Every answer is judged: status, head, and that its message is, but for the id, byte
 * for byte one that was parsed and found right before. The first one, one in 64, and any that differs is parsed.
 * So a server cannot win by answering wrongly, and the judge does not cost what it measures.
 */

/** @typedef {import('./answer-reader.mjs').Answer} Answer */

const PARSE_ONE_IN = 64;
const MAX_SHOWN = 120;

export class AnswerJudge {
  #workload;
  #count = 0;
  /** Around the id, of the last message that was parsed and right. */
  #before = '';
  #after = '';

  /** @param {import('../workloads.mjs').Workload} workload */
  constructor(workload) {
    this.#workload = workload;
  }

  /**
   * @param {Answer} answer
   * @param {string} id that the request had
   * @returns {string | undefined} what is wrong
   */
  problem({ status, head, body }, id) {
    const { head: neededHead, status: neededStatus } = this.#workload;
    if (status !== neededStatus) return `status ${status}: ${body.slice(0, MAX_SHOWN)}`;
    if (neededHead !== undefined && !neededHead.test(head)) return `a head without ${neededHead}`;
    if (status >= 400) return undefined;
    const text = messageText(head, body);
    if (this.#count++ % PARSE_ONE_IN !== 0 && this.#isKnown(text, id)) return undefined;
    return this.#parse(text, id);
  }

  /**
   * @param {string} text
   * @param {string} id
   */
  #isKnown(text, id) {
    const before = this.#before;
    const after = this.#after;
    return (
      text.length === before.length + id.length + after.length &&
      text.startsWith(before) &&
      text.startsWith(id, before.length) &&
      text.endsWith(after)
    );
  }

  /**
   * @param {string} text
   * @param {string} id
   */
  #parse(text, id) {
    let message;
    try {
      message = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    } catch {
      return `no JSON: ${text.slice(0, MAX_SHOWN)}`;
    }
    if (message?.jsonrpc !== '2.0' || message.id !== Number(id))
      return `id is not ${id}: ${text.slice(0, MAX_SHOWN)}`;
    if (!this.#workload.isRight(message.result)) return `wrong result: ${text.slice(0, MAX_SHOWN)}`;
    const [before = '', after = '', ...more] = text.split(id);
    if (more.length === 0) {
      this.#before = before;
      this.#after = after;
    }
    return undefined;
  }
}

/**
 * The JSON of an answer: its body, or the data of the last event that has any.
 * @param {string} head
 * @param {string} body
 */
function messageText(head, body) {
  if (body.startsWith('{') || !/\r\ncontent-type: *text\/event-stream/i.test(head)) return body;
  const at = body.lastIndexOf('data: {');
  if (at < 0) return body;
  const end = body.indexOf('\n', at);
  return body.slice(at + 6, body[end - 1] === '\r' ? end - 1 : end);
}
