import { beforeEach, describe, expect, it } from '@jest/globals';
import { aSpec, MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import {
  ConflictError,
  InvalidRequestError,
  LeaseUnknownError,
  NodeNotFoundError,
  type MeshEventType,
} from '../kernel/index.js';
import type { Ticket } from '../node-health/index.js';
import type { PortState } from './work-under-way.js';

const LEASE_MS = 90_000;
const DAY_MS = 24 * 3_600_000;

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
});

/** Comings and goings so far, in order. */
function moves(): string[] {
  const types: MeshEventType[] = ['node.joined', 'node.left'];
  return rooms.events.flatMap(({ type, fact }) =>
    types.includes(type) && 'node_id' in fact && 'cause' in fact
      ? [`${type} ${fact.node_id} ${fact.cause}`]
      : [],
  );
}

function ids(model: string | null = null): string[] {
  return rooms.registry.nodes(model).map(({ nodeId }) => nodeId);
}

describe('registering', () => {
  it('takes a node in under a lease of its own', () => {
    const { node, leaseId, isNew } = rooms.join({
      wallet: 'w',
      name: 'gpu',
      shard: span(0, 21),
      numLayers: 40,
    });
    expect(node).toMatchObject({ nodeId: 'w.gpu:0-21', shard: span(0, 21), queueDepth: 0, present: true });
    expect(isNew).toBe(true);
    expect(leaseId).not.toBe(rooms.join({ wallet: 'x' }).leaseId);
    expect(moves()).toEqual(['node.joined w.gpu:0-21 registered', 'node.joined x:all registered']);
  });

  it('knows a node again by wallet, name and model, and gives it a new lease', () => {
    const first = rooms.join({ wallet: 'w', throughputTps: 10, endpoint: 'http://a' });
    const again = rooms.join({ wallet: 'w', throughputTps: 20, queueDepth: 2, endpoint: 'http://b' });
    expect(again.isNew).toBe(false);
    expect(again.node).toBe(first.node);
    expect(again.node).toMatchObject({
      throughputTps: 20,
      queueDepth: 2,
      endpoint: 'http://b',
      incarnation: 2,
    });
    expect(rooms.registry.holder('http://a', MODEL)).toBeNull();
    expect(rooms.registry.holder('http://b', MODEL)).toBe(again.node);
    expect(() => rooms.registry.heartbeat(first.leaseId, {})).toThrow(LeaseUnknownError);
    expect(rooms.registry.heartbeat(again.leaseId, {})).toBe(again.node);
    expect(moves()).toEqual(['node.joined w:all registered']);
  });

  it('forgets what a re-registration no longer declares', () => {
    rooms.join({ wallet: 'w', throughputTps: 10, maxConcurrent: 2, upstreamModel: 'u' });
    const { node } = rooms.join({ wallet: 'w' });
    expect(node).toMatchObject({ throughputTps: null, maxConcurrent: null, upstreamModel: null });
  });

  it('keeps apart what differs in wallet, name or model', () => {
    for (const [at, identity] of [
      { wallet: 'w' },
      { wallet: 'v' },
      { wallet: 'w', name: 'a' },
      { wallet: 'w', name: 'b' },
      { wallet: 'w', model: 'other' },
    ].entries()) {
      expect(rooms.join({ ...identity, endpoint: `http://h${String(at)}` }).isNew).toBe(true);
    }
    expect(ids()).toEqual(['w:all', 'v:all', 'w.a:all', 'w.b:all', 'w:all']);
  });

  it('makes another shard another node, which is one change of the topology', () => {
    const before = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    const after = rooms.join({ wallet: 'w', shard: span(0, 39) });
    expect(after.isNew).toBe(false);
    expect(after.node).not.toBe(before.node);
    expect(before.node.present).toBe(false);
    expect(after.node.incarnation).toBe(2);
    expect(ids()).toEqual(['w:0-39']);
    expect(moves().slice(1)).toEqual(['node.left w:0-21 resharded', 'node.joined w:0-39 resharded']);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    expect(() => rooms.registry.heartbeat(before.leaseId, {})).toThrow(LeaseUnknownError);
  });

  it('makes a shard of a whole-model node, and back, another node', () => {
    rooms.join({ wallet: 'w', numLayers: 40 });
    expect(rooms.join({ wallet: 'w', shard: span(0, 39) }).node.nodeId).toBe('w:0-39');
    expect(rooms.join({ wallet: 'w' }).node.nodeId).toBe('w:all');
    expect(rooms.topology.epoch(MODEL)).toBe(3);
  });

  it('leaves no ghost after fifty restarts under fresh names at one endpoint', () => {
    for (let restart = 0; restart < 50; restart += 1) {
      rooms.join({ wallet: 'w', name: `pod-${String(restart)}`, endpoint: 'http://pod' });
    }
    expect(ids()).toEqual(['w.pod-49:all']);
    expect(rooms.candidates.candidates(MODEL)).toHaveLength(1);
  });
});

