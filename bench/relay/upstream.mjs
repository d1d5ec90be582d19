/**
 * The fast reference upstream: answers any POST at once, from bytes made beforehand, over sockets without an HTTP
 * library, so that what is measured is whoever stands in front of it. Prints its port.
 */
import { createServer } from 'node:net';
import { JSON_ANSWER, STREAM_CHUNKS, STREAM_START } from './payloads.mjs';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const STREAM_FLAG = Buffer.from('"stream":true');

const server = createServer({ noDelay: true }, (socket) => {
  let unread = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    for (;;) {
      const headEnd = unread.indexOf(END_OF_HEAD);
      if (headEnd < 0) return;
      const head = unread.latin1Slice(0, headEnd);
      const declared = /content-length: *(\d+)/i.exec(head)?.[1];
      const length = bodyLength(head, declared, unread, headEnd + 4);
      if (length === null || unread.length < headEnd + 4 + length) return;
      const body = unread.subarray(headEnd + 4, headEnd + 4 + length);
      unread = unread.subarray(headEnd + 4 + length);
      if (head.startsWith('GET')) socket.write(MODELS);
      else if (body.includes(STREAM_FLAG)) pour(socket, 0);
      else socket.write(JSON_ANSWER);
    }
  });
  socket.on('error', () => socket.destroy());
});

const MODELS_BODY = JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
const MODELS = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${MODELS_BODY.length}\r\n\r\n${MODELS_BODY}`,
);

/** Some proxies send a body in chunks; then it ends with an empty one. */
function bodyLength(head, declared, unread, start) {
  if (declared !== undefined) return Number(declared);
  if (!/transfer-encoding: *chunked/i.test(head)) return 0;
  const end = unread.indexOf('0\r\n\r\n', start);
  return end < 0 ? null : end + 5 - start;
}

/** One chunk a turn of the loop: each arrives by itself, as tokens do. */
function pour(socket, at) {
  if (socket.destroyed) return;
  if (at === 0) socket.write(STREAM_START);
  socket.write(STREAM_CHUNKS[at]);
  if (at + 1 < STREAM_CHUNKS.length) setImmediate(pour, socket, at + 1);
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
