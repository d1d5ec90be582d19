import { Roster, type Deadline, type Deadlines } from '../../kernel/index.js';
import { HeadConnection, type ConnectionOwner, type Exchange } from './head-connection.js';
import type { Connector } from './guarded-connector.js';
import { HeadFault } from './head-fault.js';

export interface HeadPoolOptions {
  readonly connect: Connector;
  /** At once; more requests wait for one to be free. */
  readonly mostConnections: number;
  readonly deadlines: Deadlines;
}

const MS = 1000;
/** How long an idle connection is kept where its head doesn't say. The shortest limits that servers ship with are 5 s. */
const IDLE_MS = 4000;
/** Sooner than the head closes it by so much, or a request could meet its end on the way. */
const SOONER_MS = 2000;
const MOST_IDLE_MS = 600_000;

/** The connections to one node's server, and the path prefix that its requests start with. */
export class HeadPool implements ConnectionOwner, Deadline {
  place = -1;
  readonly prefix: string;
  /** As `Host` says it. */
  readonly host: string;
  private readonly target: URL;
  private readonly connections = new Roster<HeadConnection>();
  /** The one used last stands last and is used first: the others can grow old. */
  private readonly idle: HeadConnection[] = [];
  private readonly waiting: Exchange[] = [];
  /** Those whose answer was whole in this turn of the loop, and in the one before. */
  private answered: HeadConnection[] = [];
  private quiet: HeadConnection[] = [];
  private soonest = Infinity;
  private isClosing = false;

  constructor(
    endpoint: string,
    private readonly options: HeadPoolOptions,
  ) {
    this.target = new URL(endpoint);
    const { host, pathname } = this.target;
    this.host = host;
    this.prefix = pathname === '/' ? '' : pathname;
  }

  /** As soon as a connection is free. Whatever becomes of it, the exchange is told, at once or later. */
  send(exchange: Exchange): void {
    if (this.isClosing) {
      exchange.onBroken(new HeadFault('pool_closed'));
      return;
    }
    const free = this.idle.pop();
    if (free !== undefined) free.send(exchange);
    else if (this.connections.size < this.options.mostConnections) this.open(exchange);
    else this.waiting.push(exchange);
  }

  /** On a connection that nothing went over yet, be it one more than usual. */
  sendFresh(exchange: Exchange): void {
    if (this.isClosing) exchange.onBroken(new HeadFault('pool_closed'));
    else this.open(exchange);
  }

  /** It waits no longer, if it did. */
  withdraw(exchange: Exchange): void {
    const at = this.waiting.indexOf(exchange);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  get size(): number {
    return this.connections.size;
  }

  /** Lets running streams finish. */
  close(): void {
    this.isClosing = true;
    for (const connection of this.idle.splice(0)) connection.destroy();
    this.options.deadlines.delete(this);
  }

  destroy(): void {
    const waiting = this.waiting.splice(0);
    this.close();
    for (const connection of this.connections) connection.destroy();
    for (const exchange of waiting) exchange.onBroken(new HeadFault('pool_closed'));
  }

  onIdle(connection: HeadConnection, idleSeconds: number | null): void {
    connection.idleSeconds = idleSeconds;
    if (this.answered.push(connection) === 1 && this.quiet.length === 0) setImmediate(this.look);
  }

  onGone(connection: HeadConnection): void {
    this.connections.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    if (this.idle.length === 0) this.options.deadlines.delete(this);
    if (this.connections.size >= this.options.mostConnections) return;
    const next = this.waiting.shift();
    if (next !== undefined) this.open(next);
  }

  /** When the first of the idle ones has been so for too long. */
  get dueAt(): number {
    let first = Infinity;
    for (const { idleUntil } of this.idle) first = Math.min(first, idleUntil);
    this.soonest = first;
    return first;
  }

  onDue(): void {
    const now = this.options.deadlines.now();
    for (const connection of this.idle.filter(({ idleUntil }) => idleUntil <= now)) connection.destroy();
  }

  /** Idle connections are kept for longer then, which harms nobody. */
  onFault(): void {
    this.options.deadlines.delete(this);
  }

  /**
   * An answer that is followed by another, which nobody asked for, must not be taken for the answer to the next request: so a
   * connection is used again only when all sockets have been read once more, and nothing has come of it.
   */
  private readonly look = (): void => {
    const free = this.quiet;
    this.quiet = this.answered;
    this.answered = [];
    for (const connection of free) if (!connection.isOver) this.use(connection);
    if (this.quiet.length > 0) setImmediate(this.look);
  };

  private use(connection: HeadConnection): void {
    try {
      this.rest(connection);
    } catch {
      // Nobody's call is at stake, only what the next one may use.
      connection.destroy();
    }
  }

  private rest(connection: HeadConnection): void {
    const next = this.waiting.shift();
    if (next !== undefined) {
      connection.send(next);
      return;
    }
    const { idleSeconds } = connection;
    const idleMs = idleSeconds === null ? IDLE_MS : Math.min(idleSeconds * MS - SOONER_MS, MOST_IDLE_MS);
    if (idleMs <= 0 || this.isClosing || this.connections.size > this.options.mostConnections) {
      connection.destroy();
      return;
    }
    connection.idleUntil = this.options.deadlines.now() + idleMs;
    this.idle.push(connection);
    // It stays among the deadlines when none is idle: coming and going with each call would cost more.
    const isFirst = this.idle.length === 1 || connection.idleUntil < this.soonest;
    if (isFirst) this.soonest = connection.idleUntil;
    if (this.place < 0) this.options.deadlines.add(this);
    else if (isFirst) this.options.deadlines.hasten(this);
  }

  private open(exchange: Exchange): void {
    const connection = new HeadConnection(this, exchange);
    this.connections.add(connection);
    const { host, hostname, protocol, port } = this.target;
    exchange.onAssigned(connection);
    try {
      this.options.connect({ host, hostname, protocol, port }, connection);
    } catch (fault) {
      connection.connected(fault instanceof Error ? fault : new HeadFault('connection_closed'), null);
    }
  }
}
