/** What the two threads of the paced sender share: which connections ("lines") are free, and when each was last asked. */

/** A stall of the target of 20 ms at 3000/s takes so many; those that find no free one are not sent, and counted. */
export const LINES = 64;

/** Places in `counters`: something that never changes, to sleep on; how many lines were given back so far. */
export const SLEEP = 0;
export const GIVEN_BACK = 1;

export function sharedLines() {
  const shared = (Type, length) => new Type(new SharedArrayBuffer(length * Type.BYTES_PER_ELEMENT));
  return {
    counters: shared(Int32Array, 2),
    /** A ring: what the reader gives back, the clock takes. No more than all of them are ever in it. */
    givenBack: shared(Int32Array, LINES),
    closed: shared(Uint8Array, LINES),
    dueAt: shared(Float64Array, LINES),
    sentAt: shared(Float64Array, LINES),
  };
}

/** ms → performance.now() of each thread counts from another moment; this is what to add for one that all share. */
export function clockOffset() {
  let least = Infinity;
  for (let look = 0; look < 1000; look += 1) {
    const mine = performance.now();
    least = Math.min(least, Number(process.hrtime.bigint()) / 1e6 - mine);
  }
  return least;
}
