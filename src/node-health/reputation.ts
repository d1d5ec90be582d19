/** Decayed counts of what went well on a node and what it did wrong. */
export interface Track {
  readonly ok: number;
  readonly failed: number;
  /** Success share of about the last ten attempts that counted, in [0, 1]. It is not forgotten by time alone. */
  readonly recent: number;
  /** Monotonic ms at which the counts were true. */
  readonly at: number;
}

export const CLEAN_TRACK: Track = { ok: 0, failed: 0, recent: 1, at: 0 };

/** What one attempt weighs in the recent share. */
const RECENT_STEP = 0.2;
/** The recent share to this power is what a node's routes weigh: at nine of ten 0.43, at one of two 0.004. */
const STEEPNESS = 8;
/** However often a node fails, its routes keep a weight: where all fail, one has to be chosen. */
const LEAST_STEADINESS = 1e-9;

/** What is left of the counts: both are halved every half-life. */
function shareLeft(track: Track, now: number, halfLifeMs: number): number {
  return 2 ** (-Math.max(0, now - track.at) / halfLifeMs);
}

export function withSuccess(track: Track, now: number, halfLifeMs: number): Track {
  const share = shareLeft(track, now, halfLifeMs);
  const recent = track.recent + RECENT_STEP * (1 - track.recent);
  return { ok: track.ok * share + 1, failed: track.failed * share, recent, at: now };
}

export function withFailure(track: Track, now: number, halfLifeMs: number): Track {
  const share = shareLeft(track, now, halfLifeMs);
  const recent = track.recent * (1 - RECENT_STEP);
  return { ok: track.ok * share, failed: track.failed * share + 1, recent, at: now };
}

/** The track as if one failure of a moment ago had not been counted. */
export function withoutFailure(track: Track, now: number, halfLifeMs: number): Track {
  const share = shareLeft(track, now, halfLifeMs);
  const failed = Math.max(0, track.failed * share - 1);
  return { ok: track.ok * share, failed, recent: Math.min(1, track.recent / (1 - RECENT_STEP)), at: now };
}

/** What the routes of a node weigh among others, in (0, 1]: a steep function of its recent success share. */
export function steadinessOf({ recent }: Track): number {
  return Math.max(recent ** STEEPNESS, LEAST_STEADINESS);
}

/** Decayed success share in (0, 1], 1 where nothing is known: `(ok + 1) / (ok + failed + 1)`. */
export function reputationOf(track: Track, now: number, halfLifeMs: number): number {
  const share = shareLeft(track, now, halfLifeMs);
  const ok = track.ok * share;
  return (ok + 1) / (ok + track.failed * share + 1);
}
