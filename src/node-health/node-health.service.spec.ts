import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aSpec, MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import type { Outcome, Ticket, TicketedRoute } from './index.js';

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
});

function routeOver(...nodes: MeshNode[]): TicketedRoute {
  return {
    signature: nodes.map(({ nodeId }) => nodeId).join('->'),
    hops: nodes.map((node) => ({ node })),
  };
}

function twoHops(): [MeshNode, MeshNode] {
  return [
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40 }).node,
    rooms.join({ wallet: 'cpu', shard: span(0, 39) }).node,
  ];
}

describe('a ticket', () => {
  it('counts the attempt in on its route and on every node, and out when it settles', () => {
    const [gpu, cpu] = twoHops();
    const both = rooms.health.take(routeOver(gpu, cpu));
    const alone = rooms.health.take(routeOver(cpu));
    expect(rooms.health.inFlight).toBe(2);
    expect([gpu, cpu].map((node) => rooms.health.inFlightOn(node))).toEqual([1, 2]);
    expect(rooms.health.inFlightOf('gpu:0-21->cpu:0-39')).toBe(1);
    both.settle({ kind: 'success' });
    expect([gpu, cpu].map((node) => rooms.health.inFlightOn(node))).toEqual([0, 1]);
    expect(rooms.health.inFlightOf('gpu:0-21->cpu:0-39')).toBe(0);
    alone.settle({ kind: 'neutral' });
    expect(rooms.health.inFlight).toBe(0);
  });

  it('settles once: only the first outcome counts', () => {
    const [gpu] = twoHops();
    const ticket = rooms.health.take(routeOver(gpu));
    ticket.settle({ kind: 'neutral' });
    ticket.settle({ kind: 'failure', blame: gpu });
    ticket.settle({ kind: 'failure', blame: gpu });
    expect(rooms.health.inFlight).toBe(0);
    expect(rooms.health.inFlightOn(gpu)).toBe(0);
    expect(rooms.health.reputation(gpu)).toBe(1);
  });

  it('brings every count back to zero, however takes, settles, re-registrations and leaves interleave', () => {
    const outcome = (nodes: readonly MeshNode[]): fc.Arbitrary<Outcome> =>
      fc.oneof(
        fc.constant<Outcome>({ kind: 'success' }),
        fc.constant<Outcome>({ kind: 'neutral' }),
        fc.constantFrom(...nodes).map((blame): Outcome => ({ kind: 'failure', blame })),
      );
    const step = fc.record({
      act: fc.constantFrom('take', 'settle', 'settle', 'reregister', 'reshard', 'leave'),
      at: fc.nat(30),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.gen(), (steps, gen) => {
        const mesh = new Rooms();
        const wallets = ['a', 'b', 'c'];
        let end = 21;
        const seen = new Set<MeshNode>();
        const join = (wallet: string): void => {
          seen.add(mesh.registry.register(aSpec({ wallet, shard: span(0, end), numLayers: 40 })).node);
        };
        wallets.forEach(join);
        const tickets: Ticket[] = [];
        let open = 0;
        const settled = new Set<Ticket>();
        for (const { act, at } of steps) {
          const wallet = wallets[at % 3] ?? 'a';
          const here = mesh.registry.nodes();
          if (act === 'reregister') join(wallet);
          if (act === 'reshard') {
            end = 22 + (at % 10);
            join(wallet);
          }
          if (act === 'leave') mesh.registry.delete(here[at % 3]?.nodeId ?? '', null);
          if (act === 'take' && here.length > 0) {
            tickets.push(mesh.health.take(routeOver(...here.slice(0, 1 + (at % here.length)))));
            open += 1;
          }
          const ticket = tickets[at];
          if (act === 'settle' && ticket !== undefined) {
            ticket.settle(gen(outcome, [...seen]));
            if (!settled.has(ticket)) open -= 1;
            settled.add(ticket);
          }
          expect(mesh.health.inFlight).toBe(open);
        }
        for (const ticket of tickets) ticket.settle({ kind: 'success' });
        expect(mesh.health.inFlight).toBe(0);
        for (const node of seen) expect(mesh.health.inFlightOn(node)).toBe(0);
      }),
    );
  });

  it('goes on counting on the node that was re-registered meanwhile', () => {
    const { node } = rooms.join({ wallet: 'w' });
    const ticket = rooms.health.take(routeOver(node));
    rooms.join({ wallet: 'w' });
    expect(rooms.health.inFlightOn(node)).toBe(1);
    ticket.settle({ kind: 'success' });
    expect(rooms.health.inFlightOn(node)).toBe(0);
  });
});

