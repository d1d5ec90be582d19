const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next try, after so many that failed: doubling, up to half a minute. Pages that lost the
 * same tracker at once come back spread over the second half of it.
 *
 * @param dice in [0, 1)
 */
export function backOffMs(failures: number, dice: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return whole * (0.5 + dice / 2);
}
