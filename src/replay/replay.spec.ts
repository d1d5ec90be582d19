import { describe, expect, it } from '@jest/globals';
import {
  loggedMesh,
  routingOf,
  signatureOf,
  type LoggedMeshOptions,
} from '../../test/support/logged-mesh.js';
import type { RoutingSettings } from '../settings/index.js';
import type { Interval } from './estimates.js';
import type { LoggedCall } from './logged-call.js';
import { replaying, type Replay } from './replay.js';

const ROUTES = { a: 60, b: 40, c: 25, d: 12, e: 6 };
const RUNS = 200;

function replay(
  calls: readonly LoggedCall[],
  proposed: RoutingSettings,
  inForce: RoutingSettings = routingOf(),
): Replay {
  const work = replaying(calls, inForce, proposed);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function logOf(options: Partial<LoggedMeshOptions> = {}): LoggedCall[] {
  return loggedMesh({ routes: ROUTES, calls: 400, seed: 1, ...options }).calls;
}

const isIn = ({ low, high }: Interval, value: number): boolean => low <= value && value <= high;

describe('the 95 % interval of a replay', () => {
  const PROPOSED = {
    'alpha 4 and few scouts': routingOf({ weightAlpha: 4, exploreShare: 0.05 }),
    'alpha 0 and many scouts': routingOf({ weightAlpha: 0, exploreShare: 0.5 }),
  };

  it('holds the truth in at least 90 % of 200 runs, by either estimate and of the change', () => {
    const held = new Map<string, number>();
    const count = (what: string, isHeld: boolean): unknown =>
      held.set(what, (held.get(what) ?? 0) + Number(isHeld));
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const mesh = loggedMesh({ routes: ROUTES, calls: 250, seed });
      const inForce = mesh.truth(routingOf());
      for (const [name, proposed] of Object.entries(PROPOSED)) {
        const truth = mesh.truth(proposed);
        const { estimates } = replay(mesh.calls, proposed);
        if (estimates === null) continue;
        for (const method of ['doubly_robust', 'inverse_propensity'] as const) {
          count(`${name}, ${method}, tps`, isIn(estimates[method].tps, truth.tps));
          count(`${name}, ${method}, seconds`, isIn(estimates[method].seconds, truth.seconds));
        }
        count(`${name}, change, tps`, isIn(estimates.change.tps, truth.tps - inForce.tps));
        count(`${name}, change, seconds`, isIn(estimates.change.seconds, truth.seconds - inForce.seconds));
      }
    }
    expect(held.size).toBe(Object.keys(PROPOSED).length * 6);
    const missed = [...held].filter(([, runs]) => runs < RUNS * 0.9);
    expect(missed).toEqual([]);
  });

  it('is narrower where learned speeds are put to use, and narrowest of the change', () => {
    const widths = { inverse_propensity: 0, doubly_robust: 0, change: 0 };
    for (let seed = 1; seed <= 20; seed += 1) {
      const { estimates } = replay(logOf({ seed, noise: 0.2 }), routingOf({ weightAlpha: 2 }));
      for (const method of ['inverse_propensity', 'doubly_robust', 'change'] as const) {
        const { low, high } = estimates?.[method].tps ?? { low: 0, high: Infinity };
        widths[method] += high - low;
      }
    }
    expect(widths.doubly_robust).toBeLessThan(widths.inverse_propensity);
    expect(widths.change).toBeLessThan(widths.doubly_robust);
  });
});

