import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { MetricsRoom } from '../../test/support/metrics-room.js';
import { Rooms } from '../../test/support/rooms.js';
import type { AttemptEnding, CallEnding } from '../calls/index.js';
import type { MeshEvents } from '../kernel/index.js';

const DAY_MS = 24 * 3_600_000;
const COMPLETED: CallEnding = {
  ...{ outcome: 'completed', cause: null, promptTokens: 300, completionTokens: 100, tokensEstimated: false },
  ...{ tps: 50, sample: 'recorded' },
};
const SERVED: AttemptEnding = { outcome: 'completed', status: 200, failedNodeId: null, cause: null };
const ORIGIN = { path: '/v1/chat/completions', headers: {} };
const TOLD = { status: 200, cause: null };

let rooms: Rooms;
let metrics: MetricsRoom;
beforeEach(() => {
  rooms = new Rooms();
  metrics = new MetricsRoom(rooms);
});

/** A call as the proxy tells it: queued, tried in vain, then answered as a stream. */
function call(model: string, ending: CallEnding = COMPLETED): void {
  const { calls } = metrics;
  const begun = calls.begin('r', model, true, ORIGIN);
  calls.queued(begun);
  rooms.clock.advance(400);
  const decision = rooms.decide(model, null);
  calls.decided(begun, decision);
  calls.attemptEnded(begun, {
    ...{ outcome: 'failed', status: 500, failedNodeId: null, cause: 'node_failed' },
  });
  calls.decided(begun, decision);
  for (const pauseMs of [200, 40, 40, 40]) {
    rooms.clock.advance(pauseMs);
    begun.heard(rooms.clock.now(), true);
  }
  calls.attemptEnded(begun, { ...SERVED, outcome: ending.outcome });
  calls.finish(begun, ending, TOLD);
}

function turnedAway(stated: Partial<MeshEvents['chat.turned_away']>): void {
  const fact = { request_id: 'r', model: null, code: 'model_not_found', status: 404, at: 0 };
  rooms.bus.publish('chat.turned_away', { ...fact, ...stated });
}

describe('a finished call', () => {
  it('is counted with its mode and outcome, its attempts, its sample and its tokens', async () => {
    rooms.join({ wallet: 'w' });
    call(MODEL);
    call(MODEL, { ...COMPLETED, outcome: 'cut_off', completionTokens: null, sample: 'cut_off' });
    const shown = await metrics.scrape();
    const value = (name: string, labels: Record<string, string>): number | null =>
      shown.value(name, { model: MODEL, ...labels });
    expect(value('meshnet_requests_total', { mode: 'scout', outcome: 'completed' })).toBe(1);
    expect(value('meshnet_requests_total', { mode: 'scout', outcome: 'cut_off' })).toBe(1);
    expect(value('meshnet_attempts_total', { outcome: 'failed' })).toBe(2);
    expect(value('meshnet_attempts_total', { outcome: 'completed' })).toBe(1);
    expect(value('meshnet_samples_total', { result: 'recorded' })).toBe(1);
    expect(value('meshnet_samples_total', { result: 'cut_off' })).toBe(1);
    expect(value('meshnet_tokens_total', { kind: 'prompt' })).toBe(600);
    expect(value('meshnet_tokens_total', { kind: 'completion' })).toBe(100);
  });

  it('is timed: in all, to the first token by the length of its prompt, in the queue, between tokens', async () => {
    rooms.join({ wallet: 'w' });
    call(MODEL);
    const shown = await metrics.scrape();
    const timesOf = (name: string, labels = {}): (number | null)[] =>
      ['_sum', '_count'].map((part) => shown.value(`${name}${part}`, { model: MODEL, ...labels }));
    expect(timesOf('meshnet_request_duration_seconds', { outcome: 'completed' })).toEqual([0.72, 1]);
    expect(timesOf('meshnet_time_to_first_token_seconds', { prompt_size: '<1024' })).toEqual([0.6, 1]);
    expect(timesOf('meshnet_queue_wait_seconds')).toEqual([0.4, 1]);
    expect(timesOf('meshnet_inter_token_seconds')).toEqual([0.12, 3]);
    const bucket = (le: string): number | null =>
      shown.value('meshnet_inter_token_seconds_bucket', { model: MODEL, le });
    expect([bucket('0.025'), bucket('0.05'), bucket('30'), bucket('+Inf')]).toEqual([0, 3, 3, 3]);
  });

  it('that scouted beside a proven route tells what that cost its user', async () => {
    rooms.join({ wallet: 'fast' });
    rooms.prove(MODEL, { 'fast:all': 1000 });
    rooms.join({ wallet: 'slow' });
    rooms.prove(MODEL, { 'fast:all': 1000 });
    const slow = { ...rooms.decide(MODEL, ['slow:all']), mode: 'scout' as const };
    const { considered } = rooms.decide(MODEL, null);
    const begun = metrics.calls.begin('r', MODEL, false, ORIGIN);
    metrics.calls.decided(begun, { ...slow, considered });
    rooms.clock.advance(2_100);
    metrics.calls.attemptEnded(begun, SERVED);
    metrics.calls.finish(begun, COMPLETED, TOLD);
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_scout_seconds_total', { model: MODEL })).toBeCloseTo(2, 9);
  });
});

