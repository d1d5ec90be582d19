import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aCandidate, aProven } from '../../test/support/builders.js';
import { RoutingSettings } from '../settings/index.js';
import { candidateNotes } from './candidate-notes.js';
import { NOTHING_CONSIDERED } from './considered.js';

const SETTINGS = Object.assign(new RoutingSettings(), { exploreShare: 0.4 });

const UNASKED = { predicted_seconds: null, predicted_seconds_200: null, node_loads: null };

describe('the candidates of a choice, afterwards', () => {
  it('are told as they stood, with the share of the traffic that each had', () => {
    const eligible = [
      aProven('fast', 30, { priorTps: 20, mass: 2.5 }),
      aProven('slow', 10),
      aCandidate({ signature: 'new', priorTps: 40, scoutsInFlight: 2 }),
    ];
    expect(candidateNotes('exploit', { eligible, leftOut: [] }, SETTINGS)).toEqual([
      {
        ...{ signature: 'fast', status: 'proven', tps: 30, prior_tps: 20, weight: 2.5 },
        ...{ traffic_share: expect.closeTo(0.45), scouts_in_flight: 0, barred: false, left_out: null },
        ...UNASKED,
      },
      {
        ...{ signature: 'slow', status: 'proven', tps: 10, prior_tps: 10, weight: 1 },
        ...{ traffic_share: expect.closeTo(0.15), scouts_in_flight: 0, barred: false, left_out: null },
        ...UNASKED,
      },
      {
        ...{ signature: 'new', status: 'unsampled', tps: null, prior_tps: 40, weight: 0 },
        ...{ traffic_share: 0.4, scouts_in_flight: 2, barred: false, left_out: null },
        ...UNASKED,
      },
    ]);
  });

  it('end with those that were left out, and why', () => {
    const leftOut = [
      { state: aProven('full', 90), reason: 'full' as const },
      { state: aProven('blocked', 80), reason: 'breaker_open' as const },
    ];
    const notes = candidateNotes('exploit', { eligible: [aProven('a', 5)], leftOut }, SETTINGS);
    expect(
      notes.map(({ signature, traffic_share, left_out }) => [signature, traffic_share, left_out]),
    ).toEqual([
      ['a', 1, null],
      ['full', 0, 'full'],
      ['blocked', 0, 'breaker_open'],
    ]);
    expect(notes[1]).toMatchObject({ status: 'proven', tps: 90 });
  });

  it('had no chance but the best prior where all of them should have been left out', () => {
    const eligible = [aProven('a', 90, { priorTps: 5 }), aProven('b', 10, { priorTps: 6 })];
    const notes = candidateNotes('greedy-fallback', { eligible, leftOut: [] }, SETTINGS);
    expect(notes.map(({ traffic_share }) => traffic_share)).toEqual([0, 1]);
  });

  it('are nobody for a pin', () => {
    expect(candidateNotes('pinned', NOTHING_CONSIDERED, SETTINGS)).toEqual([]);
  });

  it('have shares that sum to 1, whoever was left out', () => {
    const state = fc.record({ tps: fc.double({ min: 0, max: 1e6, noNaN: true }), proven: fc.boolean() });
    const mode = fc.constantFrom('scout' as const, 'exploit' as const, 'greedy-fallback' as const);
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 8 }), fc.nat(8), mode, (drawn, out, how) => {
        const states = drawn.map(({ tps, proven }, at) =>
          proven ? aProven(String(at), tps) : aCandidate({ signature: String(at) }),
        );
        const cut = Math.min(out, states.length - 1);
        const leftOut = states.slice(0, cut).map((each) => ({ state: each, reason: 'full' as const }));
        const notes = candidateNotes(how, { eligible: states.slice(cut), leftOut }, SETTINGS);
        expect(notes.map(({ signature }) => signature).sort()).toEqual(
          states.map(({ signature }) => signature).sort(),
        );
        expect(notes.reduce((sum, { traffic_share }) => sum + traffic_share, 0)).toBeCloseTo(1, 9);
      }),
    );
  });
});
