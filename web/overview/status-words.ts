import type { RouteStatus } from '../api/types.js';

export interface StatusWords {
  readonly tone: 'good' | 'accent' | 'warn' | 'idle';
  readonly meaning: string;
}

/** What each status says of a route, for people. */
export const STATUS_WORDS: Record<RouteStatus, StatusWords> = {
  proven: {
    tone: 'good',
    meaning: 'Measured lately and in this epoch: takes traffic in proportion to its speed.',
  },
  unsampled: {
    tone: 'accent',
    meaning: 'Never measured. Scouts try it; until then only its prior is known.',
  },
  stale: {
    tone: 'warn',
    meaning:
      'Measured before the nodes last changed. Its old speed is shown, but it must prove itself again.',
  },
  decayed: {
    tone: 'idle',
    meaning: 'Measured too long ago: what its samples weigh fell under a half. Scouts will look again.',
  },
};

/** Id of the hidden text that says what a status means. */
export function meaningId(status: RouteStatus): string {
  return `means-${status}`;
}
