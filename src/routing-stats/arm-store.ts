import { halvedArm, isPrunable, recordSample, type Arm, type ArmSample } from './arm.js';

interface StoredArm {
  arm: Arm;
  /** No decision of the tracker's own ever led here. */
  pinnedOnly: boolean;
  /** Higher for those sampled later. */
  sampled: number;
}

/** A client can pin any order of nodes; so many of such arms are kept per model. */
const MOST_PINNED_ONLY = 512;
/** Past full nodes a mesh has many routes in a day; a model keeps this many arms. */
const MOST_ARMS = 4096;

/** Arms by model and signature, bounded. */
export class ArmStore {
  private readonly models = new Map<string, Map<string, StoredArm>>();
  private samples = 0;

  constructor(private readonly halfLifeMs: number) {}

  get(model: string, signature: string): Arm | null {
    return this.models.get(model)?.get(signature)?.arm ?? null;
  }

  /** @returns the arm as it is then */
  record(model: string, signature: string, sample: ArmSample, isPinned: boolean): Arm {
    const arms = this.models.get(model) ?? this.begin(model);
    const stored = arms.get(signature);
    // What the next sweep will drop is gone for readers already.
    const before = stored === undefined || isPrunable(stored.arm, sample.at) ? undefined : stored;
    const arm = recordSample(before?.arm ?? null, sample, this.halfLifeMs);
    const pinnedOnly = isPinned && before?.pinnedOnly !== false;
    this.samples += 1;
    if (stored === undefined) arms.set(signature, { arm, pinnedOnly, sampled: this.samples });
    else {
      stored.arm = arm;
      stored.pinnedOnly = pinnedOnly;
      stored.sampled = this.samples;
    }
    if (pinnedOnly && before === undefined) this.boundPinned(arms);
    if (arms.size > MOST_ARMS) dropOldest(arms, [...arms]);
    return arm;
  }

  /** Halves the evidence of a route, where there is any. */
  halve(model: string, signature: string, now: number): void {
    const stored = this.models.get(model)?.get(signature);
    if (stored !== undefined) stored.arm = halvedArm(stored.arm, now, this.halfLifeMs);
  }

  forget(model: string): void {
    this.models.delete(model);
  }

  /** Drops arms without a sample for a day. */
  prune(now: number): void {
    for (const [model, arms] of this.models) {
      for (const [signature, { arm }] of arms) if (isPrunable(arm, now)) arms.delete(signature);
      if (arms.size === 0) this.models.delete(model);
    }
  }

  private boundPinned(arms: Map<string, StoredArm>): void {
    const pinned = [...arms].filter(([, { pinnedOnly }]) => pinnedOnly);
    if (pinned.length <= MOST_PINNED_ONLY) return;
    dropOldest(arms, pinned);
  }

  private begin(model: string): Map<string, StoredArm> {
    const arms = new Map<string, StoredArm>();
    this.models.set(model, arms);
    return arms;
  }
}

/** Drops the one that was sampled longest ago. */
function dropOldest(arms: Map<string, StoredArm>, among: readonly (readonly [string, StoredArm])[]): void {
  const [oldest] = among.reduce((a, b) => (a[1].sampled < b[1].sampled ? a : b));
  arms.delete(oldest);
}
