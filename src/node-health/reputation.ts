/** Decayed counts of what went well on a node and what it did wrong. */
export interface Track {
  readonly ok: number;
  readonly failed: number;
  /** Monotonic ms at which the counts were true. */
  readonly at: number;
}

export const CLEAN_TRACK: Track = { ok: 0, failed: 0, at: 0 };

/** What is left of the counts: both are halved every half-life. */
function shareLeft(track: Track, now: number, halfLifeMs: number): number {
  return 2 ** (-Math.max(0, now - track.at) / halfLifeMs);
}

export function withSuccess(track: Track, now: number, halfLifeMs: number): Track {
  const share = shareLeft(track, now, halfLifeMs);
  return { ok: track.ok * share + 1, failed: track.failed * share, at: now };
}

export function withFailure(track: Track, now: number, halfLifeMs: number): Track {
  const share = shareLeft(track, now, halfLifeMs);
  return { ok: track.ok * share, failed: track.failed * share + 1, at: now };
}

/** Decayed success share in (0, 1], 1 where nothing is known: `(ok + 1) / (ok + failed + 1)`. */
export function reputationOf(track: Track, now: number, halfLifeMs: number): number {
  const share = shareLeft(track, now, halfLifeMs);
  const ok = track.ok * share;
  return (ok + 1) / (ok + track.failed * share + 1);
}
