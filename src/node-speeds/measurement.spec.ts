import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SpeedSettings } from '../settings/index.js';
import { SLOPES, SLOTS } from './load-shape.js';
import type { Measured } from './expected-time.js';
import { learn } from './measurement.js';
import { age, newBelief, type NodeBelief } from './node-belief.js';
import { expectedDelay, type CallWork, type HopLoad } from './route-delay.js';
import { speedConstants } from './speed-constants.js';

const CONSTANTS = speedConstants(new SpeedSettings());
const USUAL: CallWork = { promptTokens: 500, outputTokens: 200 };
const ANSWER: CallWork = { promptTokens: 0, outputTokens: 100 };

function hop(belief: NodeBelief, others = 0, running = others): HopLoad {
  return { belief, secondsPerToken: 0.1, company: { others, streams: others, running } };
}

function took(seconds: number, stated: Partial<Measured> = {}): Measured {
  return { work: ANSWER, seconds, usual: null, isCensored: false, noise: 0.05, ...stated };
}

const anySeconds = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0, -1, NaN, Infinity, 5e-324, 1e308),
);
const anyTokens = fc.oneof(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.constantFrom(0, 1, 1e12));
const anyMeasured: fc.Arbitrary<Measured> = fc.record({
  work: fc.record({ promptTokens: anyTokens, outputTokens: anyTokens }),
  seconds: anySeconds,
  usual: fc.option(fc.constant(USUAL)),
  isCensored: fc.boolean(),
  noise: fc.constantFrom(0.05, 0.2),
});
const anyStep = fc.record({
  measured: anyMeasured,
  others: fc.array(fc.nat(50), { minLength: 1, maxLength: 3 }),
  passed: fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(-5, 0)),
});

function numbersOf(belief: NodeBelief): number[] {
  const { bias, drift, prefill, biasVariance, driftVariance, prefillVariance, idleFactor, busyFactor } =
    belief;
  return [...bias, ...drift, prefill, biasVariance, driftVariance, prefillVariance, idleFactor, busyFactor];
}

describe('whatever is measured', () => {
  it('a belief stays finite, its variances between their floor and their priors, its probabilities at one', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const beliefs = [0, 1, 2].map(() => newBelief(true, 0, CONSTANTS));
        let now = 0;
        for (const { measured, others, passed } of steps) {
          now += passed;
          for (const belief of beliefs) age(belief, now, CONSTANTS);
          learn(
            others.map((count, at) => hop(beliefs[at]!, count)),
            measured,
            CONSTANTS,
          );
        }
        for (const belief of beliefs) {
          expect(numbersOf(belief).every(Number.isFinite)).toBe(true);
          for (const [variance, prior] of [
            [belief.biasVariance, CONSTANTS.biasVariance],
            [belief.driftVariance, CONSTANTS.driftVariance],
            [belief.prefillVariance, 1],
          ] as const) {
            expect(variance).toBeGreaterThanOrEqual(0.00049);
            expect(variance).toBeLessThanOrEqual(prior + 1e-9);
          }
          for (const probabilities of [belief.slopes, belief.slots]) {
            expect(probabilities.every((each) => each >= 0 && each <= 1 + 1e-9)).toBe(true);
            expect(probabilities.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 6);
          }
        }
      }),
    );
  });

  it('what is expected of a route stays finite and above zero', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 20 }), fc.nat(100), (steps, others) => {
        const belief = newBelief(true, 0, CONSTANTS);
        for (const { measured, others: loads } of steps) learn([hop(belief, loads[0])], measured, CONSTANTS);
        const { seconds, harmSeconds, optimisticSeconds } = expectedDelay(
          [hop(belief, others)],
          ANSWER,
          USUAL,
          CONSTANTS,
        );
        for (const value of [seconds, optimisticSeconds])
          expect(value > 0 && Number.isFinite(value)).toBe(true);
        expect(optimisticSeconds).toBeLessThanOrEqual(seconds);
        expect(harmSeconds >= 0 && Number.isFinite(harmSeconds)).toBe(true);
      }),
    );
  });

  it('no single measurement moves a node by more than its clip allows', () => {
    const belief = newBelief(true, 0, CONSTANTS);
    learn([hop(belief)], took(1e12), CONSTANTS);
    expect(belief.idleFactor).toBeLessThanOrEqual(Math.exp(3.01));
    expect(belief.idleFactor).toBeGreaterThan(5);
  });

  it('everything decays to its prior', () => {
    fc.assert(
      fc.property(fc.array(anyMeasured, { maxLength: 10 }), (all) => {
        const belief = newBelief(true, 0, CONSTANTS);
        for (const measured of all) learn([hop(belief, 3)], measured, CONSTANTS);
        age(belief, 30 * 86_400, CONSTANTS);
        const untouched = newBelief(true, 0, CONSTANTS);
        numbersOf(belief).forEach((value, at) => expect(value).toBeCloseTo(numbersOf(untouched)[at]!, 4));
        belief.slots.forEach((each, at) => expect(each).toBeCloseTo(untouched.slots[at]!, 4));
      }),
    );
  });

  it('a clock that steps back moves nothing', () => {
    const belief = newBelief(true, 100, CONSTANTS);
    learn([hop(belief)], took(40), CONSTANTS);
    const before = numbersOf(belief);
    age(belief, 50, CONSTANTS);
    expect(numbersOf(belief)).toEqual(before);
  });
});

