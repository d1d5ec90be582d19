import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK, EventBus, QueueError, ShuttingDownError, type Cancel, type Clock } from '../kernel/index.js';
import { AdmissionService, Resting, type Admission, type Decision, type Full } from '../routing/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { LearningService, type Turn } from './learning.service.js';
import type { ClientAnswer } from './relay/client-answer.js';

export type { Turn };

/** Finds a route for a call as things stand; null when none is left for it. */
export type Decide = () => Decision | Full | Resting | null;

/** A call that wants a route. */
export interface Applicant {
  readonly model: string;
  readonly decide: Decide;
  /** No pin, no node to leave out: what one of these can't have, no other can. */
  readonly isPlain: boolean;
}

interface Waiter {
  readonly applicant: Applicant;
  /** Monotonic ms at which it has waited long enough. */
  readonly until: number;
  readonly resolve: (turn: Turn | null) => void;
  readonly reject: (fault: unknown) => void;
}

/** What is predicted falls with time, and nobody tells. */
const LOOK_AGAIN_MS = 1000;
const TOO_SLOW = 'The best route is slower than MESHNET_ADMISSION_SECONDS_PER_TOKEN allows';

/**
 * Who is next. A call gets a route and its ticket in one step, so that two can't take a node's last slot; when all
 * its routes are full or rest, or its model is over what admission allows, it waits, first in, first out per model, until a
 * ticket settles, the mesh changes, a rest ends or, for admission, a second has gone by. One that would wait for a rest longer
 * than the queue allows is refused at once. Calls that name their route and retries are not admission's.
 */
