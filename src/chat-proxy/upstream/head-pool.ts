import { buildConnector, Client, Pool, type Dispatcher } from 'undici';

/** Told which connection a request goes to. */
export interface ConnectionObserver {
  onAssigned(connection: HeadConnection): void;
  /** The head sends nothing more on it. Told before undici acts on that. */
  onHeadEnded(): void;
}

/** Tells whoever uses the connection that its head has ended it. */
class HeadEnd {
  observer: ConnectionObserver | null = null;

  watching(connect: buildConnector.connector): buildConnector.connector {
    return (options, connected) =>
      connect(options, (fault, socket) => {
        if (fault !== null) {
          connected(fault, null);
          return;
        }
        // The first to listen, so that undici's own listener finds nothing paused: its parser does not expect that.
        socket.on('end', () => this.observer?.onHeadEnded());
        connected(null, socket);
      });
  }
}

function connectorOf({ connect }: Client.Options): buildConnector.connector {
  return typeof connect === 'function' ? connect : buildConnector({ ...connect });
}

/** One connection to a head, which may be opened again; knows whether it has served anything since. */
export class HeadConnection extends Client {
  private served = 0;
  private readonly headEnd: HeadEnd;

  constructor(origin: string | URL, options: Client.Options) {
    const headEnd = new HeadEnd();
    super(origin, { ...options, connect: headEnd.watching(connectorOf(options)) });
    this.headEnd = headEnd;
    this.on('connect', () => (this.served = 0));
  }

  /** A request that goes out now follows another on the same socket: the head may be closing it right now. */
  get isReused(): boolean {
    return this.served > 0;
  }

  answered(): void {
    this.served += 1;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // The pool hands options on as they are, but wraps the handler.
    const { observer = null } = options as { observer?: ConnectionObserver };
    this.headEnd.observer = observer;
    observer?.onAssigned(this);
    return super.dispatch(options, handler);
  }
}

/** The connections to one node's server, and the path prefix that its requests start with. */
export class HeadPool {
  readonly prefix: string;
  private readonly origin: string;
  private readonly pool: Pool;

  constructor(
    endpoint: string,
    connections: number,
    private readonly options: Client.Options,
  ) {
    const { origin, pathname } = new URL(endpoint);
    this.origin = origin;
    this.prefix = pathname === '/' ? '' : pathname;
    this.pool = new Pool(origin, {
      ...options,
      connections,
      factory: (to: string | URL, given: object) => new HeadConnection(to, given),
    });
  }

  dispatch(
    options: Dispatcher.DispatchOptions & { observer: ConnectionObserver },
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.pool.dispatch(options, handler);
  }

  /** On a socket that nothing went over yet, closed after this one request. */
  dispatchFresh(
    options: Dispatcher.DispatchOptions & { observer: ConnectionObserver },
    handler: Dispatcher.DispatchHandler,
  ): void {
    const client = new HeadConnection(this.origin, { ...this.options, pipelining: 1 });
    client.dispatch(options, handler);
    // Waits for the request under way; a fault of it has been told to the handler.
    client.close().catch(() => undefined);
  }

  /** Lets running streams finish. */
  close(): void {
    this.pool.close().catch(() => undefined);
  }

  async destroy(): Promise<void> {
    await this.pool.destroy();
  }
}