describe('a measurement', () => {
  it('is ascribed to the hops by their share in what was expected', () => {
    const [long, short] = [newBelief(true, 0, CONSTANTS), newBelief(true, 0, CONSTANTS)];
    const hops = [
      { ...hop(long), secondsPerToken: 0.19 },
      { ...hop(short), secondsPerToken: 0.01 },
    ];
    for (let times = 0; times < 5; times += 1) learn(hops, took(40), CONSTANTS);
    expect(long.idleFactor).toBeGreaterThan(1.7);
    expect(short.idleFactor).toBeLessThan(1.1);
  });

  it('of silence counts only once it is longer than expected', () => {
    const belief = newBelief(true, 0, CONSTANTS);
    learn([hop(belief)], took(5, { isCensored: true }), CONSTANTS);
    expect(belief.idleFactor).toBe(1);
    learn([hop(belief)], took(60, { isCensored: true }), CONSTANTS);
    expect(belief.idleFactor).toBeGreaterThan(1.5);
  });

  it('tells a flat node from a steep one', () => {
    const [flat, steep] = [newBelief(true, 0, CONSTANTS), newBelief(true, 0, CONSTANTS)];
    for (let times = 0; times < 40; times += 1) {
      const others = times % 5;
      learn([hop(flat, others)], took(10), CONSTANTS);
      learn([hop(steep, others)], took(10 * (1 + 0.75 * others)), CONSTANTS);
    }
    const slopeOf = ({ slopes }: NodeBelief): number =>
      slopes.reduce((sum, each, at) => sum + each * SLOPES[at]!, 0);
    expect(slopeOf(flat)).toBeLessThan(0.1);
    expect(slopeOf(steep)).toBeGreaterThan(0.55);
    expect(slopeOf(steep)).toBeLessThan(0.95);
    expect(steep.idleFactor).toBeCloseTo(1, 0);
  });

  it('of first tokens that come late with four others there, and early with three, tells of four slots', () => {
    const belief = newBelief(true, 0, CONSTANTS);
    const work = { promptTokens: 500, outputTokens: 1 };
    for (let times = 0; times < 30; times += 1) {
      learn([hop(belief, 3)], took(5, { work, usual: USUAL }), CONSTANTS);
      learn([hop(belief, 4)], took(5 + 10 * (times % 3), { work, usual: USUAL }), CONSTANTS);
      learn([hop(belief, 6, 4)], took(25, { work, usual: USUAL }), CONSTANTS);
    }
    expect(belief.slots[SLOTS.indexOf(4)]).toBeGreaterThan(0.5);
    // And a line is no sign of a slow prompt.
    expect(belief.prefill).toBeLessThan(0.5);
  });
});
