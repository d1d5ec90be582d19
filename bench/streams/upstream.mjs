/**
 * A head that gives one token a second to each stream, from as many as there may be; over sockets without an HTTP
 * library. The first goes out at once, the others at one of the second's milliseconds, spread evenly over the streams:
 * requests come in clumps, and tokens that kept to those would be a burst each second. Each is as long as its
 * max_tokens. Prints its port.
 */
import { createServer } from 'node:net';
import { END, START, token } from './tokens.mjs';

const EVERY_MS = 1000;
const LOOK_MS = 1;
/** Any number of its multiples, less whole numbers, lies evenly between 0 and 1. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const MODELS = JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
const JSON_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${MODELS.length}\r\n\r\n`;
/** The streams by the millisecond of the second in which they get their tokens. */
const wheel = Array.from({ length: EVERY_MS }, () => new Set());
let begun = 0;

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
  begun += 1;
  wheel[Math.floor(((begun * GOLDEN_RATIO) % 1) * EVERY_MS)].add({ socket, tokens, sent: 1 });
}

/** @returns whether it goes on */
function next(stream) {
  if (stream.socket.destroyed) return false;
  const isOver = stream.sent === stream.tokens;
  stream.socket.write(isOver ? END : token(stream.sent));
  stream.sent += 1;
  return !isOver;
}

/** null while it has not arrived as a whole. */
function requestLength(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const body = Number(/content-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length >= headEnd + 4 + body ? headEnd + 4 + body : null;
}

let served = Math.floor(performance.now());
setInterval(() => {
  for (const now = performance.now(); served < now; served += 1) {
    const streams = wheel[served % EVERY_MS];
    for (const stream of streams) if (!next(stream)) streams.delete(stream);
  }
}, LOOK_MS);

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
