import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPrunable } from './arm.js';
import { massAt, mergeArms, recordSample, statusOf, type Arm, type ArmSample } from './index.js';

const H = 600_000;
const DAY_MS = 24 * 3_600_000;

function sample(tps: number, at: number, stated: Partial<ArmSample> = {}): ArmSample {
  return { tps, at, weight: 1, epoch: 1, ...stated };
}

function armOf(...samples: readonly ArmSample[]): Arm {
  const arm = samples.reduce<Arm | null>((before, next) => recordSample(before, next, H), null);
  if (arm === null) throw new Error('no samples');
  return arm;
}

const someTps = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0, 5e-324, 1, 10, 15, 1e300),
);
const someSample: fc.Arbitrary<ArmSample> = fc.record({
  tps: someTps,
  at: fc.nat(5 * H),
  weight: fc.constantFrom(1, 0.6),
  epoch: fc.integer({ min: 1, max: 3 }),
});
const someArm: fc.Arbitrary<Arm> = fc.record({
  value: fc.double({ min: 0, max: 1e6, noNaN: true }),
  mass: fc.double({ min: 0.01, max: 1000, noNaN: true }),
  at: fc.nat(5 * H),
  epoch: fc.integer({ min: 1, max: 3 }),
  count: fc.integer({ min: 1, max: 1000 }),
});

function expectSameArm(one: Arm, other: Arm): void {
  const near = (a: number, b: number): boolean =>
    Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  expect({ at: one.at, epoch: one.epoch, count: one.count }).toEqual({
    at: other.at,
    epoch: other.epoch,
    count: other.count,
  });
  expect(near(one.mass, other.mass)).toBe(true);
  expect(near(one.value, other.value)).toBe(true);
}

describe('the mass of an arm', () => {
  it('halves every half-life', () => {
    const arm = armOf(sample(10, 1000));
    expect([0, 1, 2, 3].map((times) => massAt(arm, 1000 + times * H, H))).toEqual([1, 0.5, 0.25, 0.125]);
    expect(massAt(arm, 1000 + H / 2, H)).toBeCloseTo(Math.SQRT1_2, 12);
  });

  it('gains nothing by a clock that steps back', () => {
    expect(massAt(armOf(sample(10, 1000)), 0, H)).toBe(1);
  });
});

