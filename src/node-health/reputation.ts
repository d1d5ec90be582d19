/** Decayed counts of what went well on a node and what it did wrong. */
export interface Track {
  readonly ok: number;
  readonly failed: number;
  /** Monotonic ms at which the counts were true. */
  readonly at: number;
}

export const CLEAN_TRACK: Track = { ok: 0, failed: 0, at: 0 };

/** Both counts halved every half-life. */
function decayed(track: Track, now: number, halfLifeMs: number): Track {
  const share = 2 ** (-Math.max(0, now - track.at) / halfLifeMs);
  return { ok: track.ok * share, failed: track.failed * share, at: now };
}

export function withSuccess(track: Track, now: number, halfLifeMs: number): Track {
  const past = decayed(track, now, halfLifeMs);
  return { ...past, ok: past.ok + 1 };
}

export function withFailure(track: Track, now: number, halfLifeMs: number): Track {
  const past = decayed(track, now, halfLifeMs);
  return { ...past, failed: past.failed + 1 };
}

/** Decayed success share in (0, 1], 1 where nothing is known: `(ok + 1) / (ok + failed + 1)`. */
export function reputationOf(track: Track, now: number, halfLifeMs: number): number {
  const { ok, failed } = decayed(track, now, halfLifeMs);
  return (ok + 1) / (ok + failed + 1);
}
