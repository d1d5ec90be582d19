import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Call } from './call.js';
import { CallRing } from './call-ring.js';
import type { KeptCall } from './call-story.js';

function keptOf(requestId: string, wallMs = 0): KeptCall {
  const call = new Call({ requestId, model: 'm', stream: false, at: 0, wallMs });
  return { record: call.record(0), choices: [] };
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('the ring of finished calls', () => {
  it('is empty at first', () => {
    const ring = new CallRing(3);
    expect([ring.size, [...ring.newestFirst()], ring.get('a')]).toEqual([0, [], null]);
  });

  it('keeps the newest, as many as it holds, newest first', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...IDS)), fc.integer({ min: 1, max: 5 }), (ids, capacity) => {
        const ring = new CallRing(capacity);
        const calls = ids.map((id, at) => keptOf(id, at));
        for (const call of calls) ring.add(call);
        const kept = calls.slice(-capacity).reverse();
        expect([...ring.newestFirst()]).toEqual(kept);
        expect(ring.size).toBe(kept.length);
        for (const id of IDS) {
          expect(ring.get(id)).toBe(kept.find(({ record }) => record.request_id === id) ?? null);
        }
      }),
    );
  });

  it('finds the newer of two calls under one id, also when the older one falls out', () => {
    const ring = new CallRing(2);
    const [older, newer] = [keptOf('same', 1), keptOf('same', 2)];
    ring.add(older);
    ring.add(newer);
    expect(ring.get('same')).toBe(newer);
    ring.add(keptOf('other'));
    expect(ring.get('same')).toBe(newer);
    ring.add(keptOf('another'));
    expect(ring.get('same')).toBeNull();
  });
});