describe('recording', () => {
  it('starts with the first sample', () => {
    expect(armOf(sample(12, 5, { weight: 0.6, epoch: 7 }))).toEqual({
      value: 12,
      mass: 0.6,
      at: 5,
      epoch: 7,
      count: 1,
    });
  });

  it('averages by weight and by what time has left of the mass', () => {
    const soon = armOf(sample(10, 0), sample(20, 0));
    expect(soon).toEqual({ value: 15, mass: 2, at: 0, epoch: 1, count: 2 });
    const later = armOf(sample(10, 0), sample(20, H));
    expect(later.value).toBeCloseTo((10 * 0.5 + 20) / 1.5, 12);
    expect(later.mass).toBeCloseTo(1.5, 12);
    const estimated = armOf(sample(10, 0), sample(20, 0, { weight: 0.6 }));
    expect(estimated.value).toBeCloseTo((10 + 20 * 0.6) / 1.6, 12);
    expect(estimated.mass).toBeCloseTo(1.6, 12);
  });

  it('starts value and mass anew with the first sample of a newer epoch, and counts on', () => {
    const arm = armOf(sample(10, 0), sample(10, 0), sample(30, 5, { epoch: 2 }));
    expect(arm).toEqual({ value: 30, mass: 1, at: 5, epoch: 2, count: 3 });
  });

  it('lets a sample of an older epoch change nothing but the count', () => {
    const arm = armOf(sample(30, 5, { epoch: 2 }));
    expect(recordSample(arm, sample(10, 9), H)).toEqual({ ...arm, count: 2 });
  });

  it('stays finite and within the extremes of the samples of its epoch, whatever these are', () => {
    fc.assert(
      fc.property(fc.array(someSample, { minLength: 1, maxLength: 30 }), (samples) => {
        const arm = armOf(...samples);
        const newest = Math.max(...samples.map(({ epoch }) => epoch));
        const counted = samples.filter(({ epoch }) => epoch === newest).map(({ tps }) => tps);
        expect(arm.value).toBeGreaterThanOrEqual(Math.min(...counted));
        expect(arm.value).toBeLessThanOrEqual(Math.max(...counted));
        expect(Number.isFinite(arm.mass)).toBe(true);
        expect(arm.mass).toBeGreaterThan(0);
        expect(arm.count).toBe(samples.length);
        expect(arm.epoch).toBe(newest);
      }),
    );
  });

  it('gives the formula of the decision: value×mass(t) + x×w over mass(t) + w', () => {
    const inOrder = fc.array(
      fc.record({
        tps: fc.double({ min: 0.1, max: 1000, noNaN: true }),
        after: fc.nat(H),
        weight: fc.constantFrom(1, 0.6),
      }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(inOrder, (steps) => {
        let now = 0;
        let [value, mass] = [0, 0];
        let arm: Arm | null = null;
        for (const { tps, after, weight } of steps) {
          now += after;
          const left = mass * 2 ** (-after / H);
          value = (value * left + tps * weight) / (left + weight);
          mass = left + weight;
          arm = recordSample(arm, sample(tps, now, { weight }), H);
        }
        expect(arm?.value).toBeCloseTo(value, 6);
        expect(arm?.mass).toBeCloseTo(mass, 9);
      }),
    );
  });
});

describe('merging', () => {
  it('adds equal epochs after decaying both to the later time', () => {
    const early = armOf(sample(10, 0), sample(10, 0));
    const late = armOf(sample(40, H));
    expect(mergeArms(early, late, H)).toEqual({ value: 25, mass: 2, at: H, epoch: 1, count: 3 });
  });

  it('lets the higher epoch win, and adds the counts', () => {
    const old = armOf(sample(10, 9), sample(10, 9));
    const young = armOf(sample(40, 0, { epoch: 2 }));
    expect(mergeArms(old, young, H)).toEqual({ ...young, count: 3 });
    expect(mergeArms(young, old, H)).toEqual({ ...young, count: 3 });
  });

  it('does not depend on the order of two arms', () => {
    fc.assert(fc.property(someArm, someArm, (a, b) => expectSameArm(mergeArms(a, b, H), mergeArms(b, a, H))));
  });

  it('does not depend on how three arms are grouped', () => {
    fc.assert(
      fc.property(someArm, someArm, someArm, (a, b, c) =>
        expectSameArm(mergeArms(mergeArms(a, b, H), c, H), mergeArms(a, mergeArms(b, c, H), H)),
      ),
    );
  });

  it("gives what one tracker would have that had seen both trackers' samples", () => {
    const sorted = fc
      .array(
        someSample.map((each) => ({ ...each, tps: Math.min(each.tps, 1e6) })),
        { minLength: 2, maxLength: 20 },
      )
      .map((samples) => samples.sort((a, b) => a.at - b.at));
    fc.assert(
      fc.property(sorted, fc.integer({ min: 1, max: 19 }), (samples, split) => {
        const cut = Math.min(split, samples.length - 1);
        const merged = mergeArms(armOf(...samples.slice(0, cut)), armOf(...samples.slice(cut)), H);
        expectSameArm(merged, armOf(...samples));
      }),
    );
  });

  it('of two arms that have decayed to nothing gives a number', () => {
    const gone: Arm = { value: 10, mass: 0, at: 0, epoch: 1, count: 1 };
    expect(mergeArms(gone, { ...gone, value: 20 }, H)).toMatchObject({ value: 20, mass: 0 });
    const ages = armOf(sample(10, 0), sample(20, 1e9 * H));
    expect(ages).toMatchObject({ value: 20, mass: 1 });
  });
});

describe('the status of an arm', () => {
  const arm = armOf(sample(10, 0, { epoch: 3 }));

  it('is unsampled without samples', () => {
    expect(statusOf(null, 3, 0, H)).toBe('unsampled');
    expect(statusOf({ ...arm, count: 0 }, 3, 0, H)).toBe('unsampled');
  });

  it('is stale under a newer epoch of the model, however fresh it is', () => {
    expect(statusOf(arm, 4, 0, H)).toBe('stale');
    expect(statusOf(arm, 4, 100 * H, H)).toBe('stale');
  });

  it('is proven down to half a sample of mass, and decayed below', () => {
    expect(statusOf(arm, 3, 0, H)).toBe('proven');
    expect(statusOf(arm, 3, H, H)).toBe('proven');
    expect(statusOf(arm, 3, H + 1, H)).toBe('decayed');
  });
});

describe('pruning', () => {
  it('drops an arm a day after its newest sample, to the millisecond', () => {
    const arm = armOf(sample(10, 5000));
    expect(isPrunable(arm, 5000 + DAY_MS - 1)).toBe(false);
    expect(isPrunable(arm, 5000 + DAY_MS)).toBe(true);
  });
});
