import { once } from 'node:events';
import { createServer } from 'node:net';

const HEADERS_END = '\r\n\r\n';

/**
 * A node's server down to its bytes: it reads each request whole and lets `answering(chat)` write whatever it likes,
 * HTTP or not. A chat is `{ socket, isStream, number, isReuse, done }`, its number counting from 1.
 */
export class RawHead {
  #answering;
  #server;
  #sockets = new Set();
  #unanswered = new Set();
  chats = 0;

  constructor(answering) {
    this.#answering = answering;
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Connections on which an answer was begun, or is awaited, and never ended. */
  get openAnswers() {
    return this.#unanswered.size;
  }

  get openConnections() {
    return this.#sockets.size;
  }

  /** From now on connections are refused; those that are open stay. */
  stopListening() {
    this.#server.close();
  }

  async end() {
    const closed = this.#server.listening ? once(this.#server, 'close') : null;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #welcome(socket) {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#unanswered.delete(socket);
    });
    let pending = Buffer.alloc(0);
    let isReuse = false;
    socket.on('data', (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      for (let request = requestIn(pending); request !== null; request = requestIn(pending)) {
        pending = pending.subarray(request.length);
        this.#chat(socket, request.body, isReuse);
        isReuse = true;
      }
    });
  }

  #chat(socket, body, isReuse) {
    this.chats += 1;
    this.#unanswered.add(socket);
    const { stream } = JSON.parse(body);
    this.#answering({
      socket,
      isStream: stream === true,
      number: this.chats,
      /** The connection has served a chat before. */
      isReuse,
      /** The answer is whole; the connection may serve another. */
      done: () => this.#unanswered.delete(socket),
    });
  }
}

/** The first whole request among these bytes. The tracker always says how long it is. */
function requestIn(bytes) {
  const end = bytes.indexOf(HEADERS_END);
  if (end < 0) return null;
  const bodyLength = Number(/^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, end))?.[1] ?? 0);
  const length = end + HEADERS_END.length + bodyLength;
  return bytes.length < length ? null : { length, body: bytes.toString('utf8', length - bodyLength, length) };
}
