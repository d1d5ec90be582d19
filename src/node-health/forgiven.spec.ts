import { describe, expect, it } from '@jest/globals';
import {
  afterDetour,
  afterFailure,
  afterForgiven,
  afterWaiting,
  CLOSED_BREAKER,
  withProbe,
  type Breaker,
} from './breaker.js';

function afterFailures(count: number, mayOpen = true): Breaker {
  let breaker = CLOSED_BREAKER;
  for (let n = 0; n < count; n += 1) breaker = afterFailure(breaker, mayOpen);
  return breaker;
}

describe('a breaker whose failure is taken back', () => {
  it('counts one failure fewer while it is closed', () => {
    expect(afterForgiven(afterFailures(2))).toEqual(afterFailures(1));
    expect(afterForgiven(afterFailures(1))).toEqual(CLOSED_BREAKER);
    expect(afterForgiven(CLOSED_BREAKER)).toEqual(CLOSED_BREAKER);
  });

  it('closes where it would not have opened without that failure', () => {
    const open = afterFailures(3);
    expect(afterForgiven(open)).toEqual(afterFailures(2));
    expect(afterForgiven(afterWaiting(open))).toEqual(afterFailures(2));
    expect(afterForgiven(withProbe(afterWaiting(open)))).toEqual(afterFailures(2));
  });

  it('opens again by the next failure, for the first time’s 15 s', () => {
    expect(afterFailure(afterForgiven(afterFailures(3)), true)).toMatchObject({
      state: 'open',
      openMs: 15_000,
    });
  });

  it('stays open where three failures are left', () => {
    const open = afterFailures(4);
    expect(afterForgiven(open)).toEqual({ ...open, failuresInRow: 3 });
    expect(afterForgiven(afterForgiven(open)).state).toBe('closed');
  });

  it('stays closed where its model could not spare the node', () => {
    expect(afterForgiven(afterFailures(5, false))).toEqual(afterFailures(4, false));
  });

  it('stays open where a detour opened it, since no failure did', () => {
    const open = afterDetour(afterFailures(1), true);
    expect(afterForgiven(open)).toMatchObject({ state: 'open', openMs: 15_000 });
  });
});