describe('a replay', () => {
  it('of the setting in force is what was logged', () => {
    const { verdict, estimates, as_logged, effective_sample_size, calls, warnings } = replay(
      logOf(),
      routingOf(),
    );
    expect({ verdict, calls, warnings }).toEqual({ verdict: 'estimated', calls: 400, warnings: [] });
    expect(effective_sample_size).toBeCloseTo(400, 6);
    expect(estimates?.inverse_propensity.tps.mean).toBeCloseTo(as_logged.tps.mean, 6);
    for (const what of ['tps', 'seconds'] as const) {
      expect(estimates?.change[what].mean).toBeCloseTo(0, 9);
      expect(estimates?.change[what].low).toBeCloseTo(0, 9);
    }
  });

  it('knows that the fastest route alone is better than scouting a third of the time', () => {
    const { estimates } = replay(logOf(), routingOf({ exploreShare: 0.02, weightAlpha: 6 }));
    expect(estimates?.change.tps.low).toBeGreaterThan(0);
    expect(estimates?.change.seconds.high).toBeLessThan(0);
  });

  it('leaves out what no policy chose or nobody finished, and says how many', () => {
    const calls = logOf();
    const others = (['not_chosen', 'failed', 'client_left', 'no_sample'] as const).flatMap((standing, at) =>
      calls.slice(0, 10 * (at + 1)).map((call) => ({ ...call, standing, candidates: [] })),
    );
    const all = [...calls, ...others];
    const found = replay(all, routingOf({ weightAlpha: 2 }));
    expect(found.left_out).toEqual({
      not_chosen: 10,
      failed: 20,
      client_left: 30,
      no_sample: 40,
      not_all_kept: 0,
    });
    expect(found.estimates).toEqual(replay(calls, routingOf({ weightAlpha: 2 })).estimates);
    expect(found.warnings.join()).toContain('client left');
    expect(found.warnings.join()).not.toContain('failed');
  });

  const unkept = (calls: readonly LoggedCall[]): LoggedCall[] =>
    calls.map((call) => ({ ...call, standing: 'not_all_kept', candidates: [] }));

  it('cannot tell where most calls were chosen from more candidates than their records keep', () => {
    const calls = logOf();
    const found = replay(
      [...calls.slice(0, 100), ...unkept(calls.slice(100))],
      routingOf({ weightAlpha: 2 }),
    );
    expect(found).toMatchObject({
      ...{ verdict: 'cannot_tell', reason: 'candidates_not_kept', calls: 400, estimates: null },
      left_out: { not_all_kept: 300 },
    });
    expect(found.as_logged.tps.mean).toBeCloseTo(replay(calls, routingOf()).as_logged.tps.mean, 9);
  });

  it('does without such calls where they are fewer, and warns of them', () => {
    const calls = logOf();
    const found = replay([...calls, ...unkept(calls.slice(0, 50))], routingOf({ weightAlpha: 2 }));
    expect(found.estimates).toEqual(replay(calls, routingOf({ weightAlpha: 2 })).estimates);
    expect(found.warnings.join()).toContain('more candidates than records keep');
  });

  it('warns of what fewer scouts would not have found out', () => {
    expect(replay(logOf(), routingOf({ exploreShare: 0.1 })).warnings.join()).toContain('fewer scouts');
  });
});

describe('a replay says that it cannot tell', () => {
  const told = (found: Replay): unknown => ({ reason: found.reason, estimates: found.estimates });

  it('where nothing was left to chance', () => {
    const inForce = routingOf({ exploreShare: 0 });
    const calls = logOf({ inForce });
    expect(told(replay(calls, routingOf({ exploreShare: 0.3 }), inForce))).toEqual({
      ...{ reason: 'no_randomness', estimates: null },
    });
    expect(replay(calls, inForce, inForce).verdict).toBe('estimated');
  });

  it('where it proposes routes that were never tried as things stood', () => {
    // Scouts find every route; then, without any, those that decay are never chosen again.
    const inForce = routingOf({ exploreShare: 0 });
    const stale = logOf().map((call) => ({
      ...call,
      candidates: call.candidates.map((candidate, at) =>
        at < 3 ? candidate : { ...candidate, status: 'decayed' as const },
      ),
    }));
    const proven = stale.filter(({ candidates, signature }) =>
      candidates.some((candidate) => candidate.signature === signature && candidate.status === 'proven'),
    );
    expect(told(replay(proven, routingOf({ exploreShare: 0.3 }), inForce))).toEqual({
      ...{ reason: 'never_tried', estimates: null },
    });
  });

  it('where calls slow each other down and would go elsewhere, but not where they would stay', () => {
    const calls = logOf({ gapSeconds: 2, crowding: 0.3 });
    const found = replay(calls, routingOf({ weightAlpha: 8, exploreShare: 0.05 }));
    expect(told(found)).toEqual({ reason: 'load_moves', estimates: null });
    expect(found.why).toContain('slow each other down');
    const alike = replay(calls, routingOf({ weightAlpha: 1.1 }));
    expect(alike.verdict).toBe('estimated');
    expect(alike.warnings.join()).toContain('slow each other down');
  });

  it('where too few of the choices would have been the same', () => {
    const inForce = routingOf({ weightAlpha: 6, exploreShare: 0.02 });
    const calls = logOf({ routes: { a: 60, b: 40, c: 25 }, inForce, calls: 150 });
    const found = replay(calls, routingOf({ weightAlpha: 0, exploreShare: 0 }), inForce);
    expect(told(found)).toEqual({ reason: 'too_little_evidence', estimates: null });
    expect(found.effective_sample_size).toBeLessThan(30);
  });

  it('although the choices that would tell most are missing, which makes a log look better than it is', () => {
    const inForce = routingOf({ weightAlpha: 3, exploreShare: 0.2 });
    const reasons = Array.from({ length: 20 }, (_, seed) => {
      const calls = logOf({ routes: { a: 60, b: 40, c: 12 }, inForce, calls: 150, seed, noise: 0.1 });
      const lacking = calls.filter(({ signature }) => signature !== signatureOf('c'));
      return replay(lacking, routingOf({ weightAlpha: 0, exploreShare: 0 }), inForce).reason;
    });
    expect(new Set(reasons)).toEqual(new Set(['too_little_evidence']));
  });

  it('where the log lacks what the policy looks at', () => {
    const calls = logOf().map((call) => ({
      ...call,
      candidates: call.candidates.map((candidate) => ({ ...candidate, tps: NaN })),
    }));
    expect(told(replay(calls, routingOf()))).toEqual({ reason: 'policy_needs_more', estimates: null });
  });
});
