import { beforeEach, describe, expect, it } from '@jest/globals';
import { span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import type { Charge, Outcome } from './index.js';

const RECENT_MS = 600_000;

let rooms: Rooms;
let node: MeshNode;
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: 1e6 } });
  node = rooms.join({ wallet: 'w' }).node;
  rooms.join({ wallet: 'other' });
});

/** One attempt on a route over these nodes. */
function attempt(outcome: Outcome, ...nodes: MeshNode[]): void {
  const hops = (nodes.length === 0 ? [node] : nodes).map((one) => ({ node: one }));
  rooms.health.take({ signature: 's', hops }).settle(outcome);
}

function times(count: number, outcome: Outcome): void {
  for (let n = 0; n < count; n += 1) attempt(outcome);
}

/** What a failure of an attempt that begins now would be charged to. */
function aCharge(): Charge {
  const ticket = rooms.health.take({ signature: 's', hops: [{ node }] });
  const charge = ticket.chargeOf(node);
  ticket.settle({ kind: 'neutral' });
  return charge;
}

const SUCCESS: Outcome = { kind: 'success' };
const failure = (isCut = false): Outcome => ({ kind: 'failure', blame: node, isCut });
const nothing = (): Outcome => ({ kind: 'nothing', by: node });

/** What of the node's health failures change. */
function health(): unknown {
  return [rooms.health.reputation(node), rooms.health.steadiness(node), rooms.health.breaker(node)];
}

describe('a node', () => {
  it('is unproven until it gives a completion, and again ten minutes after', () => {
    expect(rooms.health.isUnproven(node)).toBe(true);
    attempt(SUCCESS);
    expect(rooms.health.isUnproven(node)).toBe(false);
    rooms.clock.advance(RECENT_MS);
    expect(rooms.health.isUnproven(node)).toBe(false);
    rooms.clock.advance(1);
    expect(rooms.health.isUnproven(node)).toBe(true);
  });

  it.each<[string, () => Outcome]>([
    ['failures', failure],
    ['answers of nothing', nothing],
  ])('is unproven and failing after three %s in a row', (_, outcome) => {
    attempt(SUCCESS);
    times(2, outcome());
    expect([rooms.health.isUnproven(node), rooms.health.isFailing(node)]).toEqual([false, false]);
    times(1, outcome());
    expect([rooms.health.isUnproven(node), rooms.health.isFailing(node)]).toEqual([true, true]);
    attempt(SUCCESS);
    expect([rooms.health.isUnproven(node), rooms.health.isFailing(node)]).toEqual([false, false]);
  });

  it('is held while it owes whole answers after a cut', () => {
    expect(rooms.health.isHeld(node)).toBe(false);
    attempt(failure());
    expect(rooms.health.isHeld(node)).toBe(false);
    attempt(failure(true));
    for (let n = 0; n < 4; n += 1) {
      expect(rooms.health.isHeld(node)).toBe(true);
      attempt(SUCCESS);
    }
    expect(rooms.health.isHeld(node)).toBe(false);
  });

  it('loses steadiness by failures, and neither by time nor by successes', () => {
    expect(rooms.health.steadiness(node)).toBe(1);
    attempt(SUCCESS);
    expect(rooms.health.steadiness(node)).toBe(1);
    attempt(failure());
    expect(rooms.health.steadiness(node)).toBeCloseTo(0.8 ** 8, 12);
    rooms.clock.advance(86_400_000);
    expect(rooms.health.steadiness(node)).toBeCloseTo(0.8 ** 8, 12);
    attempt(SUCCESS);
    expect(rooms.health.steadiness(node)).toBeCloseTo(0.84 ** 8, 12);
  });
});

describe('an attempt that gave nothing', () => {
  it('leaves reputation, steadiness and breaker', () => {
    times(9, nothing());
    expect(health()).toEqual([1, 1, expect.objectContaining({ state: 'closed', failuresInRow: 0 })]);
  });

  it('is that of one node, as a failure is', () => {
    const tail = rooms.join({ wallet: 'tail', shard: span(0, 21), numLayers: 40 }).node;
    attempt(SUCCESS, node, tail);
    for (let n = 0; n < 3; n += 1) attempt(nothing(), node, tail);
    expect([rooms.health.isFailing(node), rooms.health.isFailing(tail)]).toEqual([true, false]);
    for (let n = 0; n < 3; n += 1) attempt({ kind: 'failure', blame: tail, isCut: true }, node, tail);
    expect([rooms.health.isFailing(tail), rooms.health.isHeld(tail)]).toEqual([true, true]);
    expect(rooms.health.isHeld(node)).toBe(false);
  });

  it('says nothing where it was neutral', () => {
    attempt(SUCCESS);
    times(9, { kind: 'neutral' });
    expect([rooms.health.isUnproven(node), rooms.health.isFailing(node)]).toEqual([false, false]);
  });

  it('of an earlier registration is not the present one’s', () => {
    attempt(SUCCESS);
    const old = Array.from({ length: 3 }, () => rooms.health.take({ signature: 's', hops: [{ node }] }));
    rooms.join({ wallet: 'w' });
    for (const ticket of old) ticket.settle(nothing());
    expect(rooms.health.isFailing(node)).toBe(false);
  });
});

