import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Call } from './call.js';
import type { CallRecord } from './call-record.js';
import { CallRing } from './call-ring.js';

function recordOf(requestId: string, wallMs = 0): CallRecord {
  const call = new Call({ requestId, model: 'm', stream: false, at: 0, wallMs });
  return call.record(0);
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
        const records = ids.map((id, at) => recordOf(id, at));
        for (const record of records) ring.add(record);
        const kept = records.slice(-capacity).reverse();
        expect([...ring.newestFirst()]).toEqual(kept);
        expect(ring.size).toBe(kept.length);
        for (const id of IDS) {
          expect(ring.get(id)).toBe(kept.find(({ request_id }) => request_id === id) ?? null);
        }
      }),
    );
  });

  it('finds the newer of two calls under one id, also when the older one falls out', () => {
    const ring = new CallRing(2);
    const [older, newer] = [recordOf('same', 1), recordOf('same', 2)];
    ring.add(older);
    ring.add(newer);
    expect(ring.get('same')).toBe(newer);
    ring.add(recordOf('other'));
    expect(ring.get('same')).toBe(newer);
    ring.add(recordOf('another'));
    expect(ring.get('same')).toBeNull();
  });
});
