/** Right at first, so that its answers are known; then one answer in a hundred has another result. */
import { answeringServer } from './answering-server.mjs';

export function start() {
  return answeringServer(({ id }, count) => {
    const result = count % 100 === 99 ? '{"x":1}' : '{}';
    return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  });
}
