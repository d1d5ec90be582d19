/** What a node has given lately, as far as it decides how carefully its next answers are passed on. */
export interface Giving {
  /** Monotonic ms of the last completion; -Infinity: none yet. */
  readonly completedAt: number;
  /** Chats in a row since then that ended otherwise by its doing, or with a refusal. */
  readonly misses: number;
  /** As many of its next answers are held until they are whole. */
  readonly toHold: number;
}

export const GAVE_NOTHING: Giving = { completedAt: -Infinity, misses: 0, toHold: 0 };

/** A completion older than this proves nothing. */
const RECENT_MS = 600_000;
/** After this number of misses in a row a node has to prove itself again. */
const MOST_MISSES = 3;
/** Answers held until they are whole after one that was cut inside; a node that cuts every second one is always held. */
const HELD_AFTER_CUT = 4;
const MOST_HELD = 16;

export function afterCompletion(giving: Giving, now: number): Giving {
  return { completedAt: now, misses: 0, toHold: Math.max(0, giving.toHold - 1) };
}

/** @param isCut the client had seen part of the answer */
export function afterMiss(giving: Giving, isCut: boolean): Giving {
  const toHold = isCut ? Math.min(giving.toHold + HELD_AFTER_CUT, MOST_HELD) : giving.toHold;
  return { ...giving, misses: giving.misses + 1, toHold };
}

export function withoutMiss(giving: Giving): Giving {
  return { ...giving, misses: Math.max(0, giving.misses - 1) };
}

/** Whether a node's last attempts in a row gave no completion, three or more of them. */
export function isFailing({ misses }: Giving): boolean {
  return misses >= MOST_MISSES;
}

/** Whether what a node refuses, or answers without content, needs a second opinion: it has no recent completion. */
export function isUnproven({ completedAt, misses }: Giving, now: number): boolean {
  return misses >= MOST_MISSES || now - completedAt > RECENT_MS;
}
