import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { isEmptyLines, type Rostered } from '../../kernel/index.js';
import type { AnswerHead } from './answer-head.js';
import { AnswerParser, type AnswerSink } from './answer-parser.js';
import type { ConnectionUser } from './guarded-connector.js';
import { HeadFault } from './head-fault.js';

/** A request on its way over a connection. Exactly one of `onWhole` and `onBroken` comes last. */
export interface Exchange {
  /** Request line and headers, as latin1. */
  readonly head: string;
  readonly body: Buffer;
  /** It gets its connection, which may have to be opened first. */
  onAssigned(connection: HeadConnection): void;
  /** It goes out now. */
  onSent(connection: HeadConnection): void;
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onBody(bytes: Buffer): void;
  onWhole(): void;
  onBroken(fault: Error): void;
}

/** Whom a connection belongs to. */
export interface ConnectionOwner {
  /** It could carry another request. */
  onIdle(connection: HeadConnection, idleSeconds: number | null): void;
  /** It is of no use any more. Told once. */
  onGone(connection: HeadConnection): void;
}

/** A head and body up to so much leave as one text: two writes cost more than copying. */
const MOST_AS_TEXT = 16 * 1024;

/** One connection to a head, from before it is there until it is gone; one request at a time. */
export class HeadConnection implements AnswerSink, ConnectionUser, Rostered {
  place = -1;
  /** While it is idle: until when, in monotonic ms. */
  idleUntil = Infinity;
  /** How long its head would keep it, as it said last. */
  idleSeconds: number | null = null;
  private readonly parser = new AnswerParser(this);
  private socket: Socket | null = null;
  private exchange: Exchange | null;
  private served = 0;
  private isGone = false;

  /** @param first what it is opened for */
  constructor(
    private readonly owner: ConnectionOwner,
    first: Exchange,
  ) {
    this.exchange = first;
  }

  get isOver(): boolean {
    return this.isGone;
  }

  /** A request that goes out now follows another one: the head may be closing the connection right now. */
  get isReused(): boolean {
    return this.served > 0;
  }

  readonly connected = (fault: Error | null, socket: Socket | null): void => {
    if (fault !== null || socket === null) {
      this.broken(fault ?? new HeadFault('connection_closed'));
      return;
    }
    if (this.isGone) {
      socket.destroy();
      return;
    }
    this.socket = socket;
    socket.on('end', () => this.ended());
    socket.on('error', (error) => this.broken(error));
    socket.on('close', () => this.broken(new HeadFault('connection_closed')));
    if (this.exchange === null) this.owner.onIdle(this, null);
    else this.write(this.exchange);
  };

  readonly received = (bytes: Buffer): void => {
    // Nobody has asked. Some servers send an empty line behind what they have said.
    if (this.exchange === null) {
      if (!isEmptyLines(bytes)) this.destroy();
      return;
    }
    try {
      this.parser.feed(bytes);
    } catch (fault) {
      if (!(fault instanceof HeadFault)) throw fault;
      this.broken(fault);
    }
  };

  send(exchange: Exchange): void {
    this.exchange = exchange;
    this.write(exchange);
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  /** Whoever waited for it no longer does. What goes out already ends with the connection: the head must not work for nobody. */
  abandon(exchange: Exchange): void {
    if (this.exchange !== exchange) return;
    this.exchange = null;
    if (this.socket !== null) this.destroy();
  }

  destroy(): void {
    this.broken(new HeadFault('pool_closed'));
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.exchange?.onHead(status, headers);
  }

  onBody(bytes: Buffer): void {
    this.exchange?.onBody(bytes);
  }

  onWhole({ keepsAlive, idleSeconds }: AnswerHead): void {
    const { exchange, socket } = this;
    this.exchange = null;
    this.served += 1;
    // Some of the request was never read: the next one would stand behind it.
    const isFree = keepsAlive && socket !== null && socket.writableLength === 0 && !socket.readableEnded;
    if (!isFree) this.destroy();
    exchange?.onWhole();
    if (this.isGone || socket === null) return;
    // It may have been held up for the sake of a client.
    socket.resume();
    this.owner.onIdle(this, idleSeconds);
  }

  private write(exchange: Exchange): void {
    const { socket } = this;
    if (socket === null) return;
    this.parser.begin();
    exchange.onSent(this);
    if (this.isGone) return;
    const { head, body } = exchange;
    if (body.length <= MOST_AS_TEXT) {
      socket.write(head + body.toString('latin1'), 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  private ended(): void {
    if (!this.parser.end()) this.broken(new HeadFault('connection_closed'));
  }

  private broken(fault: Error): void {
    if (this.isGone) return;
    this.isGone = true;
    this.parser.stop();
    this.socket?.destroy();
    this.owner.onGone(this);
    const { exchange } = this;
    this.exchange = null;
    exchange?.onBroken(fault);
  }
}
