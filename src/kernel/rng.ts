import { randomInt } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A draw from [0, 1). */
export type Rng = () => number;

/** Injection token of the {@link Rng}. */
export const RNG = Symbol('Rng');

/** xoroshiro128+ from `seed` (an integer); without one, from a seed nobody can foresee. */
export function seededRng(seed: number | null): Rng {
  const generator = xoroshiro128plus(seed ?? randomInt(2 ** 32));
  return () => uniformFloat64(generator);
}
