import { once } from 'node:events';
import { createServer, type Socket, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { rawChat } from './openai-answers.js';

/**
 * An OpenAI-compatible server with one thread: connections are accepted, and requests answered one after the other.
 * While it computes it answers nothing else. A test says when a computation ends.
 */
export class OneThreadServer {
  /** Chats that have begun to be computed. */
  begun = 0;
  private readonly sockets = new Set<Socket>();
  private readonly waiting: { socket: Socket; request: string }[] = [];
  private endWork: (() => void) | null = null;
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.once('data', (bytes: Buffer) => {
      this.waiting.push({ socket, request: bytes.toString() });
      this.next();
    });
  });

  constructor(private readonly models: readonly string[]) {}

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get isBusy(): boolean {
    return this.endWork !== null;
  }

  /** The computation under way is done. */
  finish(): void {
    this.endWork?.();
  }

  /** New connections are refused; those that are open stay. */
  refuse(): void {
    this.server.close();
  }

  end(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private next(): void {
    if (this.isBusy) return;
    const turn = this.waiting.shift();
    if (turn === undefined) return;
    if (turn.request.startsWith('POST')) this.compute(turn.socket);
    else {
      const body = JSON.stringify({ object: 'list', data: this.models.map((id) => ({ id })) });
      turn.socket.end(rawChat(['connection: close', `content-length: ${String(body.length)}`], body));
      this.next();
    }
  }

  private compute(socket: Socket): void {
    this.begun += 1;
    this.endWork = () => {
      this.endWork = null;
      const body = rawChat();
      socket.end(body.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
      this.next();
    };
  }
}
