import { describe, expect, it } from '@jest/globals';
import { aNode, anEstimate } from '../../test/support/builders.js';
import { routeOf } from '../candidate-enumeration/index.js';
import type { RouteEstimate } from '../routing-stats/index.js';
import { routingRows, type RowFacts } from './routing-table.js';

const OUTLOOK = { inFlight: 2, recentShare: 0.4, shownSeconds: 6.5 };

function facts(wallet: string, estimate: Partial<RouteEstimate>): RowFacts {
  const route = routeOf('m', [{ node: aNode({ wallet }), startLayer: 0, endLayer: 3 }]);
  return { route, estimate: anEstimate(estimate), priorTps: 7, share: 0.25, outlook: OUTLOOK };
}

function coefficients(...estimates: Partial<RouteEstimate>[]): (number | null)[] {
  return routingRows(
    estimates.map((estimate) => facts('w', estimate)),
    0,
  ).map(({ coefficient }) => coefficient);
}

describe('a row of the routing table', () => {
  it('shows all that is known of a route', () => {
    const estimate = { status: 'proven', tps: 12, mass: 1.5, sampleCount: 3, lastSampleAt: 1000 } as const;
    expect(routingRows([facts('w', estimate)], 3500)).toEqual([
      {
        signature: 'm|w:all[0-3]',
        hops: [{ node_id: 'w:all', start_layer: 0, end_layer: 3 }],
        status: 'proven',
        tps: 12,
        coefficient: 1,
        traffic_share: 0.25,
        sample_count: 3,
        weight: 1.5,
        prior_tps: 7,
        in_flight: 2,
        recent_share: 0.4,
        predicted_seconds_200: 6.5,
        last_sample_seconds_ago: 2.5,
      },
    ]);
  });

  it('shows null, not zero, for what nobody has measured', () => {
    expect(routingRows([facts('w', {})], 0)).toMatchObject([
      { tps: null, coefficient: null, last_sample_seconds_ago: null, sample_count: 0, weight: 0 },
    ]);
  });

  it('never was measured in the future', () => {
    expect(routingRows([facts('w', { lastSampleAt: 5000 })], 0)).toMatchObject([
      { last_sample_seconds_ago: 0 },
    ]);
  });
});

describe('the coefficient', () => {
  it('is the speed over that of the fastest proven route', () => {
    expect(coefficients({ status: 'proven', tps: 20 }, { status: 'proven', tps: 5 })).toEqual([1, 0.25]);
  });

  it('measures unproven routes by the proven too, and may exceed 1', () => {
    expect(coefficients({ status: 'proven', tps: 10 }, { status: 'stale', tps: 30 }, {})).toEqual([
      1,
      3,
      null,
    ]);
  });

  it('is null where nothing is proven, or nothing proven moves, or it would be no number', () => {
    expect(coefficients({ status: 'stale', tps: 10 }, { status: 'decayed', tps: 5 })).toEqual([null, null]);
    expect(coefficients({ status: 'proven', tps: 0 })).toEqual([null]);
    expect(coefficients({ status: 'proven', tps: 5e-324 }, { status: 'stale', tps: 1e300 })).toEqual([
      1,
      null,
    ]);
    expect(coefficients({ status: 'proven', tps: null })).toEqual([null]);
  });
});
