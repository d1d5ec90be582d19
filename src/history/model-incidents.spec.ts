import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CountedCall } from './counted-call.js';
import { ModelIncidents } from './model-incidents.js';

const SERVED: CountedCall = { result: 'succeeded', hadToWait: false, ttftMs: null, failures: [] };
const NOTHING = { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 };

function failed(nodeId: string | null, cause: string): CountedCall {
  return { ...SERVED, result: 'failed', failures: [{ nodeId, cause }] };
}

describe("a model's incidents", () => {
  it('are nothing, and no ratio of nothing, where there were no calls', () => {
    expect(new ModelIncidents().row(500)).toEqual({ now: NOTHING, hour_ago: NOTHING, failures: [] });
  });

  it('leave what the client did itself out of the ratio', () => {
    const incidents = new ModelIncidents();
    for (const result of ['succeeded', 'succeeded', 'succeeded', 'failed', 'neither', 'neither'] as const) {
      incidents.add(500, { ...SERVED, result });
    }
    expect(incidents.row(500).now).toMatchObject({ calls: 6, succeeded: 3, success_ratio: 0.75 });
  });

  it('hold the last five minutes against those that ended an hour ago', () => {
    const incidents = new ModelIncidents();
    incidents.add(500, { ...SERVED, ttftMs: 100 });
    incidents.add(509, failed('a', 'node_failed'));
    incidents.add(510, { ...SERVED, hadToWait: true });
    const at = (slice: number): unknown[] => {
      const { now, hour_ago, failures } = incidents.row(slice);
      return [now.calls, hour_ago.calls, failures.length];
    };
    expect(at(509)).toEqual([2, 0, 1]);
    expect(at(510)).toEqual([2, 0, 1]);
    expect(at(519)).toEqual([1, 0, 0]);
    expect(at(520)).toEqual([0, 0, 0]);
    incidents.add(620, SERVED);
    expect(at(620)).toEqual([1, 1, 0]);
    expect(at(629)).toEqual([1, 2, 0]);
    expect(incidents.row(629).hour_ago).toMatchObject({
      ...{ success_ratio: 0.5, p95_ttft_ms: expect.closeTo(100, -1) },
    });
    expect(incidents.row(630).hour_ago).toMatchObject({ calls: 2, queued: 1 });
  });

  it('name the twenty most frequent failures of the last five minutes', () => {
    const incidents = new ModelIncidents();
    for (let node = 0; node < 30; node += 1) {
      for (let n = 0; n <= node; n += 1)
        incidents.add(500 + (n % 10), failed(`n${String(node)}`, 'node_failed'));
    }
    const { failures } = incidents.row(509);
    expect(failures).toHaveLength(20);
    expect(failures[0]).toEqual({ node_id: 'n29', cause: 'node_failed', count: 30 });
    expect(failures.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, (_, at) => 30 - at));
  });

  it('count each call in the windows that it falls in, and in no other', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { maxLength: 60 }), fc.nat(140), (gaps, later) => {
        const incidents = new ModelIncidents();
        const slices: number[] = [];
        for (const gap of gaps) {
          slices.push((slices.at(-1) ?? 1000) + gap);
          incidents.add(slices.at(-1)!, SERVED);
        }
        const now = (slices.at(-1) ?? 1000) + later;
        const within = (last: number): number => slices.filter((at) => at > last - 10 && at <= last).length;
        const row = incidents.row(now);
        expect([row.now.calls, row.hour_ago.calls]).toEqual([within(now), within(now - 120)]);
      }),
    );
  });

  it('are gone when no window reaches them any more', () => {
    const incidents = new ModelIncidents();
    incidents.add(500, failed('a', 'node_failed'));
    expect(incidents.prune(629)).toBe(true);
    expect(incidents.row(629).hour_ago.calls).toBe(1);
    expect(incidents.prune(630)).toBe(false);
  });
});
