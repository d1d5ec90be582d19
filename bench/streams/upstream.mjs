/**
 * A head that gives one token a second to each stream, from as many as there may be; over sockets without an HTTP
 * library. The first goes out at once, so the streams are spread over the second as their requests came. Each is as
 * long as its max_tokens. Prints its port.
 */
import { createServer } from 'node:net';
import { END, START, token } from './tokens.mjs';

const EVERY_MS = 1000;
const LOOK_MS = 1;
const MODELS = JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
const JSON_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${MODELS.length}\r\n\r\n`;
/** All wait equally long, so whoever waits longest is first. */
let streams = [];

const server = createServer({ noDelay: true }, (socket) => {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    unread += text;
    for (let length = requestLength(unread); length !== null; length = requestLength(unread)) {
      const isProbe = unread.startsWith('GET');
      const tokens = Number(/"max_tokens":(\d+)/.exec(unread)?.[1]);
      unread = unread.slice(length);
      if (isProbe) socket.write(JSON_HEAD + MODELS);
      else begin(socket, tokens);
    }
  });
  socket.on('error', () => socket.destroy());
});

function begin(socket, tokens) {
  socket.write(START + token(0));
  streams.push({ socket, tokens, sent: 1, due: performance.now() + EVERY_MS });
}

/** null while it has not arrived as a whole. */
function requestLength(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const body = Number(/content-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length >= headEnd + 4 + body ? headEnd + 4 + body : null;
}

setInterval(() => {
  const now = performance.now();
  let served = 0;
  const goOn = [];
  for (; served < streams.length && streams[served].due <= now; served += 1) {
    const stream = streams[served];
    if (stream.socket.destroyed) continue;
    if (stream.sent === stream.tokens) {
      stream.socket.write(END);
      continue;
    }
    stream.socket.write(token(stream.sent));
    stream.sent += 1;
    stream.due += EVERY_MS;
    goOn.push(stream);
  }
  if (served > 0) streams = streams.slice(served).concat(goOn);
}, LOOK_MS);

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
