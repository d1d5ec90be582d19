const MINUTE_MS = 60_000;
/** Of the time between two requests: sums of times are a little off. */
const ROUNDING = 1e-3;

/**
 * So many requests a minute, kept as one number: when the bucket is full again (the generic cell rate algorithm of
 * ITU-T I.371). A full bucket is good for a minute's requests at once; then they come back evenly.
 */
export class RequestBucket {
  private readonly stepMs: number;
  private fullAtMs = 0;

  constructor(readonly perMinute: number) {
    this.stepMs = MINUTE_MS / perMinute;
  }

  /** @returns whether one was left */
  take(nowMs: number): boolean {
    if (this.msUntilNext(nowMs) > 0) return false;
    this.fullAtMs = Math.max(this.fullAtMs, nowMs) + this.stepMs;
    return true;
  }

  remaining(nowMs: number): number {
    return Math.floor((MINUTE_MS - this.msUntilFull(nowMs)) / this.stepMs + ROUNDING);
  }

  /** 0: one is left. */
  msUntilNext(nowMs: number): number {
    const ms = this.msUntilFull(nowMs) + this.stepMs - MINUTE_MS;
    return ms > this.stepMs * ROUNDING ? ms : 0;
  }

  msUntilFull(nowMs: number): number {
    return Math.max(0, this.fullAtMs - nowMs);
  }
}