describe('a chat that was turned away', () => {
  it('is a request without a mode, and is counted by its code', async () => {
    rooms.join({ wallet: 'w' });
    turnedAway({ model: MODEL, code: 'no_route' });
    turnedAway({});
    const shown = await metrics.scrape();
    const ofModel = (model: string): number | null =>
      shown.value('meshnet_requests_total', { model, mode: 'none', outcome: 'turned_away' });
    expect([ofModel(MODEL), ofModel('other')]).toEqual([1, 1]);
    expect(shown.value('meshnet_turned_away_total', { model: MODEL, code: 'no_route' })).toBe(1);
    expect(shown.value('meshnet_turned_away_total', { model: 'other', code: 'model_not_found' })).toBe(1);
  });

  it('for want of a route is counted from 0 on, so that the first is an increase', async () => {
    rooms.join({ wallet: 'w' });
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_turned_away_total', { model: MODEL, code: 'no_route' })).toBe(0);
  });
});

describe('what stands', () => {
  it('is shown of each model: epoch, layers that nobody serves, nodes, chats under way', async () => {
    const { node } = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    rooms.join({ wallet: 'v', shard: span(10, 29) });
    rooms.registry.drain(node.nodeId, null);
    metrics.calls.begin('1', MODEL, true, ORIGIN);
    metrics.calls.queued(metrics.calls.begin('2', MODEL, true, ORIGIN));
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_models')).toBe(1);
    expect(shown.value('meshnet_epoch', { model: MODEL })).toBe(3);
    expect(shown.value('meshnet_model_gap_layers', { model: MODEL })).toBe(20);
    expect(shown.value('meshnet_nodes', { model: MODEL, status: 'ready' })).toBe(1);
    expect(shown.value('meshnet_nodes', { model: MODEL, status: 'draining' })).toBe(1);
    expect(shown.value('meshnet_in_flight', { model: MODEL })).toBe(2);
    expect(shown.value('meshnet_queued')).toBe(1);
    expect(shown.value('meshnet_epoch_bumps_total', { model: MODEL, cause: 'drained' })).toBe(1);
  });

  it('is shown of each route as /v1/routing shows it, and goes with the route', async () => {
    const { leaseId } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.prove(MODEL, { 'a:all': 30 });
    const route = `${MODEL}|a:all[0-0]`;
    const shown = await metrics.scrape();
    const [table] = rooms.table.tables(MODEL);
    expect(shown.of('meshnet_route_traffic_share')).toHaveLength(2);
    for (const row of table?.candidates ?? []) {
      const labels = { model: MODEL, route: row.signature };
      expect(shown.value('meshnet_route_traffic_share', labels)).toBe(row.traffic_share);
      expect(shown.value('meshnet_route_learned_tokens_per_second', labels)).toBe(row.tps);
    }
    expect(shown.value('meshnet_routes', { status: 'proven' })).toBe(1);
    expect(shown.value('meshnet_routes', { status: 'unsampled' })).toBe(1);
    rooms.registry.deregister(leaseId);
    const later = await metrics.scrape();
    expect(later.text).not.toContain(route);
    expect(later.of('meshnet_breaker_state')).toHaveLength(1);
  });

  it('is shown of each breaker as a number', async () => {
    const { node } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    for (let failures = 0; failures < 3; failures += 1) {
      rooms.answer(rooms.decide(MODEL, ['a:all']), { ending: 'failed' });
    }
    const state = async (): Promise<number | null> =>
      (await metrics.scrape()).value('meshnet_breaker_state', { model: MODEL, node: node.nodeId });
    expect(await state()).toBe(2);
    rooms.clock.advance(15_000);
    expect(await state()).toBe(1);
    rooms.answer(rooms.decide(MODEL, ['a:all']));
    expect(await state()).toBe(0);
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_breaker_changes_total', { model: MODEL, to: 'open' })).toBe(1);
  });

  it('counts what the nodes file came to', async () => {
    rooms.bus.publish('nodes_file.read', { entries: 1, at: 0 });
    rooms.bus.publish('nodes_file.refused', { faults: 2, at: 0 });
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_nodes_file_reads_total', { result: 'read' })).toBe(1);
    expect(shown.value('meshnet_nodes_file_reads_total', { result: 'refused' })).toBe(1);
  });
});

