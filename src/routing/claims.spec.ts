import { expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';

it('what was learned of a route stays as it is, whatever its node claims later; its prior is cut', () => {
  const rooms = new Rooms();
  const leases = ['a', 'b', 'c'].map((wallet) =>
    rooms.join({ wallet, shard: span(0, 9), numLayers: 10, throughputTps: 10 }),
  );
  rooms.prove(MODEL, { 'a:0-9': 5 });
  const [route] = rooms.candidates.candidates(MODEL).filter(({ hops }) => hops[0]?.node.wallet === 'a');
  const learned = rooms.stats.estimate(MODEL, route!.signature).tps;
  rooms.registry.heartbeat(leases[0]!.leaseId, { throughputTps: 1e9 });
  expect(rooms.stats.estimate(MODEL, route!.signature).tps).toBe(learned);
  expect(rooms.candidates.priors(MODEL, [route!])).toEqual([200]);
});
