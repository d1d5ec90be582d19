/** How far a proof's time may be from the tracker's. */
export const WINDOW_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;
const MOST = 100_000;
const MOST_OF_WALLET = 1_000;

/** `used`: seen before. `too_old`: it may have been, but is no longer remembered. `full`: no room to remember it. */
export type NonceVerdict = 'fresh' | 'used' | 'too_old' | 'full';

interface WalletNonces {
  /** Time of each proof by its nonce. */
  readonly times: Map<string, number>;
  /** Proofs of an earlier time are not remembered any more, so they are not taken. */
  floorMs: number;
}

/**
 * Remembers nonces of proofs that were good, until their time is over. What is forgotten earlier, for want of room or
 * because the clock was set back, can't be told from a replay, so it is refused: whoever signs anew has a later time.
 * Who has many proofs pays with its own: a wallet may run into its own bound, and when all together have too many, only
 * wallets that have none yet are turned away.
 */
export class Nonces {
  private readonly ofWallet = new Map<string, WalletNonces>();
  private total = 0;
  private sweptAt = -Infinity;

  /** @param floorMs Unix ms; what was signed before may have been taken by a tracker that ran before this one */
  constructor(
    private floorMs: number,
    private readonly most = MOST,
    private readonly mostOfWallet = MOST_OF_WALLET,
  ) {}

  get size(): number {
    return this.total;
  }

  /** Takes a nonce of a proof that was found good and within {@link WINDOW_MS}; both times are Unix ms. */
  take(wallet: string, nonce: string, timeMs: number, nowMs: number): NonceVerdict {
    this.sweep(nowMs);
    const own = this.ofWallet.get(wallet) ?? { times: new Map<string, number>(), floorMs: -Infinity };
    if (own.times.has(nonce)) return 'used';
    if (timeMs < this.floorMs || timeMs < own.floorMs) return 'too_old';
    if (own.times.size >= this.mostOfWallet || this.total >= this.most) {
      if (own.times.size === 0) return 'full';
      this.forgetOldest(own);
      if (timeMs < own.floorMs) return 'too_old';
    }
    own.times.set(nonce, timeMs);
    this.ofWallet.set(wallet, own);
    this.total += 1;
    return 'fresh';
  }

  private forgetOldest(own: WalletNonces): void {
    const [oldest] = [...own.times].reduce((first, next) => (next[1] < first[1] ? next : first));
    own.floorMs = Math.max(own.floorMs, this.forget(own, oldest));
  }

  /** @returns the earliest time that is told from this one's */
  private forget(own: WalletNonces, nonce: string): number {
    const timeMs = own.times.get(nonce) ?? -Infinity;
    if (own.times.delete(nonce)) this.total -= 1;
    return timeMs + 1;
  }

  private sweep(nowMs: number): void {
    if (Math.abs(nowMs - this.sweptAt) < SWEEP_EVERY_MS && this.total < this.most) return;
    this.sweptAt = nowMs;
    for (const [wallet, own] of this.ofWallet) {
      for (const [nonce, timeMs] of own.times) {
        if (timeMs < nowMs - WINDOW_MS) this.floorMs = Math.max(this.floorMs, this.forget(own, nonce));
      }
      if (own.times.size === 0) this.ofWallet.delete(wallet);
    }
  }
}
