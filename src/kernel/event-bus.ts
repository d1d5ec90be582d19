import { Subject, type Observable } from 'rxjs';
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
  'epoch.bumped': { model: string; epoch: number; node_id: string; cause: MembershipCause; at: number };
  /** A node's circuit breaker opened, let a probe through or closed. No epoch changes by that. */
  'breaker.changed': { model: string; node_id: string; from: string; to: string; at: number };
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

/**
 * The typed bus. Delivery is synchronous: when `publish` returns, every observer has seen the event. What an
 * observer publishes meanwhile is delivered after the event that caused it, so that all see one order.
 * The Subject stays private; observers can't publish by mistake, and one that throws harms nobody else.
 */
export class EventBus {
  private readonly subject = new Subject<MeshEvent>();
  /** One more for each type that somebody listens to: most events concern few of many observers. */
  private readonly subjects = new Map<MeshEventType, Subject<unknown>>();
  private readonly waiting: MeshEvent[] = [];
  private delivering = false;
  private isClosed = false;

  constructor(private readonly logger: Logger) {}

  publish<T extends MeshEventType>(type: T, fact: MeshEvents[T]): void {
    this.waiting.push({ type, fact } as MeshEvent);
    if (this.delivering) return;
    this.delivering = true;
    try {
      for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
        this.subject.next(event);
        this.subjects.get(event.type)?.next(event.fact);
      }
    } finally {
      this.delivering = false;
    }
  }

  /** All events, in the order in which they happened. An observer of this one must not throw. */
  all(): Observable<MeshEvent> {
    return this.subject.asObservable();
  }

  ofType<T extends MeshEventType>(type: T): Observable<MeshEvents[T]> {
    let subject = this.subjects.get(type);
    if (subject === undefined) {
      subject = new Subject<unknown>();
      this.subjects.set(type, subject);
      if (this.isClosed) subject.complete();
    }
    return subject.asObservable() as Observable<MeshEvents[T]>;
  }

  /** Calls `observe` for each event until the bus closes; an observer that throws is logged and kept. */
  on<T extends MeshEventType>(type: T, observe: (fact: MeshEvents[T]) => void): void {
    this.ofType(type).subscribe((fact) => {
      try {
        observe(fact);
      } catch (fault) {
        this.logger.error({ err: fault, event_type: type }, 'bus.observer_failed');
      }
    });
  }

  /** Completes every observer; the service is going down. */
  close(): void {
    this.isClosed = true;
    this.subject.complete();
    for (const subject of this.subjects.values()) subject.complete();
  }
}
