const REMEMBERED = 100;

/** Which routes the latest choices fell on. */
export class RecentChoices {
  /** A ring: the next one overwrites the oldest. */
  private readonly signatures: string[] = [];
  private next = 0;

  add(signature: string): void {
    this.signatures[this.next] = signature;
    this.next = (this.next + 1) % REMEMBERED;
  }

  /** By signature; they sum to 1 unless nothing was chosen yet. */
  shares(): ReadonlyMap<string, number> {
    const shares = new Map<string, number>();
    const each = 1 / this.signatures.length;
    for (const signature of this.signatures) shares.set(signature, (shares.get(signature) ?? 0) + each);
    return shares;
  }
}
