import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RoutingRow } from '../../src/routing/routing-table.js';
import type { Decision } from '../../src/routing/index.js';
import { MODEL, span } from '../support/builders.js';
import { Rooms } from '../support/rooms.js';

/** What the decision's own verification names, on the domain of a whole tracker and a clock of our own. */

const HALF_LIFE_MS = 600_000;
const DAY_MS = 24 * 3_600_000;
const DRAWS = 4000;
const GPU = 'gpu:0-21';
const CPU = 'cpu:0-39';
const ALONE = `${MODEL}|cpu:0-39[0-39]`;
const HYBRID = `${MODEL}|gpu:0-21[0-21]->cpu:0-39[22-39]`;

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms({ seed: 21 });
});

/** The topology of ADR-0020: a fast GPU with the first layers, a slow CPU with all of them. */
function joinMixed(): void {
  rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40, throughputTps: 60 });
  rooms.join({ wallet: 'cpu', shard: span(0, 39), throughputTps: 8 });
}

function row(signature: string): RoutingRow {
  const found = rooms.table.tables(MODEL)[0]?.candidates.find((each) => each.signature === signature);
  if (found === undefined) throw new Error(`no candidate ${signature}`);
  return found;
}

function draws(count: number): Decision[] {
  return Array.from({ length: count }, () => rooms.decide(MODEL, null));
}

function shareOf(decisions: readonly Decision[], is: (decision: Decision) => boolean): number {
  return decisions.filter(is).length / decisions.length;
}