describe('an endpoint', () => {
  it('is taken over by a sharded node from every other identity, whatever its model', () => {
    rooms.join({ wallet: 'a', model: 'x', endpoint: 'http://h' });
    rooms.join({ wallet: 'b', model: 'y', endpoint: 'http://h' });
    rooms.join({ wallet: 'c', endpoint: 'http://elsewhere' });
    rooms.join({ wallet: 'd', shard: span(0, 21), numLayers: 40, endpoint: 'http://h' });
    expect(ids()).toEqual(['c:all', 'd:0-21']);
    expect(moves()).toContain('node.left a:all endpoint_taken');
    expect(moves()).toContain('node.left b:all endpoint_taken');
  });

  it('is taken over by a whole-model node from the same model only', () => {
    rooms.join({ wallet: 'a', model: 'x', endpoint: 'http://h' });
    rooms.join({ wallet: 'b', model: 'y', endpoint: 'http://h' });
    rooms.join({ wallet: 'c', model: 'y', endpoint: 'http://h' });
    expect(ids()).toEqual(['a:all', 'c:all']);
  });

  it('is not taken by a node from itself', () => {
    const { node } = rooms.join({ wallet: 'a', shard: span(0, 21), numLayers: 40, endpoint: 'http://h' });
    rooms.join({ wallet: 'a', shard: span(0, 21), endpoint: 'http://h' });
    expect(node.present).toBe(true);
    expect(rooms.topology.epoch(MODEL)).toBe(1);
  });

  it('keeps its holder when the registration that wanted it is refused', () => {
    rooms.join({ wallet: 'a', endpoint: 'http://h', numLayers: 40 });
    expect(() => rooms.join({ wallet: 'b', endpoint: 'http://h', numLayers: 41 })).toThrow(ConflictError);
    expect(ids()).toEqual(['a:all']);
    expect(rooms.topology.epoch(MODEL)).toBe(1);
  });
});

