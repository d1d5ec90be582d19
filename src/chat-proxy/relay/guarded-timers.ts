import type { Clock } from '../../kernel/index.js';

/** The same clock; what its timers throw goes to `onFault`, where nobody else would catch it. */
export function guardTimers(clock: Clock, onFault: (fault: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    wallMs: () => clock.wallMs(),
    after: (delayMs, act) =>
      clock.after(delayMs, () => {
        try {
          act();
        } catch (fault) {
          onFault(fault);
        }
      }),
  };
}
