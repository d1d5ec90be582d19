/** Seeded dice (mulberry32) of the simulated world. The tracker's own dice are the kernel's. */
export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    normal,
    between: (low, high) => low + (high - low) * next(),
    exponential: (mean) => -mean * Math.log(1 - next()),
    whole: (below) => Math.floor(next() * below),
  };
}

/** A seed of several numbers, so that worlds differ by all of them. */
export function seedOf(...numbers) {
  return numbers.reduce((mixed, number) => Math.imul(mixed ^ (number + 0x9e3779b9), 0x85ebca6b) >>> 0, 1);
}
