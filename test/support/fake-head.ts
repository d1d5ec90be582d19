import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';

/** A chat as it reached a head. */
export interface ReceivedChat {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they stood on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The connection went before the answer was complete. */
  aborted: boolean;
}

export type HeadAnswering = (response: ServerResponse, chat: ReceivedChat) => unknown;

/** A server that notes what it is sent and answers as the test says. */
export class FakeHead {
  readonly chats: ReceivedChat[] = [];
  private readonly server: Server;

  constructor(private answering: HeadAnswering) {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = '', url = '', headers, rawHeaders } = request;
        const chat = { method, path: url, headers, rawHeaders, body: Buffer.concat(parts), aborted: false };
        response.on('close', () => (chat.aborted = !response.writableFinished));
        // A probe is none of the chats.
        if (method === 'POST') this.chats.push(chat);
        this.answering(response, chat);
      });
    });
  }

  async start(port = 0, host = '127.0.0.1'): Promise<this> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return this;
  }

  /** How the next chats are answered. */
  answer(answering: HeadAnswering): void {
    this.answering = answering;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** The chat that came last. */
  get last(): ReceivedChat {
    const chat = this.chats.at(-1);
    if (chat === undefined) throw new Error('no chat came here');
    return chat;
  }

  get lastBody(): Record<string, unknown> {
    return JSON.parse(this.last.body.toString()) as Record<string, unknown>;
  }

  /** Lets go of connections that no chat is on. */
  closeIdle(): void {
    this.server.closeIdleConnections();
  }

  async end(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** A head of raw bytes: what it sends is no business of any HTTP library. */
export class RawHead {
  private readonly sockets = new Set<Socket>();
  private readonly server: TcpServer;
  /** Connections that came, ever. */
  connections = 0;

  /** @param onRequest called with each connection's first bytes */
  constructor(onRequest: (socket: Socket, bytes: Buffer) => void) {
    this.server = createTcpServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.once('data', (bytes: Buffer) => onRequest(socket, bytes));
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  async end(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
