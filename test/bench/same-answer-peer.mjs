/** Fast because it is wrong: every answer is the right one to the first request. */
import { answeringServer } from './answering-server.mjs';

export function start() {
  return answeringServer(() => '{"jsonrpc":"2.0","id":100000000,"result":{}}');
}