describe('num_layers', () => {
  it('stays as first declared, and another one is a conflict', () => {
    rooms.join({ wallet: 'a', numLayers: 40 });
    rooms.join({ wallet: 'b', numLayers: 40 });
    expect(() => rooms.join({ wallet: 'c', numLayers: 41 })).toThrow(
      expect.objectContaining({ code: 'conflict', param: 'num_layers' }),
    );
    expect(ids()).toEqual(['a:all', 'b:all']);
  });

  it('is needed for the first shard of a model', () => {
    expect(() => rooms.join({ wallet: 'a', shard: span(0, 21) })).toThrow(InvalidRequestError);
    expect(() => rooms.join({ wallet: 'a', shard: span(0, 21) })).toThrow(
      expect.objectContaining({ param: 'num_layers' }),
    );
    expect(rooms.registry.isKnown(MODEL)).toBe(false);
    expect(rooms.topology.isKnown(MODEL)).toBe(false);
  });

  it('need not be repeated by later shards', () => {
    rooms.join({ wallet: 'a', shard: span(0, 21), numLayers: 40 });
    expect(rooms.join({ wallet: 'b', shard: span(22, 39) }).node.nodeId).toBe('b:22-39');
  });

  it('bounds every shard', () => {
    expect(() => rooms.join({ wallet: 'a', shard: span(0, 40), numLayers: 40 })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'shard_end' }),
    );
    rooms.join({ wallet: 'a', numLayers: 40 });
    expect(() => rooms.join({ wallet: 'b', shard: span(39, 40) })).toThrow(InvalidRequestError);
    expect(rooms.join({ wallet: 'b', shard: span(39, 39) }).isNew).toBe(true);
  });

  it('spreads whole-model nodes over the layers as soon as somebody declares it', () => {
    rooms.join({ wallet: 'plain' });
    expect(rooms.candidates.candidates(MODEL).map(({ signature }) => signature)).toEqual([
      `${MODEL}|plain:all[0-0]`,
    ]);
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40 });
    expect(rooms.topology.view(MODEL)).toMatchObject({ numLayers: 40 });
    expect(rooms.candidates.candidates(MODEL).map(({ signature }) => signature)).toEqual([
      `${MODEL}|plain:all[0-39]`,
      `${MODEL}|gpu:0-21[0-21]->plain:all[22-39]`,
    ]);
  });

  it('declared by a node that is here already makes it another arm, in one bump', () => {
    rooms.join({ wallet: 'plain' });
    const { node, isNew } = rooms.join({ wallet: 'plain', numLayers: 40 });
    expect(isNew).toBe(false);
    expect(node.nodeId).toBe('plain:all');
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    expect(rooms.candidates.candidates(MODEL)[0]?.signature).toBe(`${MODEL}|plain:all[0-39]`);
  });

  it('declared by a drained node counts at once too', () => {
    rooms.join({ wallet: 'plain' });
    rooms.registry.drain('plain:all', null);
    expect(rooms.topology.gaps(MODEL)).toMatchObject([span(0, 0)]);
    rooms.join({ wallet: 'plain', numLayers: 40 });
    expect(rooms.topology.gaps(MODEL)).toMatchObject([span(0, 39)]);
  });
});

