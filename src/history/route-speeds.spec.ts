import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RouteSpeedsStore } from './route-speeds.js';

describe('the speeds of routes', () => {
  it('are by minute the mean of the samples, their number, and what was learned after the last', () => {
    const store = new RouteSpeedsStore();
    store.record('m', 'm|a', 100, 10, 10);
    store.record('m', 'm|a', 100, 20, 14);
    store.record('m', 'm|a', 103, 50, 30);
    expect(store.of('m', 103)).toEqual([
      {
        signature: 'm|a',
        minutes: [
          { minute: 100, tps: 15, learnedTps: 14, samples: 2 },
          { minute: 103, tps: 50, learnedTps: 30, samples: 1 },
        ],
      },
    ]);
  });

  it('are those of the model asked for, newest sampled first', () => {
    const store = new RouteSpeedsStore();
    for (const signature of ['m|a', 'm|b', 'm|a']) store.record('m', signature, 100, 1, 1);
    store.record('other', 'other|a', 100, 1, 1);
    expect(store.of('m', 100).map(({ signature }) => signature)).toEqual(['m|a', 'm|b']);
    expect(store.of('nobody', 100)).toEqual([]);
  });

  it('are all there for an hour, minute for minute, and then gone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(25), fc.nat(2)), { maxLength: 50 }),
        fc.nat(70),
        (steps, later) => {
          const store = new RouteSpeedsStore();
          const samples: { minute: number; signature: string }[] = [];
          for (const [gap, route] of steps) {
            const minute = (samples.at(-1)?.minute ?? 100) + gap;
            samples.push({ minute, signature: `m|${String(route)}` });
            store.record('m', `m|${String(route)}`, minute, 5, 5);
          }
          const now = (samples.at(-1)?.minute ?? 100) + later;
          const told = store
            .of('m', now)
            .flatMap(({ signature, minutes }) =>
              minutes.flatMap(({ minute, samples: count }) =>
                Array.from({ length: count }, () => ({ minute, signature })),
              ),
            );
          const order = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
          const wanted = samples.filter(({ minute }) => minute > now - 60);
          expect(told.sort(order)).toEqual(wanted.sort(order));
          expect(store.size).toBe(new Set(wanted.map(({ signature }) => signature)).size);
        },
      ),
    );
  });

  it('are of 4,096 routes at most: the one sampled longest ago makes room', () => {
    const store = new RouteSpeedsStore();
    for (let n = 0; n < 4096; n += 1) store.record('m', `m|${String(n)}`, 100, 1, 1);
    store.record('m', 'm|0', 100, 1, 1);
    store.record('m', 'm|new', 100, 1, 1);
    const kept = new Set(store.of('m', 100).map(({ signature }) => signature));
    expect([store.size, kept.has('m|0'), kept.has('m|1'), kept.has('m|new')]).toEqual([
      4096,
      true,
      false,
      true,
    ]);
  });

  it('go with their model', () => {
    const store = new RouteSpeedsStore();
    for (const model of ['a', 'b']) store.record(model, `${model}|w`, 100, 1, 1);
    store.forget('a');
    expect([store.size, store.of('a', 100), store.of('b', 100).length]).toEqual([1, [], 1]);
  });
});