describe('ADR-0021', () => {
  it('1. averages tokens/s by weights that halve every half-life', () => {
    rooms.join({ wallet: 'w' });
    const signature = `${MODEL}|w:all[0-0]`;
    rooms.prove(MODEL, { 'w:all': 10 });
    expect(row(signature)).toMatchObject({ tps: 10, weight: 1, sample_count: 1 });
    rooms.live(HALF_LIFE_MS);
    expect(row(signature).weight).toBeCloseTo(0.5, 12);
    rooms.prove(MODEL, { 'w:all': 40 });
    expect(row(signature).tps).toBeCloseTo((10 * 0.5 + 40) / 1.5, 12);
    expect(row(signature).weight).toBeCloseTo(1.5, 12);
    rooms.live(2 * HALF_LIFE_MS);
    expect(row(signature)).toMatchObject({ status: 'decayed', sample_count: 2 });
    expect(row(signature).weight).toBeCloseTo(0.375, 12);
  });

  it('2. demotes every arm when the topology changes, keeps its speed for display, and proves it anew', () => {
    joinMixed();
    rooms.prove(MODEL, { [CPU]: 8, [`${GPU} -> ${CPU}`]: 12 });
    expect([row(ALONE).status, row(HYBRID).status]).toEqual(['proven', 'proven']);
    const late = rooms.decide(MODEL, null);
    rooms.join({ wallet: 'newcomer', throughputTps: 1 });
    expect([row(ALONE), row(HYBRID)]).toMatchObject([
      { status: 'stale', tps: 8 },
      { status: 'stale', tps: 12 },
    ]);
    rooms.answer(late);
    expect([row(ALONE).status, row(HYBRID).status]).toEqual(['stale', 'stale']);
    rooms.answer(rooms.decide(MODEL, [CPU]), { tokens: 100, elapsedMs: 10_000 });
    expect([row(ALONE), row(HYBRID)]).toMatchObject([
      { status: 'proven', tps: 10, weight: 1 },
      { status: 'stale' },
    ]);
  });

  it('3. rejects the one-token answer that a corrupted generation gives', () => {
    joinMixed();
    const verdict = rooms.answer(rooms.decide(MODEL, null), { tokens: 1, elapsedMs: 2 });
    expect(verdict).toEqual({ kind: 'rejected', reason: 'too_few_tokens' });
    for (const signature of [ALONE, HYBRID]) {
      expect(row(signature)).toMatchObject({ status: 'unsampled', tps: null, sample_count: 0, weight: 0 });
    }
  });

  it('4. splits traffic 0.6 to 0.4 between 15 and 10 tokens/s at alpha 1', () => {
    joinMixed();
    rooms.prove(MODEL, { [CPU]: 10, [`${GPU} -> ${CPU}`]: 15 });
    const decisions = draws(DRAWS);
    expect(decisions.every(({ mode }) => mode === 'exploit')).toBe(true);
    const hybrid = shareOf(decisions, ({ signature }) => signature === HYBRID);
    expect(Math.abs(hybrid - 0.6)).toBeLessThanOrEqual(0.02);
    expect(row(HYBRID).traffic_share).toBeCloseTo(0.6, 12);
    expect(row(ALONE).traffic_share).toBeCloseTo(0.4, 12);
  });

  it('5. scouts with the share that is set for it, while something waits to be scouted', () => {
    joinMixed();
    rooms.prove(MODEL, { [CPU]: 10 });
    const decisions = draws(DRAWS);
    expect(Math.abs(shareOf(decisions, ({ mode }) => mode === 'scout') - 0.3)).toBeLessThanOrEqual(0.02);
    expect(decisions.every(({ mode, signature }) => (mode === 'scout') === (signature === HYBRID))).toBe(
      true,
    );
    rooms.prove(MODEL, { [`${GPU} -> ${CPU}`]: 10 });
    expect(draws(DRAWS).every(({ mode }) => mode === 'exploit')).toBe(true);
  });

  it('6. finds both routes of a mixed topology, and the prior of the hybrid is its bottleneck', () => {
    joinMixed();
    expect(rooms.candidates.candidates(MODEL).map(({ signature }) => signature)).toEqual([ALONE, HYBRID]);
    expect([row(ALONE).prior_tps, row(HYBRID).prior_tps]).toEqual([8, 8]);
    rooms.join({ wallet: 'cpu', shard: span(0, 39), throughputTps: 100 });
    expect([row(ALONE).prior_tps, row(HYBRID).prior_tps]).toEqual([100, 60]);
  });

  it("7. takes the route's own head for head, and enters the hybrid's second hop at layer 22", () => {
    joinMixed();
    for (const pin of [null, [GPU, CPU], [CPU]]) {
      const { route, signature } = rooms.decide(MODEL, pin);
      const [head, second] = route.hops;
      expect(head?.startLayer).toBe(0);
      expect(head?.node.nodeId).toBe(signature === HYBRID ? GPU : CPU);
      if (signature === HYBRID) expect(second).toMatchObject({ startLayer: 22, endLayer: 39 });
      else expect(second).toBeUndefined();
    }
    const hybrid = rooms.decide(MODEL, [GPU, CPU]).route;
    expect(hybrid.hops.map(({ node, startLayer, endLayer }) => [node.nodeId, startLayer, endLayer])).toEqual([
      [GPU, 0, 21],
      [CPU, 22, 39],
    ]);
  });

  it('8. shows it all in one table', () => {
    joinMixed();
    rooms.join({ wallet: 'half', model: 'half', shard: span(1, 2), numLayers: 5 });
    rooms.prove(MODEL, { [CPU]: 8 });
    rooms.clock.advance(3000);
    rooms.begin(rooms.decide(MODEL, [GPU, CPU]));
    expect(rooms.routingController.routing(undefined)).toEqual({
      object: 'routing_table',
      config: {
        policy: 'proportional',
        enumeration: 'greedy',
        explore_share: 0.3,
        weight_alpha: 1,
        stats_half_life_seconds: 600,
        min_sample_tokens: 8,
        max_candidates: 8,
      },
      models: [
        {
          model: MODEL,
          epoch: 2,
          num_layers: 40,
          gaps: [],
          candidates: [
            {
              signature: ALONE,
              hops: [{ node_id: CPU, start_layer: 0, end_layer: 39 }],
              status: 'proven',
              tps: 8,
              coefficient: 1,
              traffic_share: 0.7,
              sample_count: 1,
              weight: expect.closeTo(2 ** (-3 / 600), 12),
              prior_tps: 4,
              in_flight: 0,
              last_sample_seconds_ago: 3,
            },
            {
              signature: HYBRID,
              hops: [
                { node_id: GPU, start_layer: 0, end_layer: 21 },
                { node_id: CPU, start_layer: 22, end_layer: 39 },
              ],
              status: 'unsampled',
              tps: null,
              coefficient: null,
              traffic_share: 0.3,
              sample_count: 0,
              weight: 0,
              prior_tps: 4,
              in_flight: 1,
              last_sample_seconds_ago: null,
            },
          ],
          candidates_left_out: 0,
        },
        {
          model: 'half',
          epoch: 1,
          num_layers: 5,
          gaps: [
            { start_layer: 0, end_layer: 0 },
            { start_layer: 3, end_layer: 4 },
          ],
          candidates: [],
          candidates_left_out: 0,
        },
      ],
    });
    expect(rooms.routingController.routing('half').models).toHaveLength(1);
    expect(() => rooms.routingController.routing('nobody')).toThrow(
      expect.objectContaining({ code: 'model_not_found' }),
    );
  });

  it('9. starts cold on the best prior, the same one every time and for every seed', () => {
    for (const seed of [1, 2, 3]) {
      rooms = new Rooms({ seed });
      rooms.join({ wallet: 'slow', throughputTps: 10 });
      rooms.join({ wallet: 'fast', throughputTps: 50 });
      rooms.join({ wallet: 'open' });
      for (const decision of draws(50)) {
        expect(decision).toMatchObject({
          mode: 'scout',
          signature: `${MODEL}|fast:all[0-0]`,
          probability: 1,
        });
      }
    }
  });

  it('10. lets a pin bypass the bandit, and records what came of it', () => {
    joinMixed();
    rooms.prove(MODEL, { [CPU]: 8 });
    const decision = rooms.decide(MODEL, [GPU, CPU]);
    expect(decision).toMatchObject({ mode: 'pinned', signature: HYBRID, probability: 1 });
    expect(rooms.answer(decision, { tokens: 60, elapsedMs: 3000 })).toMatchObject({
      kind: 'sample',
      tps: 20,
    });
    expect(row(HYBRID)).toMatchObject({ status: 'proven', tps: 20, sample_count: 1 });
    rooms.answer(rooms.decide(MODEL, [GPU, CPU]), { ending: 'failed' });
    expect(row(HYBRID)).toMatchObject({ sample_count: 1 });
    expect(rooms.health.reputation(decision.route.hops[0]!.node)).toBeLessThan(1);
  });

  it('11. forgets a route that gave no sample for 24 h', () => {
    joinMixed();
    rooms.prove(MODEL, { [CPU]: 8 });
    rooms.live(DAY_MS - 1);
    expect(row(ALONE)).toMatchObject({ status: 'decayed', tps: 8, sample_count: 1 });
    rooms.live(1);
    expect(row(ALONE)).toMatchObject({
      status: 'unsampled',
      tps: null,
      sample_count: 0,
      weight: 0,
      last_sample_seconds_ago: null,
    });
  });
});
