import { isPrunable, recordSample, type Arm, type ArmSample } from './arm.js';

interface StoredArm {
  arm: Arm;
  /** No decision of the tracker's own ever led here. */
  pinnedOnly: boolean;
}

/** A client can pin any order of nodes; so many of such arms are kept per model. */
const MOST_PINNED_ONLY = 512;

/** Arms by model and signature, bounded. */
export class ArmStore {
  private readonly models = new Map<string, Map<string, StoredArm>>();

  constructor(private readonly halfLifeMs: number) {}

  get(model: string, signature: string): Arm | null {
    return this.models.get(model)?.get(signature)?.arm ?? null;
  }

  record(model: string, signature: string, sample: ArmSample, isPinned: boolean): void {
    const arms = this.models.get(model) ?? new Map<string, StoredArm>();
    this.models.set(model, arms);
    const stored = arms.get(signature);
    // What the next sweep will drop is gone for readers already.
    const before = stored === undefined || isPrunable(stored.arm, sample.at) ? undefined : stored;
    const arm = recordSample(before?.arm ?? null, sample, this.halfLifeMs);
    const pinnedOnly = isPinned && before?.pinnedOnly !== false;
    // Taken out and put in again: the map's order is then that of the newest samples.
    arms.delete(signature);
    arms.set(signature, { arm, pinnedOnly });
    if (pinnedOnly && before === undefined) this.boundPinned(arms);
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
    const oldest = pinned.length > MOST_PINNED_ONLY ? pinned[0] : undefined;
    if (oldest !== undefined) arms.delete(oldest[0]);
  }
}