describe('a lease', () => {
  it('ends 90 s after the last sign of life, to the millisecond', () => {
    const { node } = rooms.join({ wallet: 'w' });
    rooms.clock.advance(LEASE_MS - 1);
    expect(node.present).toBe(true);
    rooms.clock.advance(1);
    expect(node.present).toBe(false);
    expect(moves()).toEqual(['node.joined w:all registered', 'node.left w:all lease_expired']);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
  });

  it('is prolonged by a heartbeat', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w' });
    for (let beat = 0; beat < 10; beat += 1) {
      rooms.clock.advance(LEASE_MS - 1);
      rooms.registry.heartbeat(leaseId, {});
    }
    expect(node.present).toBe(true);
    rooms.clock.advance(LEASE_MS);
    expect(node.present).toBe(false);
    expect(() => rooms.registry.heartbeat(leaseId, {})).toThrow(LeaseUnknownError);
  });

  it('is prolonged by any byte of a chat', () => {
    const { node } = rooms.join({ wallet: 'w' });
    rooms.clock.advance(LEASE_MS - 1);
    rooms.registry.touch(node);
    rooms.clock.advance(LEASE_MS - 1);
    expect(node.present).toBe(true);
  });

  it('is not prolonged by bytes of a node that was replaced or has left', () => {
    const { node: before } = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    const { node: after } = rooms.join({ wallet: 'w', shard: span(0, 39) });
    rooms.clock.advance(LEASE_MS - 1);
    rooms.registry.touch(before);
    rooms.clock.advance(1);
    expect(after.present).toBe(false);
    rooms.registry.touch(before);
    expect(ids()).toEqual([]);
  });

  it('is prolonged by registering again', () => {
    const { node } = rooms.join({ wallet: 'w' });
    rooms.clock.advance(LEASE_MS - 1);
    rooms.join({ wallet: 'w' });
    rooms.clock.advance(LEASE_MS - 1);
    expect(node.present).toBe(true);
  });

  it('ends for each node at its own time', () => {
    const { node: first } = rooms.join({ wallet: 'a' });
    rooms.clock.advance(30_000);
    const { node: second } = rooms.join({ wallet: 'b' });
    rooms.clock.advance(60_000);
    expect([first.present, second.present]).toEqual([false, true]);
    rooms.clock.advance(30_000);
    expect(second.present).toBe(false);
  });

  it('does not care what the time of day does', () => {
    const { node } = rooms.join({ wallet: 'w' });
    rooms.clock.stepWall(DAY_MS);
    rooms.clock.advance(LEASE_MS - 1);
    expect(node.present).toBe(true);
    rooms.clock.stepWall(-2 * DAY_MS);
    rooms.clock.advance(1);
    expect(node.present).toBe(false);
  });

  it('may be a fraction of a second', () => {
    rooms = new Rooms({ nodes: { leaseSeconds: 0.25 } });
    const { node } = rooms.join({ wallet: 'w' });
    rooms.clock.advance(249);
    expect(node.present).toBe(true);
    rooms.clock.advance(1);
    expect(node.present).toBe(false);
  });

  it('nobody knows cannot be renewed', () => {
    expect(() => rooms.registry.heartbeat('no-such-lease', {})).toThrow(
      expect.objectContaining({ code: 'lease_unknown' }),
    );
    expect(() => rooms.registry.heartbeat('', {})).toThrow(LeaseUnknownError);
  });

  it('ends at once when the node says goodbye, and saying it twice does no harm', () => {
    const { leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.deregister(leaseId);
    rooms.registry.deregister(leaseId);
    expect(ids()).toEqual([]);
    expect(moves()).toEqual(['node.joined w:all registered', 'node.left w:all deregistered']);
  });

  it('that was replaced cannot end its successor', () => {
    const { leaseId: old } = rooms.join({ wallet: 'w' });
    rooms.join({ wallet: 'w' });
    rooms.registry.deregister(old);
    expect(ids()).toEqual(['w:all']);
  });

  it('needs one timer in all, and none once the service is down', () => {
    const before = rooms.clock.liveTimers;
    for (let at = 0; at < 20; at += 1) rooms.join({ wallet: `w${String(at)}` });
    expect(rooms.clock.liveTimers).toBe(before + 1);
    rooms.registry.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(before);
  });
});

describe('a heartbeat', () => {
  it('changes what it says and leaves the rest as it was', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w', throughputTps: 10, queueDepth: 4 });
    rooms.registry.heartbeat(leaseId, { queueDepth: 0 });
    expect(node).toMatchObject({ throughputTps: 10, queueDepth: 0 });
    rooms.registry.heartbeat(leaseId, { throughputTps: 12, queueDepth: null, status: null });
    expect(node).toMatchObject({ throughputTps: 12, queueDepth: 0 });
  });

  it('never bumps the epoch, whatever load or speed it reports', () => {
    const { leaseId } = rooms.join({ wallet: 'w', throughputTps: 10 });
    rooms.registry.heartbeat(leaseId, { queueDepth: 9, throughputTps: 99, status: 'ready' });
    rooms.registry.heartbeat(leaseId, {});
    expect(rooms.topology.epoch(MODEL)).toBe(1);
  });

  it('takes the node out of new chats while it drains, and back when it is ready', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.heartbeat(leaseId, { status: 'draining' });
    rooms.registry.heartbeat(leaseId, { status: 'draining' });
    expect(rooms.registry.serving(MODEL)).toEqual([]);
    expect(rooms.registry.nodes(MODEL)).toEqual([node]);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    rooms.registry.heartbeat(leaseId, { status: 'ready' });
    expect(rooms.registry.serving(MODEL)).toEqual([node]);
    expect(moves().slice(1)).toEqual(['node.left w:all drained', 'node.joined w:all resumed']);
  });

  it('drains only until the node registers anew', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.heartbeat(leaseId, { status: 'draining' });
    rooms.join({ wallet: 'w' });
    expect(rooms.registry.serving(MODEL)).toEqual([node]);
    expect(rooms.topology.epoch(MODEL)).toBe(3);
  });

  it('of a draining node that comes back with another shard is one join', () => {
    const { leaseId } = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    rooms.registry.heartbeat(leaseId, { status: 'draining' });
    rooms.join({ wallet: 'w', shard: span(0, 39) });
    expect(moves().slice(2)).toEqual(['node.joined w:0-39 resumed']);
    expect(rooms.topology.epoch(MODEL)).toBe(3);
  });
});