describe('the series', () => {
  it('of a model go when it is forgotten, all of them, and what is shared stays', async () => {
    const { leaseId } = rooms.join({ wallet: 'w' });
    call(MODEL);
    turnedAway({ model: MODEL, code: 'no_route' });
    turnedAway({});
    rooms.registry.deregister(leaseId);
    expect((await metrics.scrape()).text).toContain(MODEL);
    rooms.clock.advance(DAY_MS);
    const shown = await metrics.scrape();
    expect(shown.text).not.toContain(MODEL);
    expect(shown.sum('meshnet_requests_total', { model: 'other' })).toBe(1);
    // What still comes of it counts with the unknown ones.
    turnedAway({ model: MODEL });
    expect((await metrics.scrape()).sum('meshnet_requests_total', { model: 'other' })).toBe(2);
  });

  it('count anew for a model that was forgotten and comes back', async () => {
    const { leaseId } = rooms.join({ wallet: 'w' });
    call(MODEL);
    rooms.registry.deregister(leaseId);
    rooms.clock.advance(DAY_MS);
    rooms.join({ wallet: 'w' });
    call(MODEL);
    const shown = await metrics.scrape();
    expect(shown.sum('meshnet_requests_total', { model: MODEL })).toBe(1);
    expect(shown.value('meshnet_inter_token_seconds_count', { model: MODEL })).toBe(3);
  });

  it('of models beyond the first 200 are one, added up', async () => {
    for (let n = 0; n < 203; n += 1) rooms.join({ wallet: `w${String(n)}`, model: `m${String(n)}` });
    for (const model of ['m0', 'm201', 'm202']) {
      call(model);
      metrics.calls.begin('r', model, true, ORIGIN);
    }
    const shown = await metrics.scrape();
    expect(shown.sum('meshnet_requests_total', { model: 'm0' })).toBe(1);
    expect(shown.sum('meshnet_requests_total', { model: 'other' })).toBe(2);
    expect(shown.value('meshnet_in_flight', { model: 'other' })).toBe(2);
    expect(shown.value('meshnet_nodes', { model: 'other', status: 'ready' })).toBe(3);
    expect(shown.value('meshnet_models')).toBe(203);
    expect(shown.value('meshnet_route_series_dropped')).toBe(3);
    expect(shown.value('meshnet_node_series_dropped')).toBe(3);
    expect(shown.value('meshnet_epoch', { model: 'other' })).toBeNull();
  });

  it('of a model that is really called other are the shared ones, and outlive it', async () => {
    const { leaseId } = rooms.join({ wallet: 'w', model: 'other' });
    call('other');
    rooms.registry.deregister(leaseId);
    rooms.clock.advance(DAY_MS);
    const shown = await metrics.scrape();
    expect(shown.sum('meshnet_requests_total', { model: 'other' })).toBe(1);
    expect(shown.value('meshnet_inter_token_seconds_count', { model: 'other' })).toBe(3);
    expect(shown.of('meshnet_epoch')).toEqual([]);
  });

  it('of routes are at most 2,000; how many routes had none is told', async () => {
    rooms = new Rooms({ routing: { maxCandidates: 64 } });
    metrics = new MetricsRoom(rooms);
    for (let n = 0; n < 17 * 60; n += 1) {
      rooms.join({ wallet: `w${String(n)}`, model: `m${String(n % 17)}` });
    }
    const shown = await metrics.scrape();
    expect(shown.of('meshnet_route_traffic_share')).toHaveLength(1000);
    expect(shown.value('meshnet_route_series_dropped')).toBe(20);
    expect(shown.sum('meshnet_routes')).toBe(1020);
  });

  it('of nodes are at most 2,000; how many nodes had none is told', async () => {
    for (let n = 0; n < 2010; n += 1) rooms.join({ wallet: `w${String(n)}` });
    const shown = await metrics.scrape();
    expect(shown.of('meshnet_breaker_state')).toHaveLength(2000);
    expect(shown.value('meshnet_node_series_dropped')).toBe(10);
  });

  it('carry names with quotes, backslashes and any script unharmed', async () => {
    const model = 'Qwen/"3"\\n, 模型 {le="1"}';
    rooms.join({ wallet: 'w', model });
    call(model);
    const shown = await metrics.scrape();
    expect(shown.sum('meshnet_requests_total', { model })).toBe(1);
    expect(shown.value('meshnet_route_traffic_share', { model, route: `${model}|w:all[0-0]` })).toBe(1);
  });
});