describe('an outcome', () => {
  it('that is a success counts for every hop', () => {
    const [gpu, cpu] = twoHops();
    rooms.health.take(routeOver(gpu, cpu)).settle({ kind: 'failure', blame: gpu });
    rooms.health.take(routeOver(cpu)).settle({ kind: 'failure', blame: cpu });
    rooms.health.take(routeOver(gpu, cpu)).settle({ kind: 'success' });
    expect([gpu, cpu].map((node) => rooms.health.reputation(node))).toEqual([2 / 3, 2 / 3]);
  });

  it('that is a failure counts for the hop at fault alone', () => {
    const [gpu, cpu] = twoHops();
    rooms.health.take(routeOver(gpu, cpu)).settle({ kind: 'failure', blame: cpu });
    expect([gpu, cpu].map((node) => rooms.health.reputation(node))).toEqual([1, 1 / 2]);
  });

  it('that was not the nodes’ doing counts for nobody', () => {
    const [gpu, cpu] = twoHops();
    rooms.health.take(routeOver(gpu, cpu)).settle({ kind: 'neutral' });
    expect([gpu, cpu].map((node) => rooms.health.reputation(node))).toEqual([1, 1]);
  });

  it('heals by half every half-life of the stats', () => {
    const [gpu] = twoHops();
    rooms.health.take(routeOver(gpu)).settle({ kind: 'failure', blame: gpu });
    rooms.clock.advance(rooms.settings.routing.statsHalfLifeSeconds * 1000);
    expect(rooms.health.reputation(gpu)).toBeCloseTo(1 / 1.5, 12);
  });

  it('of an attempt on an earlier registration is not credited to the present one', () => {
    const { node } = rooms.join({ wallet: 'w' });
    const ticket = rooms.health.take(routeOver(node));
    rooms.join({ wallet: 'w' });
    ticket.settle({ kind: 'failure', blame: node });
    expect(rooms.health.reputation(node)).toBe(1);
  });

  it('stays with a node that registers again, and goes when its shard changes', () => {
    const { node } = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    rooms.health.take(routeOver(node)).settle({ kind: 'failure', blame: node });
    rooms.join({ wallet: 'w', shard: span(0, 21) });
    expect(rooms.health.reputation(node)).toBe(1 / 2);
    const { node: resharded } = rooms.join({ wallet: 'w', shard: span(0, 39) });
    expect(rooms.health.reputation(resharded)).toBe(1);
    expect(rooms.registry.nodes(MODEL)).toEqual([resharded]);
  });
});

describe('a breaker that opens again', () => {
  it('stays open for its own time, not for what was left of the first', () => {
    const node = rooms.join({ wallet: 'w' }).node;
    rooms.join({ wallet: 'other' });
    const failThrice = (): void => {
      for (let n = 0; n < 3; n += 1)
        rooms.health.take(routeOver(node)).settle({ kind: 'failure', blame: node });
    };
    failThrice();
    rooms.clock.advance(10_000);
    rooms.health.take(routeOver(node)).settle({ kind: 'success' });
    failThrice();
    rooms.clock.advance(14_000);
    expect(rooms.health.breaker(node).state).toBe('open');
    rooms.clock.advance(1_000);
    expect(rooms.health.breaker(node).state).toBe('half_open');
  });
});
