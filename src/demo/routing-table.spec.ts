import { describe, expect, it } from '@jest/globals';
import { renderRoutes, type CandidateRow } from './routing-table.js';

const HYBRID: CandidateRow = {
  hops: [
    { node_id: 'alice.gpu:0-21', start_layer: 0, end_layer: 21 },
    { node_id: 'bob.cpu:0-39', start_layer: 22, end_layer: 39 },
  ],
  status: 'proven',
  tps: 31.96,
  coefficient: 1,
  traffic_share: 0.751,
  sample_count: 12,
  weight: 11.04,
  in_flight: 1,
};

describe('the live table', () => {
  it('shows each route with the spans its hops run, and what is known of it', () => {
    const unknown = {
      ...HYBRID,
      hops: HYBRID.hops.slice(1),
      tps: null,
      coefficient: null,
      traffic_share: null,
    };
    const models = [
      { model: 'Qwen3.6', epoch: 3, gaps: [], candidates: [HYBRID, { ...unknown, status: 'unsampled' }] },
    ];
    expect(renderRoutes({ models })).toEqual([
      'model    route                            status      tps  coefficient  share  samples  weight  in flight',
      'Qwen3.6  alice.gpu 0-21 -> bob.cpu 22-39  proven     32.0         1.00   75 %       12    11.0          1',
      'Qwen3.6  bob.cpu 22-39                    unsampled     -            -      -       12    11.0          1',
    ]);
  });

  it('says which layers are missing where there is no route', () => {
    const models = [{ model: 'm', epoch: 1, gaps: [{ start_layer: 22, end_layer: 39 }], candidates: [] }];
    expect(renderRoutes({ models })[1]).toMatch(/^m +no route; layers missing: 22-39$/);
  });
});