describe("an operator's drain", () => {
  it('is one leave, its end one join, and repeating either changes nothing', () => {
    const { node } = rooms.join({ wallet: 'w' });
    expect(rooms.registry.drain('w:all', null)).toBe(node);
    rooms.registry.drain('w:all', MODEL);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    rooms.registry.resume('w:all', null);
    rooms.registry.resume('w:all', null);
    expect(rooms.topology.epoch(MODEL)).toBe(3);
    expect(rooms.registry.serving(MODEL)).toEqual([node]);
  });

  it('outlasts heartbeats, re-registration and another shard', () => {
    const { leaseId } = rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    rooms.registry.drain('w:0-21', null);
    rooms.registry.heartbeat(leaseId, { status: 'ready' });
    rooms.join({ wallet: 'w', shard: span(0, 21) });
    expect(rooms.registry.serving(MODEL)).toEqual([]);
    rooms.join({ wallet: 'w', shard: span(0, 39) });
    expect(rooms.registry.serving(MODEL)).toEqual([]);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    rooms.registry.resume('w:0-39', null);
    expect(rooms.registry.serving(MODEL)).toHaveLength(1);
  });

  it("is separate from the node's own, and resuming ends both", () => {
    const { leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.drain('w:all', null);
    rooms.registry.heartbeat(leaseId, { status: 'draining' });
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    rooms.registry.resume('w:all', null);
    expect(rooms.registry.serving(MODEL)).toHaveLength(1);
    expect(rooms.topology.epoch(MODEL)).toBe(3);
  });

  it('lets the node leave without a second bump', () => {
    const { leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.drain('w:all', null);
    rooms.registry.deregister(leaseId);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
  });

  it('needs a node that is here, and a model where several have the id', () => {
    expect(() => rooms.registry.drain('w:all', null)).toThrow(NodeNotFoundError);
    expect(() => rooms.registry.resume('w:all', null)).toThrow(NodeNotFoundError);
    rooms.join({ wallet: 'w', model: 'x' });
    rooms.join({ wallet: 'w', model: 'y' });
    expect(() => rooms.registry.drain('w:all', null)).toThrow(
      expect.objectContaining({ code: 'conflict', param: 'model' }),
    );
    expect(rooms.registry.drain('w:all', 'y').model).toBe('y');
    expect(rooms.registry.serving('x')).toHaveLength(1);
  });
});

describe("an operator's delete", () => {
  it('ends the registration, and repeating it does no harm', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w' });
    rooms.registry.delete('w:all', null);
    rooms.registry.delete('w:all', null);
    rooms.registry.delete('never:all', 'nowhere');
    expect(node.present).toBe(false);
    expect(() => rooms.registry.heartbeat(leaseId, {})).toThrow(LeaseUnknownError);
    expect(moves()).toEqual(['node.joined w:all registered', 'node.left w:all deleted']);
  });

  it('needs a model where several have the id, and then ends that one', () => {
    rooms.join({ wallet: 'w', model: 'x' });
    rooms.join({ wallet: 'w', model: 'y' });
    expect(() => rooms.registry.delete('w:all', null)).toThrow(ConflictError);
    rooms.registry.delete('w:all', 'x');
    expect(rooms.registry.nodes().map(({ model }) => model)).toEqual(['y']);
  });

  it('bars only listed nodes from coming back by themselves', () => {
    const { node: own } = rooms.join({ wallet: 'own' });
    const { node: listed } = rooms.join({ wallet: 'listed', source: 'nodes_file' });
    rooms.registry.delete('own:all', null);
    rooms.registry.delete('listed:all', null);
    expect(rooms.registry.isDismissed(own.key)).toBe(false);
    expect(rooms.registry.isDismissed(listed.key)).toBe(true);
    rooms.registry.forgetDismissals();
    expect(rooms.registry.isDismissed(listed.key)).toBe(false);
  });
});

describe('a model', () => {
  it('stays known for 24 h after its last node left, with epoch and num_layers, and is then forgotten', () => {
    const { leaseId } = rooms.join({ wallet: 'w', numLayers: 40 });
    rooms.registry.deregister(leaseId);
    rooms.clock.advance(DAY_MS - 1);
    expect(rooms.registry.isKnown(MODEL)).toBe(true);
    expect(rooms.registry.numLayers(MODEL)).toBe(40);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    rooms.clock.advance(1);
    expect(rooms.registry.isKnown(MODEL)).toBe(false);
    expect(rooms.topology.isKnown(MODEL)).toBe(false);
    expect(rooms.topology.epoch(MODEL)).toBe(0);
  });

  it('counts on from its epoch when a node comes back within that day', () => {
    const { leaseId } = rooms.join({ wallet: 'w', numLayers: 40 });
    rooms.registry.deregister(leaseId);
    rooms.clock.advance(DAY_MS - 1);
    expect(() => rooms.join({ wallet: 'w', numLayers: 41 })).toThrow(ConflictError);
    rooms.join({ wallet: 'w' });
    expect(rooms.topology.epoch(MODEL)).toBe(3);
    rooms.live(2 * DAY_MS);
    expect(rooms.registry.isKnown(MODEL)).toBe(true);
  });

  it('is not forgotten while one of several nodes is here', () => {
    const { leaseId } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.registry.deregister(leaseId);
    rooms.live(2 * DAY_MS);
    expect(rooms.registry.isKnown(MODEL)).toBe(true);
  });

  it('starts anew once forgotten', () => {
    rooms.registry.deregister(rooms.join({ wallet: 'w', numLayers: 40 }).leaseId);
    rooms.clock.advance(DAY_MS);
    rooms.join({ wallet: 'w', numLayers: 41 });
    expect(rooms.topology.epoch(MODEL)).toBe(1);
    expect(rooms.registry.numLayers(MODEL)).toBe(41);
  });

  it('is forgotten on time even where leases last longer than a day', () => {
    rooms = new Rooms({ nodes: { leaseSeconds: 10 * 86_400 } });
    rooms.registry.deregister(rooms.join({ wallet: 'w' }).leaseId);
    rooms.clock.advance(DAY_MS);
    expect(rooms.registry.isKnown(MODEL)).toBe(false);
  });

  it('is listed in the order of becoming known, with the time of day of that', () => {
    const since = rooms.clock.wallMs();
    rooms.join({ wallet: 'a', model: 'x' });
    rooms.clock.advance(1000);
    rooms.join({ wallet: 'b', model: 'y' });
    rooms.join({ wallet: 'c', model: 'x' });
    expect(rooms.registry.knownModels()).toEqual(['x', 'y']);
    expect(rooms.registry.knownSinceMs('x')).toBe(since);
    expect(rooms.registry.knownSinceMs('y')).toBe(since + 1000);
    expect(rooms.registry.knownSinceMs('z')).toBeNull();
  });
});

describe('a listed node whose probes are unanswered', () => {
  const listed = { wallet: 'w', source: 'nodes_file', firstByteTimeoutSeconds: 300 } as const;

  /** Fails the probes of this lease, three a lease, as long as the node is here. @returns for how many ms it was */
  function stay(leaseId: string, port: PortState, mostMs = 10 * LEASE_MS): number {
    const began = rooms.clock.now();
    while (ids().length > 0 && rooms.clock.now() - began < mostMs) {
      rooms.clock.advance(LEASE_MS / 3);
      rooms.registry.probeFailed(leaseId, port);
    }
    return rooms.clock.now() - began;
  }

  function attempt(): Ticket {
    return rooms.health.take(rooms.decide(MODEL, null).route);
  }

  it('stays while an attempt is under way, and a lease longer', () => {
    const { node, leaseId } = rooms.join(listed);
    const ticket = attempt();
    expect(stay(leaseId, 'accepts', 2 * LEASE_MS)).toBe(2 * LEASE_MS);
    expect(node).toMatchObject({ present: true, lastProbe: 'failed', lastSignAt: rooms.clock.now() });
    ticket.settle({ kind: 'neutral' });
    expect(stay(leaseId, 'accepts')).toBe(LEASE_MS);
    expect(moves()).toEqual(['node.joined w:all registered', 'node.left w:all lease_expired']);
  });

  it('leaves after its first-byte limit, however young the attempts are', () => {
    const { leaseId } = rooms.join(listed);
    const began = rooms.clock.now();
    attempt();
    stay(leaseId, 'accepts', 240_000);
    attempt();
    stay(leaseId, 'accepts');
    // The last probe within the limit renews for one more lease.
    expect(rooms.clock.now() - began).toBe(270_000 + LEASE_MS);
  });

  it('has the limit of all nodes where it has none of its own', () => {
    rooms = new Rooms({ calls: { firstByteTimeoutSeconds: 120 } });
    const { leaseId } = rooms.join({ ...listed, firstByteTimeoutSeconds: null });
    attempt();
    expect(stay(leaseId, 'accepts')).toBe(90_000 + LEASE_MS);
  });

  it('begins anew to be silent with each byte of any node at its endpoint', () => {
    const endpoint = 'http://shared:8000';
    const { node, leaseId } = rooms.join({ ...listed, endpoint });
    const { node: other, leaseId: otherLease } = rooms.join({ ...listed, model: 'other', endpoint });
    attempt();
    stay(leaseId, 'accepts', 60_000);
    rooms.registry.touch(other);
    for (let probe = 0; probe < 9; probe += 1) {
      stay(leaseId, 'accepts', LEASE_MS / 3);
      rooms.registry.probeFailed(otherLease, 'accepts');
    }
    expect(node).toMatchObject({ present: true, lastSignAt: rooms.clock.now() });
  });

  it('leaves with its lease when the port refuses, or was never seen to accept', () => {
    for (const port of ['other', 'unclear'] as const) {
      const { leaseId } = rooms.join(listed);
      const ticket = attempt();
      expect(stay(leaseId, port)).toBe(LEASE_MS);
      ticket.settle({ kind: 'neutral' });
    }
  });

  it('is not brought back to life after its lease', () => {
    const { node, leaseId } = rooms.join(listed);
    attempt();
    rooms.clock.advance(LEASE_MS);
    rooms.registry.probeFailed(leaseId, 'accepts');
    expect(node.present).toBe(false);
  });
});

describe('what a node is let in with', () => {
  it('goes with its registration and is nowhere in the node itself', () => {
    const access = { headers: { authorization: 'Bearer canary' } };
    const { node } = rooms.registry.register(aSpec({ wallet: 'w', access }));
    expect(rooms.registry.accessOf(node)).toBe(access);
    expect(JSON.stringify(node)).not.toContain('canary');
    rooms.join({ wallet: 'w' });
    expect(rooms.registry.accessOf(node)).toEqual({ headers: {} });
  });
});

describe('holder', () => {
  it('is who is at an endpoint for a model', () => {
    const { node } = rooms.join({ wallet: 'w', endpoint: 'http://h' });
    rooms.join({ wallet: 'v', model: 'other', endpoint: 'http://h' });
    expect(rooms.registry.holder('http://h', MODEL)).toBe(node);
    expect(rooms.registry.holder('http://h', 'third')).toBeNull();
    expect(rooms.registry.isInUse('http://h')).toBe(true);
    rooms.registry.delete('w:all', MODEL);
    rooms.registry.delete('v:all', 'other');
    expect(rooms.registry.isInUse('http://h')).toBe(false);
  });
});
