/** A server with one session that answers every request with the text it is told to, for peers that are wrong. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @param {(message: { id: number }, count: number) => string} answerTo */
export async function answeringServer(answerTo) {
  let count = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const message = JSON.parse(text);
      if (message.id === undefined) {
        response.writeHead(202, { 'Content-Length': 0 }).end();
        return;
      }
      const answer = answerTo(message, count++);
      response.writeHead(200, { 'MCP-Session-Id': 'one', 'Content-Length': answer.length }).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, versions: {} };
}
