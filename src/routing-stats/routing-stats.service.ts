import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK, EventBus, type Cancel, type Clock } from '../kernel/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService } from '../topology/index.js';
import { ArmStore } from './arm-store.js';
import { isPrunable, massAt, statusWith, type ArmStatus } from './arm.js';
import { ScoutLedger } from './scout-ledger.js';
import { YieldLedger } from './yield-ledger.js';

/** What is known of a route's speed now. */
export interface RouteEstimate {
  readonly status: ArmStatus;
  /** Learned tokens/s, or null where nothing was. */
  readonly tps: number | null;
  /** Evidence left, in samples. */
  readonly mass: number;
  readonly sampleCount: number;
  readonly lastSampleAt: number | null;
  readonly scoutsInFlight: number;
  /** Whether scouting it is barred for now. */
  readonly barred: boolean;
  /** Chats in a row that it gave neither a completion nor a counted failure; it is 0 again after a sample. */
  readonly nothings: number;
}

/** An accepted sample, with the decision it came from. */
export interface RouteSample {
  readonly model: string;
  readonly signature: string;
  readonly tps: number;
  readonly weight: number;
  /** The model's epoch when the route was chosen. */
  readonly epoch: number;
  readonly isPinned: boolean;
}

const PRUNE_EVERY_MS = 600_000;

/** Owns the arms: one decayed average of tokens/s per model and route. */
@Injectable()
export class RoutingStatsService implements OnModuleDestroy {
  private readonly arms: ArmStore;
  private readonly scouts: ScoutLedger;
  private readonly yields = new YieldLedger();
  private readonly halfLifeMs: number;
  private cancelPrune: Cancel;

  constructor(
    @Inject(ROUTING_SETTINGS) settings: RoutingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly topology: TopologyService,
    private readonly bus: EventBus,
  ) {
    this.halfLifeMs = settings.statsHalfLifeSeconds * 1000;
    this.arms = new ArmStore(this.halfLifeMs);
    this.scouts = new ScoutLedger(this.halfLifeMs);
    bus.on('model.forgotten', ({ model }) => {
      this.arms.forget(model);
      this.yields.forget(model);
    });
    this.cancelPrune = this.pruneLater();
  }

  onModuleDestroy(): void {
    this.cancelPrune();
  }

  /** @param epoch the model's present one */
  estimate(
    model: string,
    signature: string,
    epoch = this.topology.epoch(model),
    now = this.clock.now(),
  ): RouteEstimate {
    const stored = this.arms.get(model, signature);
    const arm = stored !== null && isPrunable(stored, now) ? null : stored;
    const mass = arm === null ? 0 : massAt(arm, now, this.halfLifeMs);
    return {
      status: statusWith(arm, epoch, mass),
      tps: arm?.value ?? null,
      mass,
      sampleCount: arm?.count ?? 0,
      lastSampleAt: arm?.at ?? null,
      scoutsInFlight: this.scouts.inFlight(signature),
      barred: this.scouts.isBarred(signature, now),
      nothings: this.yields.nothings(signature),
    };
  }

  record({ model, signature, tps, weight, epoch, isPinned }: RouteSample): void {
    const now = this.clock.now();
    const arm = this.arms.record(model, signature, { tps, weight, at: now, epoch }, isPinned);
    this.scouts.sampled(signature, now);
    this.yields.sampled(signature);
    this.bus.publish('sample.recorded', {
      model,
      signature,
      tps,
      weight,
      learned_tps: arm.value,
      at: this.clock.wallMs(),
    });
  }

  /** A chat got nothing of a route: half of its evidence is gone, and its prior counts no more until a sample. */
  gaveNothing(model: string, signature: string): void {
    const now = this.clock.now();
    this.yields.gaveNothing(signature, now);
    this.arms.halve(model, signature, now);
  }

  /** A chat got a completion of a route, be it a sample or not. */
  completed(signature: string): void {
    this.yields.completed(signature);
  }

  scoutStarted(signature: string): void {
    this.scouts.started(signature);
  }

  scoutEnded(signature: string, gaveSample: boolean): void {
    this.scouts.ended(signature, gaveSample, this.clock.now());
  }

  private pruneLater(): Cancel {
    return this.clock.after(PRUNE_EVERY_MS, () => {
      this.arms.prune(this.clock.now());
      this.scouts.prune(this.clock.now());
      this.yields.prune(this.clock.now());
      this.cancelPrune = this.pruneLater();
    });
  }
}
