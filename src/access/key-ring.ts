import { timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '../settings/index.js';

/** The keys of one role. */
export class KeyRing {
  constructor(private readonly keys: readonly NamedKey[]) {}

  get size(): number {
    return this.keys.length;
  }

  /** Compares with every key, whichever fits: how long it takes tells nothing. */
  nameOf(digest: Buffer): string | null {
    let found: string | null = null;
    for (const key of this.keys) if (timingSafeEqual(key.digest, digest)) found = key.name;
    return found;
  }

  /** Whether somebody who had a key before has none now. */
  lacksAnyOf(before: KeyRing): boolean {
    const digests = new Set(this.keys.map(({ digest }) => digest.toString('hex')));
    return before.keys.some(({ digest }) => !digests.has(digest.toString('hex')));
  }
}
