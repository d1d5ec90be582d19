import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL, span } from '../support/builders.js';
import type { RoomOptions } from '../support/rooms.js';
import { TimedCalls } from '../support/timed-calls.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

/** Whole-model nodes that all declared the same. */
function mesh(wallets: readonly string[], options: RoomOptions = {}): TimedCalls {
  const calls = new TimedCalls(options);
  for (const wallet of wallets) calls.rooms.join({ wallet, throughputTps: 10 });
  return calls;
}

function countOf(wallets: readonly string[], wallet: string): number {
  return wallets.filter((each) => each === wallet).length;
}

describe('the tracker, by least-expected-delay', () => {
  it.each([true, false])('finds the fast one of two that declared the same (streams: %s)', (isStream) => {
    const calls = mesh(['fast', 'slow'], { routing: { controlShare: 0 } });
    Object.assign(calls.secondsPerToken, { fast: 0.02, slow: 0.2 });
    calls.sequence(6, { isStream });
    expect(countOf(calls.sequence(50, { isStream }), 'fast')).toBeGreaterThanOrEqual(45);
  });

  it('learns of hops apart: a tail that was only seen behind one head is known behind the other', () => {
    const calls = new TimedCalls({ routing: { controlShare: 0, exploreShare: 0, enumeration: 'diverse' } });
    for (const wallet of ['head', 'other']) {
      calls.rooms.join({ wallet, shard: span(0, 1), numLayers: 4, throughputTps: 10 });
    }
    for (const wallet of ['good', 'bad']) {
      calls.rooms.join({ wallet, shard: span(2, 3), numLayers: 4, throughputTps: 10 });
    }
    Object.assign(calls.secondsPerToken, { head: 0.02, other: 0.02, good: 0.02, bad: 0.5 });
    for (const tail of ['good:2-3', 'bad:2-3']) calls.sequence(3, { pin: ['head:0-1', tail] });
    const table = calls.rooms.table.tables(MODEL)[0]!.candidates;
    const secondsOf = (tail: string): number[] =>
      table
        .filter(({ signature }) => signature.endsWith(`other:0-1[0-1]->${tail}:2-3[2-3]`))
        .map(({ predicted_seconds_200: seconds }) => seconds ?? NaN);
    expect(secondsOf('good')[0]).toBeLessThan(secondsOf('bad')[0]! / 2);
  });

  it('comes back to a node that has recovered', () => {
    const calls = new TimedCalls({ routing: { controlShare: 0 } });
    calls.rooms.join({ wallet: 'a', throughputTps: 50 });
    calls.rooms.join({ wallet: 'b', throughputTps: 20 });
    Object.assign(calls.secondsPerToken, { a: 0.02, b: 0.05 });
    expect(countOf(calls.sequence(20), 'a')).toBeGreaterThan(16);
    calls.secondsPerToken.a = 0.5;
    expect(countOf(calls.sequence(40).slice(20), 'a')).toBeLessThan(4);
    calls.secondsPerToken.a = 0.02;
    // What was slow passes in minutes.
    const after: string[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      calls.rooms.clock.advance(60_000);
      after.push(...calls.sequence(1));
    }
    expect(countOf(after.slice(-10), 'a')).toBeGreaterThanOrEqual(8);
  });

  it('gives neither of two equal nodes more than 60 % of 40 calls that come at once', () => {
    for (const seed of SEEDS) {
      const calls = mesh(['a', 'b'], { seed });
      const burst = Array.from({ length: 40 }, () => calls.send());
      expect(Math.max(countOf(burst, 'a'), countOf(burst, 'b'))).toBeLessThanOrEqual(24);
      calls.untilIdle();
      const again = Array.from({ length: 40 }, () => calls.send());
      expect(Math.max(countOf(again, 'a'), countOf(again, 'b'))).toBeLessThanOrEqual(24);
    }
  });

  it('sends some to the route with the fewest calls under way, and says so', () => {
    const calls = mesh(['fast', 'slow'], { routing: { controlShare: 0.3, exploreShare: 0 } });
    Object.assign(calls.secondsPerToken, { fast: 0.02, slow: 0.2 });
    calls.sequence(10);
    const modes = Array.from({ length: 400 }, () => calls.rooms.decide(MODEL, null).mode);
    expect(modes.filter((mode) => mode === 'control').length / modes.length).toBeCloseTo(0.3, 1);
  });

  it('counts nothing in that does not end', () => {
    const calls = mesh(['a', 'b']);
    calls.failing('a', true);
    for (let at = 0; at < 5; at += 1) Array.from({ length: 8 }, () => calls.send());
    calls.untilIdle();
    const idle = calls.rooms.decide(MODEL, null).considered.eligible.map(({ expected }) => expected);
    for (const expected of idle) {
      expect(expected).toMatchObject({ inFlight: 0, harmSeconds: 0 });
      expect(expected?.nodeLoads).toEqual([0]);
    }
    // The watches' deadline leaves with the last of them.
    calls.rooms.clock.advance(2000);
    const timers = calls.rooms.clock.liveTimers;
    calls.sequence(3);
    calls.rooms.clock.advance(2000);
    expect(calls.rooms.clock.liveTimers).toBe(timers);
  });
});

describe.each(['proportional', 'least-expected-delay'] as const)('no call of %s', (policy) => {
  it('goes through an open breaker while another route has none', () => {
    const step = fc.record({
      wallet: fc.constantFrom('a', 'b', 'c'),
      act: fc.constantFrom('fail', 'recover', 'send', 'wait'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(1000), (steps, seed) => {
        const calls = mesh(['a', 'b', 'c'], { seed, routing: { policy, controlShare: 0.3 } });
        const { registry, health, clock } = calls.rooms;
        for (const { wallet, act } of steps) {
          if (act === 'fail' || act === 'recover') calls.failing(wallet, act === 'fail');
          if (act === 'wait') clock.advance(7000);
          if (act !== 'send') continue;
          for (let call = 0; call < 4; call += 1) {
            const closed = registry.nodes(MODEL).filter((node) => !health.isBlocked(node));
            const chosen = calls.send();
            if (closed.length > 0) expect(closed.map((node) => node.wallet)).toContain(chosen);
          }
        }
        calls.untilIdle();
      }),
      { numRuns: 60 },
    );
  });
});
