import { describe, expect, it } from '@jest/globals';
import { CallerAllowance } from './caller-allowance.js';

function allowance(concurrentCalls: number, requestsPerMinute: number): CallerAllowance {
  return new CallerAllowance({ concurrentCalls, requestsPerMinute });
}

describe('what a caller may ask', () => {
  it('is so many calls at once, each of which makes room when it is over', () => {
    const caller = allowance(2, 0);
    expect([caller.take(0), caller.take(0)]).toEqual([null, null]);
    expect(caller.take(0)).toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 1,
      message: expect.stringContaining('MESHNET_KEY_CONCURRENT_CALLS'),
    });
    caller.giveBack();
    expect(caller.take(0)).toBeNull();
    expect(caller.take(0)).not.toBeNull();
    expect(caller.headers(0)).toEqual({});
  });

  it('is so many requests a minute, however soon they are over', () => {
    const caller = allowance(0, 4);
    for (let sent = 0; sent < 4; sent += 1) {
      expect(caller.take(0)).toBeNull();
      caller.giveBack();
    }
    expect(caller.take(500)).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 15 });
    expect(caller.headers(500)).toEqual({
      'x-ratelimit-limit-requests': '4',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '59.5s',
    });
    expect(caller.take(15_000)).toBeNull();
    expect(caller.headers(59_999.5)['x-ratelimit-reset-requests']).toBe('15.001s');
    expect(caller.headers(74_999.2)['x-ratelimit-reset-requests']).toBe('1ms');
  });

  it('loses no request to a call that was one too many at once', () => {
    const caller = allowance(1, 2);
    caller.take(0);
    caller.take(0);
    expect(caller.headers(0)['x-ratelimit-remaining-requests']).toBe('1');
  });
});
