import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';

let rooms: Rooms;

beforeEach(() => {
  rooms = new Rooms({ routing: { policy: 'least-expected-delay', controlShare: 0 } });
  rooms.join({ wallet: 'slow', shard: span(0, 9), numLayers: 10, throughputTps: 10 });
  rooms.join({ wallet: 'fast', shard: span(0, 9), numLayers: 10, throughputTps: 18 });
});

function chosen(): string {
  const decision = rooms.decide(MODEL, null);
  return decision.route.hops[0]?.node.wallet ?? '';
}

describe('with the policy least-expected-delay', () => {
  it('a chat goes to the node that would be done first, what it holds counted in', () => {
    expect(chosen()).toBe('fast');
    const decision = rooms.decide(MODEL, null);
    for (let times = 0; times < 4; times += 1) rooms.health.take(decision.route);
    expect(chosen()).toBe('slow');
  });

  it('a decision says what was expected of each candidate', () => {
    const decision = rooms.decide(MODEL, null);
    for (const { expected } of decision.considered.eligible) {
      expect(expected?.seconds).toBeGreaterThan(0);
      expect(expected?.inFlight).toBe(0);
    }
    expect(decision.probability).toBeGreaterThan(0.9);
  });

  it('no route with an open breaker is picked while another is closed', () => {
    const decision = rooms.decide(MODEL, null);
    const [hop] = decision.route.hops;
    for (let times = 0; times < 3; times += 1) {
      rooms.health.take(decision.route).settle({ kind: 'failure', blame: hop!.node });
    }
    expect(rooms.health.isBlocked(hop!.node)).toBe(true);
    for (let times = 0; times < 50; times += 1) expect(chosen()).toBe('slow');
  });
});
