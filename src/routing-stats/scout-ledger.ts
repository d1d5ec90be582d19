interface ScoutEntry {
  inFlight: number;
  /** Scouts in a row that gave no sample. */
  vain: number;
  barredUntil: number;
}

const FIRST_BAR_MS = 30_000;

/**
 * Scouts under way, and arms that must not be scouted for a while: a scout that gave no sample bars its arm for
 * 30 s, doubling up to one half-life, until a sample comes. Else a broken route, having the least mass
 * of all, would draw every scout.
 */
export class ScoutLedger {
  private readonly entries = new Map<string, ScoutEntry>();

  constructor(private readonly halfLifeMs: number) {}

  inFlight(signature: string): number {
    return this.entries.get(signature)?.inFlight ?? 0;
  }

  isBarred(signature: string, now: number): boolean {
    return now < (this.entries.get(signature)?.barredUntil ?? -Infinity);
  }

  started(signature: string): void {
    const entry = this.entries.get(signature) ?? { inFlight: 0, vain: 0, barredUntil: -Infinity };
    entry.inFlight += 1;
    this.entries.set(signature, entry);
  }

  ended(signature: string, gaveSample: boolean, now: number): void {
    const entry = this.entries.get(signature);
    if (entry === undefined) return;
    entry.inFlight -= 1;
    if (!gaveSample) {
      entry.barredUntil = now + Math.min(FIRST_BAR_MS * 2 ** entry.vain, this.halfLifeMs);
      entry.vain += 1;
    }
    this.dropIfIdle(signature, entry, now);
  }

  /** Any sample of the route lifts its bar. */
  sampled(signature: string, now: number): void {
    const entry = this.entries.get(signature);
    if (entry === undefined) return;
    entry.vain = 0;
    entry.barredUntil = -Infinity;
    this.dropIfIdle(signature, entry, now);
  }

  /** Forgets bars that have been over for a half-life. */
  prune(now: number): void {
    for (const [signature, entry] of this.entries) this.dropIfIdle(signature, entry, now);
  }

  get size(): number {
    return this.entries.size;
  }

  private dropIfIdle(signature: string, entry: ScoutEntry, now: number): void {
    if (entry.inFlight === 0 && now >= entry.barredUntil + this.halfLifeMs) this.entries.delete(signature);
  }
}
