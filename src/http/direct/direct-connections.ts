import type { Socket } from 'node:net';
import { Deadlines, type Clock } from '../../kernel/index.js';
import { refuseUnreadable } from '../unreadable-request.js';
import { DirectConnection, type DirectHost } from './direct-connection.js';
import type { DirectRequest } from './direct-request.js';
import type { DirectResponse } from './direct-response.js';

/** What becomes of connections and requests. */
export interface DirectUse {
  /** @returns false where the request is not for here; nothing has been done then */
  serve(request: DirectRequest, response: DirectResponse): boolean;
  /** A connection as if it had just come in. */
  serveByNode(socket: Socket): void;
}

/** As Node calls them. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
const CUT_OFF = 'HPE_INVALID_EOF_STATE';

/** The connections of a server's clients, each for as long as its requests are plain. */
export class DirectConnections implements DirectHost {
  private readonly deadlines: Deadlines;
  private readonly open = new Set<DirectConnection>();

  constructor(
    clock: Clock,
    private readonly use: DirectUse,
  ) {
    this.deadlines = new Deadlines(clock);
  }

  add(socket: Socket): void {
    const connection = new DirectConnection(socket, this);
    this.open.add(connection);
    this.deadlines.add(connection);
  }

  closeIdle(): void {
    for (const connection of this.open) if (connection.mayClose) connection.destroy();
  }

  closeAll(): void {
    for (const connection of this.open) connection.destroy();
  }

  serve(request: DirectRequest, response: DirectResponse): boolean {
    return this.use.serve(request, response);
  }

  onWaiting(connection: DirectConnection): void {
    this.deadlines.hasten(connection);
  }

  onGone(connection: DirectConnection): void {
    this.open.delete(connection);
    this.deadlines.delete(connection);
  }

  leave(socket: Socket, bytes: Buffer): void {
    this.use.serveByNode(socket);
    socket.unshift(bytes);
  }

  refuse(socket: Socket, why: 'late' | 'cut off', isAnswering: boolean): void {
    refuseUnreadable(why === 'late' ? LATE : CUT_OFF, socket, isAnswering);
  }

  now(): number {
    return this.deadlines.now();
  }
}