describe('a policy that predicts', () => {
  it('shows what it expects of routes, and believes of nodes that were seen', async () => {
    rooms = new Rooms({ routing: { policy: 'least-expected-delay', controlShare: 0, exploreShare: 0 } });
    metrics = new MetricsRoom(rooms);
    const { node } = rooms.join({ wallet: 'w', throughputTps: 20 });
    const { route } = rooms.decide(MODEL, null);
    const ask = { promptTokens: 0, mostOutputTokens: null, isStream: false };
    const seen = (): Promise<number | null> =>
      metrics
        .scrape()
        .then((shown) => shown.value('meshnet_node_speed_factor', { model: MODEL, node: node.nodeId }));
    expect(rooms.speeds.beliefOf(MODEL, node.key)).not.toBeNull();
    const watched = rooms.expectations.begin(route, ask);
    rooms.clock.advance(40_000);
    watched?.finished({ promptTokens: 0, outputTokens: 200 }, 0, rooms.speeds.seconds());
    const shown = await metrics.scrape();
    const predicted = shown.value('meshnet_route_predicted_seconds', {
      model: MODEL,
      route: route.signature,
    });
    expect(predicted).toBeGreaterThan(10);
    expect(await seen()).toBeLessThan(0.8);
  });

  it('is none while the policy asks for nothing', async () => {
    const { node } = rooms.join({ wallet: 'w', throughputTps: 20 });
    const { signature } = rooms.decide(MODEL, null);
    const shown = await metrics.scrape();
    expect(shown.value('meshnet_route_predicted_seconds', { model: MODEL, route: signature })).toBeNull();
    expect(shown.value('meshnet_node_speed_factor', { model: MODEL, node: node.nodeId })).toBeNull();
  });
});
