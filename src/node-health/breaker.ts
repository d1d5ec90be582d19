/**
 * A node's circuit breaker. Three failures in a row open it for 15 s; then one probe call may go there. The probe's
 * success closes it, its failure opens it again for twice as long, up to 120 s.
 */
export interface Breaker {
  readonly state: BreakerState;
  readonly failuresInRow: number;
  /** How long it was opened for last, in ms; 0 since it was closed. */
  readonly openMs: number;
  /** Half-open: a probe is under way. */
  readonly isProbing: boolean;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

export const CLOSED_BREAKER: Breaker = { state: 'closed', failuresInRow: 0, openMs: 0, isProbing: false };

const FAILURES_TO_OPEN = 3;
const FIRST_OPEN_MS = 15_000;
const LONGEST_OPEN_MS = 120_000;

/** @param mayOpen false where the model can't spare the node; the failures still count */
export function afterFailure(breaker: Breaker, mayOpen: boolean): Breaker {
  const failuresInRow = breaker.failuresInRow + 1;
  // A call from before the opening, or one tried for want of anything better: nothing new.
  if (breaker.state === 'open') return { ...breaker, failuresInRow };
  if (failuresInRow < FAILURES_TO_OPEN || !mayOpen) return { ...breaker, failuresInRow, isProbing: false };
  return opened(breaker, failuresInRow);
}

/** Chats had better go elsewhere for a while, though the node did nothing wrong. */
export function afterDetour(breaker: Breaker, mayOpen: boolean): Breaker {
  const isOpening = mayOpen && breaker.state !== 'open';
  return isOpening ? opened(breaker, breaker.failuresInRow) : { ...breaker, isProbing: false };
}

function opened({ openMs: before }: Breaker, failuresInRow: number): Breaker {
  const openMs = Math.min(before === 0 ? FIRST_OPEN_MS : before * 2, LONGEST_OPEN_MS);
  return { state: 'open', failuresInRow, openMs, isProbing: false };
}

/** A failure was counted that was not the node's: it closes if it opened for fewer than it takes without that one. */
export function afterForgiven(breaker: Breaker): Breaker {
  const failuresInRow = Math.max(0, breaker.failuresInRow - 1);
  // One that opened with fewer did so for a detour, which is not forgiven by this.
  const didOpenIt = breaker.failuresInRow === FAILURES_TO_OPEN;
  return didOpenIt ? { ...CLOSED_BREAKER, failuresInRow } : { ...breaker, failuresInRow };
}

/** Any success proves the node, a probe's or not. */
export function afterSuccess(): Breaker {
  return CLOSED_BREAKER;
}

/** The time of an open one is over. */
export function afterWaiting(breaker: Breaker): Breaker {
  return breaker.state === 'open' ? { ...breaker, state: 'half_open', isProbing: false } : breaker;
}

/** A call goes to a half-open node: the one probe. */
export function withProbe(breaker: Breaker): Breaker {
  return { ...breaker, isProbing: true };
}

/** The probe is over. If it said nothing of the node (its client left), another one may try. */
export function withoutProbe(breaker: Breaker): Breaker {
  return { ...breaker, isProbing: false };
}

/** Whether a call should go elsewhere. */
export function isBlocking({ state, isProbing }: Breaker): boolean {
  return state === 'open' || (state === 'half_open' && isProbing);
}
