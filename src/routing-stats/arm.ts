/**
 * What is known of one route's speed: an average that newer samples weigh more in, and how much of a sample
 * is left in it. `(value, mass, at)` merges with another tracker's in any order (ADR-0021 "Storage").
 */
export interface Arm {
  /** End-to-end tokens/s. */
  readonly value: number;
  /** Samples' worth of evidence at `at`; one half-life later it is half. */
  readonly mass: number;
  /** Monotonic ms of the newest sample in it. */
  readonly at: number;
  /** The model's topology epoch at whose decision the newest-epoch samples were taken. */
  readonly epoch: number;
  /** Samples ever recorded. */
  readonly count: number;
}

/** One observation of a route. */
export interface ArmSample {
  readonly tps: number;
  /** 1, or less where tokens were only estimated. */
  readonly weight: number;
  readonly at: number;
  readonly epoch: number;
}

/** Below this mass an arm counts as forgotten. */
const PROVEN_MASS = 0.5;
/** Without a sample for so long, an arm is dropped. */
const PRUNE_AFTER_MS = 24 * 3_600_000;

export type ArmStatus = 'proven' | 'unsampled' | 'stale' | 'decayed';

/** `mass × 2^(-(now - at) / half-life)`; a clock that steps back adds nothing. */
export function massAt(arm: Arm, now: number, halfLifeMs: number): number {
  return now <= arm.at ? arm.mass : arm.mass * 2 ** ((arm.at - now) / halfLifeMs);
}

/**
 * Two arms of one route as one. The higher epoch wins; at equal epochs both are decayed to the later time and
 * added. Counts add. Commutative and associative, so samples of several trackers add up in any order.
 */
export function mergeArms(a: Arm, b: Arm, halfLifeMs: number): Arm {
  const count = a.count + b.count;
  if (a.epoch !== b.epoch) return { ...(a.epoch > b.epoch ? a : b), count };
  const at = Math.max(a.at, b.at);
  const massA = massAt(a, at, halfLifeMs);
  const massB = massAt(b, at, halfLifeMs);
  const mass = massA + massB;
  return { value: average(a.value, massA, b.value, massB), mass, at, epoch: a.epoch, count };
}

/** Rounding must not carry an average beyond what it is an average of. */
function average(a: number, massA: number, b: number, massB: number): number {
  const mass = massA + massB;
  if (mass === 0) return Math.max(a, b);
  const share = massA / mass;
  const value = a * share + b * (1 - share);
  return Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));
}

/**
 * `value = (value × mass(t) + x × w) / (mass(t) + w)`, `mass = mass(t) + w`. The first sample of a newer epoch
 * starts value and mass anew; one of an older epoch than the arm's is counted and changes nothing else.
 */
export function recordSample(arm: Arm | null, sample: ArmSample, halfLifeMs: number): Arm {
  const { tps: value, weight: mass, at, epoch } = sample;
  const single: Arm = { value, mass, at, epoch, count: 1 };
  return arm === null ? single : mergeArms(arm, single, halfLifeMs);
}

/** What an arm's mass counts for at most when its route gives nothing: five such chats in a row and it is decayed. */
const MOST_DOUBTED_MASS = 8;

/** The arm after a chat that its route gave nothing: half of its evidence is gone. */
export function halvedArm(arm: Arm, now: number, halfLifeMs: number): Arm {
  const mass = Math.min(massAt(arm, now, halfLifeMs), MOST_DOUBTED_MASS) / 2;
  return { ...arm, mass, at: Math.max(arm.at, now) };
}

/** Where the arm stands under the model's present epoch. */
export function statusOf(arm: Arm | null, modelEpoch: number, now: number, halfLifeMs: number): ArmStatus {
  return statusWith(arm, modelEpoch, arm === null ? 0 : massAt(arm, now, halfLifeMs));
}

/** @param mass what is left of it */
export function statusWith(arm: Arm | null, modelEpoch: number, mass: number): ArmStatus {
  if (arm === null || arm.count === 0) return 'unsampled';
  if (arm.epoch < modelEpoch) return 'stale';
  return mass < PROVEN_MASS ? 'decayed' : 'proven';
}

export function isPrunable(arm: Arm, now: number): boolean {
  return now - arm.at >= PRUNE_AFTER_MS;
}
