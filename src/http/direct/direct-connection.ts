import type { Socket } from 'node:net';
import { isEmptyLines, type Deadline } from '../../kernel/index.js';
import { KEEP_ALIVE_TIMEOUT_MS } from '../keep-alive.js';
import { DirectRequest } from './direct-request.js';
import { DirectResponse, type AnswerOwner } from './direct-response.js';
import { HeadReader } from './request-head.js';

/** Whom a connection belongs to. */
export interface DirectHost {
  /** @returns false where the request is not for here; nothing has been done then */
  serve(request: DirectRequest, response: DirectResponse): boolean;
  /** It waits for its client: `dueAt` has come nearer. */
  onWaiting(connection: DirectConnection): void;
  /** It is gone, or somebody else's. Told once. */
  onGone(connection: DirectConnection): void;
  /** Reads the connection from here on, and these bytes first. */
  leave(socket: Socket, bytes: Buffer): void;
  /** What was being sent will never be whole. */
  refuse(socket: Socket, why: 'late' | 'cut off', isAnswering: boolean): void;
  now(): number;
}

/** Who is told how long a connection is kept may still ask in its last moment. */
export const IDLE_TIMEOUT_MS = KEEP_ALIVE_TIMEOUT_MS + 1_000;
/** A body may take this long to come. */
export const RECEIVE_TIMEOUT_MS = 300_000;
/** So long may a connection say nothing at first. */
export const HEADERS_TIMEOUT_MS = 60_000;
/** A connection as new as this one may have been opened for a request that is on its way. */
const NEW_MS = 5_000;
/** Of what a client sends before it has its answer, so much is kept. */
export const MOST_HELD_BYTES = 1024 * 1024;
/** More pieces than these are made one: a small one costs a hundred times its bytes. */
const MOST_PIECES = 64;

/**
 * One client's connection while its requests are plain, one at a time. The first that is not goes to Node's own server, with
 * the whole connection.
 */
export class DirectConnection implements AnswerOwner, Deadline {
  place = -1;
  dueAt: number;
  private readonly openedAt: number;
  private readonly reader = new HeadReader();
  private request: DirectRequest | null = null;
  private response: DirectResponse | null = null;
  private bodyLeft = 0;
  private isBodyWhole = true;
  /** Came before the answer to what came before it. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private hasAsked = false;
  /** Nothing that comes is looked at any more. */
  private isClosing = false;
  private isGone = false;

  constructor(
    private readonly socket: Socket,
    private readonly host: DirectHost,
  ) {
    this.openedAt = host.now();
    this.dueAt = this.openedAt + HEADERS_TIMEOUT_MS;
    socket.on('data', this.received);
    socket.on('end', this.ended);
    socket.on('drain', this.drained);
    socket.on('error', unheard);
    socket.on('close', this.closed);
  }

  /** Nothing is under way. */
  private get isIdle(): boolean {
    return this.response === null && this.isBodyWhole && this.heldBytes === 0;
  }

  /** Its client would miss nothing. */
  get mayClose(): boolean {
    return this.isIdle && (this.hasAsked || this.host.now() >= this.openedAt + NEW_MS);
  }

  destroy(): void {
    this.socket.destroy();
  }

  onDue(): void {
    this.dueAt = Infinity;
    if (this.isIdle) this.destroy();
    else if (!this.isBodyWhole) this.refuse('late');
  }

  onFault(): void {
    this.destroy();
  }

  onAnswered(isLast: boolean): void {
    this.response = null;
    if (isLast || this.heldBytes > MOST_HELD_BYTES) {
      this.isClosing = true;
      this.held = [];
      this.socket.destroySoon();
    } else if (this.isBodyWhole) this.rest();
  }

  private readonly received = (bytes: Buffer): void => {
    const { bodyLeft } = this;
    if (this.isClosing) return;
    if (bodyLeft === 0) this.next(bytes);
    else if (bytes.length <= bodyLeft) this.feed(bytes);
    else {
      this.hold(bytes.subarray(bodyLeft));
      this.feed(bytes.subarray(0, bodyLeft));
    }
  };