describe('a charge', () => {
  it('counts as a failure does, later', () => {
    const charge = aCharge();
    expect(health()).toEqual([1, 1, expect.objectContaining({ failuresInRow: 0 })]);
    rooms.health.charge(charge);
    expect(rooms.health.reputation(node)).toBe(1 / 2);
    expect(rooms.health.steadiness(node)).toBeCloseTo(0.8 ** 8, 12);
    expect(rooms.health.breaker(node).failuresInRow).toBe(1);
    rooms.health.charge(charge);
    rooms.health.charge(charge);
    expect([rooms.health.isFailing(node), rooms.health.breaker(node).state]).toEqual([true, 'open']);
    expect(rooms.health.isHeld(node)).toBe(false);
  });

  it('is of the registration at which the attempt began', () => {
    const ticket = rooms.health.take({ signature: 's', hops: [{ node }] });
    rooms.join({ wallet: 'w' });
    rooms.health.charge(ticket.chargeOf(node));
    ticket.settle({ kind: 'neutral' });
    expect(rooms.health.reputation(node)).toBe(1);
    rooms.health.charge(aCharge());
    expect(rooms.health.reputation(node)).toBe(1 / 2);
  });

  it('of a node off the route is of its present registration', () => {
    const ticket = rooms.health.take({ signature: 's', hops: [] });
    expect(ticket.chargeOf(node)).toEqual({ node, incarnation: node.incarnation });
    ticket.settle({ kind: 'neutral' });
  });

  it('is nothing to a node that has left', () => {
    const charge = aCharge();
    rooms.registry.delete(node.nodeId, null);
    rooms.health.charge(charge);
    expect(rooms.health.reputation(node)).toBe(1);
  });
});

describe('a charge that is taken back', () => {
  it('leaves the node as it was', () => {
    attempt(SUCCESS);
    attempt(failure());
    const before = health();
    const charge = aCharge();
    rooms.health.charge(charge);
    rooms.health.forgive(charge);
    const [reputation, steadiness, breaker] = before as [number, number, unknown];
    expect(health()).toEqual([expect.closeTo(reputation, 12), expect.closeTo(steadiness, 12), breaker]);
  });

  it('closes the breaker that it opened, and tells of it', () => {
    times(2, failure());
    const charge = aCharge();
    rooms.health.charge(charge);
    expect([rooms.health.isBlocked(node), rooms.health.isFailing(node)]).toEqual([true, true]);
    const [version, timers] = [rooms.health.availabilityVersion(node.model), rooms.clock.liveTimers];
    rooms.health.forgive(charge);
    expect([rooms.health.isBlocked(node), rooms.health.isFailing(node)]).toEqual([false, false]);
    expect(rooms.health.availabilityVersion(node.model)).toBeGreaterThan(version);
    expect(rooms.clock.liveTimers).toBe(timers - 1);
    const changes = rooms.events.filter(({ type }) => type === 'breaker.changed').map(({ fact }) => fact);
    expect(changes).toEqual([
      expect.objectContaining({ from: 'closed', to: 'open' }),
      expect.objectContaining({ from: 'open', to: 'closed' }),
    ]);
  });

  it('leaves the breaker open that other failures opened', () => {
    const charge = aCharge();
    rooms.health.charge(charge);
    times(3, failure());
    rooms.health.forgive(charge);
    expect(rooms.health.breaker(node)).toMatchObject({ state: 'open', failuresInRow: 3 });
  });

  it('changes nothing where a success came between', () => {
    const charge = aCharge();
    rooms.health.charge(charge);
    attempt(SUCCESS);
    rooms.health.forgive(charge);
    expect(rooms.health.breaker(node)).toMatchObject({ state: 'closed', failuresInRow: 0 });
    expect([rooms.health.reputation(node), rooms.health.isUnproven(node)]).toEqual([1, false]);
  });

  it('changes nothing for a node without attempts, one that has left, or one registered anew', () => {
    const charge = aCharge();
    rooms.health.forgive(charge);
    expect(rooms.health.reputation(node)).toBe(1);
    rooms.health.charge(charge);
    rooms.join({ wallet: 'w' });
    rooms.health.forgive(charge);
    expect(rooms.health.reputation(node)).toBe(1 / 2);
    const present = aCharge();
    rooms.registry.delete(node.nodeId, null);
    rooms.health.forgive(present);
    expect(rooms.health.reputation(node)).toBe(1 / 2);
  });
});
