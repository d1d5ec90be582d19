import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Subscription } from 'rxjs';
import {
  CLOCK,
  EventBus,
  OverloadedError,
  ShuttingDownError,
  type Cancel,
  type Clock,
  type MeshEvent,
  type MeshEventType,
} from '../kernel/index.js';

const SHOWN_TYPES = [
  'route.selected',
  'call.finished',
  'epoch.bumped',
  'node.joined',
  'node.left',
  'breaker.changed',
  'node.resting',
  'nodes_file.read',
  'nodes_file.refused',
] as const satisfies readonly MeshEventType[];
/** What watchers are told of. */
export type ShownEventType = (typeof SHOWN_TYPES)[number];
const SHOWN: ReadonlySet<MeshEventType> = new Set(SHOWN_TYPES);
const MOST_WATCHERS = 256;
/** A watcher that has so much unread is too slow to be told everything. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** Keeps proxies in between from cutting a quiet stream. */
const COMMENT_EVERY_MS = 15_000;

/** Tells watchers what happens, as SSE. */
@Injectable()
export class EventsService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly watchers = new Set<ServerResponse>();
  /** Only while anybody watches: every call would be told of for nothing. */
  private told: Subscription | null = null;
  private cancelComment: Cancel | null = null;
  private sequence = 0;
  private isOver = false;

  constructor(
    private readonly bus: EventBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws OverloadedError | ShuttingDownError when too many are watching, or the service goes down */
  watch(response: ServerResponse): void {
    // It left while its request was still on its way through Nest; its `close` has been.
    if (response.destroyed || response.req.socket.destroyed) return;
    if (this.isOver) throw new ShuttingDownError();
    const connection = response.req.socket;
    // A second one, sent behind the first, would wait for an end that never comes, and take a place for it.
    if ([...this.watchers].some(({ req }) => req.socket === connection)) {
      throw new OverloadedError('This connection has an event stream already, which does not end.');
    }
    if (this.watchers.size >= MOST_WATCHERS) {
      throw new OverloadedError('Too many event streams are open.');
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.write(': watching\n\n');
    this.watchers.add(response);
    this.told ??= this.bus.all().subscribe((event) => this.tell(event));
    const leave = (): void => this.left(response);
    response.on('close', leave);
    // The answer may never be told of a connection that dies before its turn.
    connection.once('close', leave);
    this.cancelComment ??= this.commentLater();
  }

  get watcherCount(): number {
    return this.watchers.size;
  }

  beforeApplicationShutdown(): void {
    this.endAll();
  }

  onModuleDestroy(): void {
    this.endAll();
    this.cancelComment?.();
  }

  /** The service goes down; a stream that has no end must not hold it up. */
  endAll(): void {
    this.isOver = true;
    this.endWatchers();
  }

  /** Whoever watches has to ask again. */
  endWatchers(): void {
    for (const watcher of this.watchers) watcher.end();
    this.watchers.clear();
    this.listenNoMore();
  }

  private left(watcher: ServerResponse): void {
    this.watchers.delete(watcher);
    if (this.watchers.size === 0) this.listenNoMore();
  }

  private listenNoMore(): void {
    this.told?.unsubscribe();
    this.told = null;
  }

  private tell(event: MeshEvent): void {
    if (!SHOWN.has(event.type)) return;
    this.sequence += 1;
    const { type, fact } = event;
    this.send(`id: ${String(this.sequence)}\nevent: ${type}\ndata: ${JSON.stringify(fact)}\n\n`);
  }

  private send(text: string): void {
    for (const watcher of this.watchers) {
      if (watcher.writableLength > MOST_UNREAD_BYTES) watcher.destroy();
      else watcher.write(text);
    }
  }

  private commentLater(): Cancel {
    return this.clock.after(COMMENT_EVERY_MS, () => {
      this.send(': still here\n\n');
      this.cancelComment = this.watchers.size === 0 ? null : this.commentLater();
    });
  }
}