@Injectable()
export class TurnsService implements OnModuleDestroy {
  private readonly lines = new Map<string, Set<Waiter>>();
  private readonly freed = (): void => this.serveAll();
  private waiting = 0;
  private cancelLook: Cancel | null = null;

  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly learning: LearningService,
    @Inject(AdmissionService) private readonly admission: Admission,
    bus: EventBus,
  ) {
    bus.on('epoch.bumped', ({ model }) => this.serve(model));
    bus.on('breaker.changed', ({ model }) => this.serve(model));
    bus.on('node.resting', ({ model }) => this.serve(model));
  }

  onModuleDestroy(): void {
    for (const line of this.lines.values()) {
      for (const waiter of line) waiter.reject(new ShuttingDownError());
    }
  }

  get waitingCount(): number {
    return this.waiting;
  }

  /**
   * A route right now; 'full' when the call has to wait, be it only because others like it wait already.
   *
   * @throws QueueError when all routes rest for longer than the call may wait
   */
  take(applicant: Applicant): Turn | Full | null {
    if (applicant.isPlain && this.hasPlain(applicant.model)) return 'full';
    return this.tryTake(applicant, this.longestWaitMs);
  }

  /**
   * Waits for a route. Null when none is left for the call, or when its client left.
   *
   * @throws QueueError when the queue is as long, or the wait was, as the settings allow
   * @throws MeshnetError whatever `decide` throws meanwhile
   */
  async wait(applicant: Applicant, client: ClientAnswer): Promise<Turn | null> {
    if (client.left) return null;
    if (this.waiting >= this.settings.queueLength) {
      throw this.tooMany(applicant);
    }
    let cancel: Cancel = () => undefined;
    let leave: () => void = () => undefined;
    try {
      return await new Promise<Turn | null>((resolve, reject) => {
        const until = this.clock.now() + this.longestWaitMs;
        const waiter: Waiter = { applicant, until, resolve, reject };
        leave = () => this.leave(waiter);
        // Out of the line at once: nobody may take a ticket for a call that has gone.
        client.watch({
          onLeft: () => {
            leave();
            resolve(null);
          },
          onDrain: () => undefined,
          onFault: (fault) => {
            leave();
            waiter.reject(fault);
          },
        });
        cancel = this.clock.after(this.longestWaitMs, () => {
          leave();
          reject(this.tooLong(applicant));
        });
        this.join(waiter);
        this.serve(applicant.model);
      });
    } finally {
      cancel();
      leave();
      client.watch(null);
    }
  }

  /** Whoever waits without a pin waits for all nodes; one that waits for certain nodes keeps nobody off the others. */
  private hasPlain(model: string): boolean {
    return this.waiting > 0 && [...(this.lines.get(model) ?? [])].some(({ applicant }) => applicant.isPlain);
  }

  private get longestWaitMs(): number {
    return this.settings.queueSeconds * 1000;
  }

  /** @param patienceMs how long the call may still wait */
  private tryTake(applicant: Applicant, patienceMs: number): Turn | Full | null {
    if (this.isHeldBack(applicant)) return 'full';
    const decision = applicant.decide();
    if (decision === null || decision === 'full') return decision;
    if (decision instanceof Resting) {
      if (decision.leastMs <= patienceMs) return 'full';
      throw allRest(decision);
    }
    // However its attempt goes, a slot is free after it.
    return this.learning.open(decision, this.freed);
  }

  private join(waiter: Waiter): void {
    const { model } = waiter.applicant;
    const line = this.lines.get(model) ?? new Set();
    this.lines.set(model, line);
    line.add(waiter);
    this.waiting += 1;
    if (this.admission.isOn) this.lookAgain();
  }

  private leave(waiter: Waiter): void {
    const { model } = waiter.applicant;
    const line = this.lines.get(model);
    if (line?.delete(waiter) !== true) return;
    this.waiting -= 1;
    if (line.size === 0) this.lines.delete(model);
    if (this.waiting === 0) this.stopLooking();
  }

  /** A slot was freed; its server may serve other models too. */
  private serveAll(): void {
    if (this.waiting > 0) for (const model of [...this.lines.keys()]) this.serve(model);
  }

  private serve(model: string): void {
    const now = this.clock.now();
    let isPlainFull = false;
    for (const waiter of [...(this.lines.get(model) ?? [])]) {
      const { applicant } = waiter;
      if (applicant.isPlain && isPlainFull) continue;
      try {
        const turn = this.tryTake(applicant, waiter.until - now);
        if (turn === 'full') {
          isPlainFull ||= applicant.isPlain;
          continue;
        }
        this.leave(waiter);
        waiter.resolve(turn);
      } catch (fault) {
        this.leave(waiter);
        waiter.reject(fault);
      }
    }
  }

  private lookAgain(): void {
    this.cancelLook ??= this.clock.after(LOOK_AGAIN_MS, () => {
      this.cancelLook = null;
      this.serveAll();
      if (this.waiting > 0) this.lookAgain();
    });
  }

  private stopLooking(): void {
    this.cancelLook?.();
    this.cancelLook = null;
  }

  private tooMany(applicant: Applicant): QueueError {
    const message = this.isHeldBack(applicant)
      ? `${TOO_SLOW}, and the queue is full (MESHNET_QUEUE_LENGTH).`
      : 'Every node is full, and so is the queue (MESHNET_QUEUE_LENGTH).';
    return new QueueError(message, 'queue_full');
  }

  private tooLong(applicant: Applicant): QueueError {
    const seconds = String(this.settings.queueSeconds);
    const message = this.isHeldBack(applicant)
      ? `${TOO_SLOW}, and was for ${seconds} s (MESHNET_QUEUE_SECONDS).`
      : `Every node was full for ${seconds} s (MESHNET_QUEUE_SECONDS).`;
    return new QueueError(message, 'queue_timeout');
  }

  private isHeldBack({ model, isPlain }: Applicant): boolean {
    return isPlain && this.admission.isOver(model);
  }
}

function allRest({ leastMs }: Resting): QueueError {
  const seconds = Math.max(1, Math.ceil(leastMs / 1000));
  const message = `The nodes of every route asked to get no chats for now; the first route is back in ${String(seconds)} s.`;
  return new QueueError(message, 'nodes_resting', seconds);
}
