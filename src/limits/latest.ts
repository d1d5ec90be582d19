/** What is kept for each key, of so many keys at most: the one asked for longest ago goes first. */
export class Latest<T> {
  private readonly entries = new Map<string, T>();

  constructor(
    private readonly most: number,
    private readonly begin: () => T,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  of(key: string): T {
    const known = this.entries.get(key);
    const entry = known ?? this.begin();
    if (known !== undefined) this.entries.delete(key);
    else if (this.entries.size >= this.most) this.dropOldest();
    this.entries.set(key, entry);
    return entry;
  }

  private dropOldest(): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