  private next(bytes: Buffer): void {
    if (this.response !== null || this.heldBytes > 0) this.hold(bytes);
    else this.begin(bytes);
  }

  private begin(bytes: Buffer): void {
    // Some clients send an empty line behind a body. To Node it would be a request that takes too long.
    if (this.hasAsked && isEmptyLines(bytes)) {
      if (this.dueAt === Infinity) this.rest();
      return;
    }
    const { reader, socket } = this;
    const head = reader.read(bytes);
    const end = reader.bodyStart + reader.bodyLength;
    // Whoever sends the next one with it is Node's too: all are begun at once there, and answered in their order.
    if (head === null || bytes.length > end) {
      this.leave(bytes);
      return;
    }
    const { bodyStart, bodyLength } = reader;
    const request = new DirectRequest(socket, head, bodyLength);
    const response = new DirectResponse(socket, this);
    this.request = request;
    this.response = response;
    this.bodyLeft = bodyLength;
    this.isBodyWhole = false;
    this.hasAsked = true;
    this.dueAt = Infinity;
    if (!this.host.serve(request, response)) {
      this.leave(bytes);
      return;
    }
    if (bodyLength === 0) this.whole();
    else if (bytes.length > bodyStart) this.feed(bytes.subarray(bodyStart));
    if (this.bodyLeft === 0) return;
    this.dueAt = this.host.now() + RECEIVE_TIMEOUT_MS;
    this.host.onWaiting(this);
  }

  private feed(bytes: Buffer): void {
    this.request?.part(bytes);
    this.bodyLeft -= bytes.length;
    if (this.bodyLeft === 0) this.whole();
  }

  private whole(): void {
    const { request } = this;
    const isAnswered = this.response === null;
    this.request = null;
    this.isBodyWhole = true;
    this.dueAt = Infinity;
    if (isAnswered) this.rest();
    else request?.whole();
  }

  /** Nothing is under way. */
  private rest(): void {
    if (this.heldBytes > 0) {
      process.nextTick(this.takeHeld);
      return;
    }
    this.dueAt = this.host.now() + IDLE_TIMEOUT_MS;
    this.host.onWaiting(this);
  }

  /** It is read on, or nobody would hear that the client has left. What is too much is lost, and all with it that stands there. */
  private hold(bytes: Buffer): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > MOST_HELD_BYTES) {
      this.held = [];
      return;
    }
    this.held.push(bytes);
    if (this.held.length > MOST_PIECES) this.held = [Buffer.concat(this.held)];
  }

  private readonly takeHeld = (): void => {
    if (this.isGone || this.isClosing || this.socket.destroyed) return;
    const bytes = Buffer.concat(this.held);
    this.held = [];
    this.heldBytes = 0;
    this.begin(bytes);
  };

  /** What was begun has had no consequence yet. */
  private leave(bytes: Buffer): void {
    const { socket } = this;
    this.request = null;
    this.response = null;
    this.gone();
    socket.off('data', this.received);
    socket.off('end', this.ended);
    socket.off('drain', this.drained);
    socket.off('error', unheard);
    socket.off('close', this.closed);
    this.host.leave(socket, bytes);
  }

  private readonly drained = (): void => {
    this.response?.drained();
  };

  private readonly ended = (): void => {
    // Its sender may still read why that is a fault.
    if (this.isBodyWhole) this.socket.end();
    else this.refuse('cut off');
  };

  private readonly closed = (): void => {
    const { request, response } = this;
    this.gone();
    this.request = null;
    this.response = null;
    this.held = [];
    // The answer hears first that the client has left.
    response?.closed();
    request?.broken();
  };

  /** The lane hears of it when the connection is no more. */
  private refuse(why: 'late' | 'cut off'): void {
    this.isClosing = true;
    this.host.refuse(this.socket, why, this.response?.headersSent !== false);
  }

  private gone(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.host.onGone(this);
  }
}

function unheard(): void {
  // `close` follows.
}
