import { Observable, Subject } from 'rxjs';
import type { FinishedCall } from './finished-call.js';
import type { Logger } from './logger.js';

/** Why a node came or went. */
export type MembershipCause =
  | 'registered'
  | 'resharded'
  | 'resumed'
  | 'deregistered'
  | 'lease_expired'
  | 'drained'
  | 'deleted'
  | 'endpoint_taken';

/** A node became, or stopped being, one that chats may go to. Without a shard it serves the whole model. */
export interface NodeMoved {
  readonly model: string;
  readonly node_id: string;
  readonly shard_start: number | null;
  readonly shard_end: number | null;
  readonly cause: MembershipCause;
  readonly at: number;
}

/** Pauses between the content events of a stream. */
export interface GapCounts {
  /** One count for each of the calls room's bounds, and one for longer pauses. */
  readonly counts: readonly number[];
  readonly sum_seconds: number;
}

/** Every past fact that a room may announce, by name. `at` is Unix time in milliseconds. */
export interface MeshEvents {
  'node.joined': NodeMoved;
  'node.left': NodeMoved;
  /** A registration replaced an earlier one of the same node and shard. No epoch changes by that. */
  'node.registered_again': { model: string; node_id: string; at: number };
  'epoch.bumped': { model: string; epoch: number; node_id: string; cause: MembershipCause; at: number };
  /** A node's circuit breaker opened, let a probe through or closed. No epoch changes by that. */
  'breaker.changed': { model: string; node_id: string; from: string; to: string; at: number };
  /** A node asked for no chats for this many `seconds`, or its rest is over (0). No epoch changes by that. */
  'node.resting': { model: string; node_id: string; seconds: number; at: number };
  /** The model's last node left over a day ago; whoever keeps state for it drops that. */
  'model.forgotten': { model: string; at: number };
  'route.selected': {
    request_id: string;
    model: string;
    routing: { mode: string; signature: string; probability: number };
    attempt: number;
    at: number;
  };
  'call.finished': { request_id: string; model: string; call: FinishedCall; at: number };
  /** What is counted of a call that has just ended and stands in no record of it. */
  'call.measured': { model: string; token_gaps: GapCounts | null; scout_seconds: number | null };
  /** A chat got no route and waited for none: no call tells of it. `model` is null unless the mesh knows it. */
  'chat.turned_away': { request_id: string; model: string | null; code: string; status: number; at: number };
  /** A route's arm took a sample in; `learned_tps` is what it holds after it. */
  'sample.recorded': {
    model: string;
    signature: string;
    tps: number;
    weight: number;
    learned_tps: number;
    at: number;
  };
  'nodes_file.read': { entries: number; at: number };
  /** The nodes file has faults; what was read before stays. */
  'nodes_file.refused': { faults: number; at: number };
}

export type MeshEventType = keyof MeshEvents;
export type MeshEvent = { [T in MeshEventType]: { type: T; fact: MeshEvents[T] } }[MeshEventType];

type Handler = (fact: unknown) => void;

const NOBODY: readonly Handler[] = [];

/**
 * The typed bus. Delivery is synchronous: when `publish` returns, every observer has seen the event. What an
 * observer publishes meanwhile is delivered after the event that caused it, so that all see one order.
 * Observers can't publish by mistake, and one that throws harms nobody else.
 *
 * Handlers are called straight from a list for each type: several of them hear of every call, and an operator of RxJS for
 * each costs more than what most of them do.
 */
export class EventBus {
  /** Who sees all events. */
  private readonly subject = new Subject<MeshEvent>();
  private readonly closing = new Subject<never>();
  /** By type, in the order in which they came. A list that is being gone through is never changed. */
  private readonly handlers = new Map<MeshEventType, readonly Handler[]>();
  private readonly waiting: MeshEvent[] = [];
  private delivering = false;
  private isClosed = false;

  constructor(private readonly logger: Logger) {}

  publish<T extends MeshEventType>(type: T, fact: MeshEvents[T]): void {
    if (this.delivering) {
      this.waiting.push({ type, fact } as MeshEvent);
      return;
    }
    this.delivering = true;
    try {
      this.deliver(type, fact);
      for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
        this.deliver(event.type, event.fact);
      }
    } finally {
      this.delivering = false;
    }
  }

  /** Whether anybody would be told: what nobody hears of need not be put together. */
  isHeard(type: MeshEventType): boolean {
    return this.subject.observed || this.handlersOf(type).length > 0;
  }

  /** All events, in the order in which they happened. An observer of this one must not throw. */
  all(): Observable<MeshEvent> {
    return this.subject.asObservable();
  }

  ofType<T extends MeshEventType>(type: T): Observable<MeshEvents[T]> {
    return new Observable<MeshEvents[T]>((observer) => {
      const tell = (fact: unknown): void => observer.next(fact as MeshEvents[T]);
      const closing = this.closing.subscribe({ complete: () => observer.complete() });
      this.add(type, tell);
      return () => {
        closing.unsubscribe();
        this.remove(type, tell);
      };
    });
  }

  /** Calls `observe` for each event until the bus closes; an observer that throws is logged and kept. */
  on<T extends MeshEventType>(type: T, observe: (fact: MeshEvents[T]) => void): void {
    this.add(type, (fact) => {
      try {
        observe(fact as MeshEvents[T]);
      } catch (fault) {
        this.logger.error({ err: fault, event_type: type }, 'bus.observer_failed');
      }
    });
  }

  /** Completes every observer; the service is going down. */
  close(): void {
    this.isClosed = true;
    this.handlers.clear();
    this.subject.complete();
    this.closing.complete();
  }

  private deliver(type: MeshEventType, fact: unknown): void {
    if (this.subject.observed) this.subject.next({ type, fact } as MeshEvent);
    for (const tell of this.handlersOf(type)) {
      if (this.isClosed) return;
      tell(fact);
    }
  }

  private handlersOf(type: MeshEventType): readonly Handler[] {
    return this.handlers.get(type) ?? NOBODY;
  }

  private add(type: MeshEventType, tell: Handler): void {
    if (!this.isClosed) this.handlers.set(type, [...this.handlersOf(type), tell]);
  }

  private remove(type: MeshEventType, tell: Handler): void {
    this.handlers.set(
      type,
      this.handlersOf(type).filter((each) => each !== tell),
    );
  }
}
