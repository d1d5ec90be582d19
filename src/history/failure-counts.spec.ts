import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FailureCounts, type Failure } from './failure-counts.js';

const failure: fc.Arbitrary<Failure> = fc.record({
  nodeId: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
  cause: fc.constantFrom('node_failed', 'node_timeout', 'no_route'),
});

function countsOf(failures: readonly Failure[]): FailureCounts {
  const counts = new FailureCounts();
  for (const each of failures) counts.add(each);
  return counts;
}

describe('counts of failures', () => {
  it('tell each node and cause once, the most frequent first', () => {
    const [a, b] = [
      { nodeId: 'a', cause: 'node_timeout' },
      { nodeId: 'b', cause: 'node_failed' },
    ];
    const counts = countsOf([a, b, a, { nodeId: null, cause: 'no_route' }, { ...a, cause: 'node_failed' }]);
    expect(counts.mostFrequent(20)).toEqual([
      { node_id: 'a', cause: 'node_timeout', count: 2 },
      { node_id: null, cause: 'no_route', count: 1 },
      { node_id: 'a', cause: 'node_failed', count: 1 },
      { node_id: 'b', cause: 'node_failed', count: 1 },
    ]);
    expect(counts.mostFrequent(1)).toHaveLength(1);
  });

  it('lose none, and are the same however they are parted and merged', () => {
    fc.assert(
      fc.property(fc.array(failure), fc.array(failure), (first, second) => {
        const merged = countsOf(first);
        merged.merge(countsOf(second));
        const rows = merged.mostFrequent(99);
        expect(rows).toEqual(countsOf([...second, ...first]).mostFrequent(99));
        expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(first.length + second.length);
      }),
    );
  });

  it('name no more than 256 nodes, and count the failures of the others all the same', () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({
      nodeId: `n${String(at)}`,
      cause: 'node_failed',
    }));
    const counts = countsOf([...many, many[0]!, { nodeId: 'z', cause: 'node_timeout' }]);
    const rows = counts.mostFrequent(2000);
    expect(rows).toHaveLength(258);
    expect(rows[0]).toEqual({ node_id: null, cause: 'node_failed', count: 744 });
    expect(rows[1]).toEqual({ node_id: 'n0', cause: 'node_failed', count: 2 });
    expect(rows.at(-1)).toEqual({ node_id: null, cause: 'node_timeout', count: 1 });
  });
});
