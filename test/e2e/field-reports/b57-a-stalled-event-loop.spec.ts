import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ENUMERATIONS } from '../../../src/candidate-enumeration/enumerations.js';
import { LeaseUnknownError } from '../../../src/kernel/index.js';
import type { Registered } from '../../../src/registry/index.js';
import { DONE, finishChunk, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Rooms } from '../../support/rooms.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, MODEL } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(async () => {
  jest.restoreAllMocks();
  await stage.end();
});

const NODES = 200;
const HEARTBEAT_MS = 1_000;
const LEASE_MS = 3 * HEARTBEAT_MS;

let rooms: Rooms;
let nodes: Registered[];
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: LEASE_MS / 1000 } });
  nodes = Array.from({ length: NODES }, (_, at) => rooms.join({ wallet: `w${String(at)}`, model: MODEL }));
});

function beat(): void {
  for (const { leaseId } of nodes) rooms.registry.heartbeat(leaseId, { queueDepth: 1 });
}

function present(): number {
  return rooms.registry.nodes(MODEL).length;
}

describe('B57: two hundred nodes', () => {
  it('change no epoch by their heartbeats', () => {
    for (let second = 0; second < 60; second += 1) {
      rooms.clock.advance(HEARTBEAT_MS);
      beat();
    }
    expect([present(), rooms.topology.epoch(MODEL)]).toEqual([NODES, NODES]);
  });

  it.each([LEASE_MS, 5 * LEASE_MS, 100 * LEASE_MS])(
    'are all there after the tracker itself stood still for %i ms, and stay when they are heard again',
    (stallMs) => {
      rooms.clock.advance(HEARTBEAT_MS);
      beat();
      rooms.clock.stall(stallMs);
      expect(present()).toBe(NODES);
      rooms.clock.advance(HEARTBEAT_MS - 1);
      expect(present()).toBe(NODES);
      beat();
      rooms.clock.advance(LEASE_MS - 1);
      expect([present(), rooms.topology.epoch(MODEL)]).toEqual([NODES, NODES]);
    },
  );

  it('are given one heartbeat after a stall, and no more', () => {
    rooms.clock.stall(2 * LEASE_MS);
    const [heard, ...silent] = nodes;
    rooms.clock.advance(HEARTBEAT_MS / 2);
    rooms.registry.heartbeat(heard?.leaseId ?? '', {});
    rooms.clock.advance(HEARTBEAT_MS / 2);
    expect(rooms.registry.nodes(MODEL)).toEqual([heard?.node]);
    expect(() => rooms.registry.heartbeat(silent[0]?.leaseId ?? '', {})).toThrow(LeaseUnknownError);
  });

  it('are not saved by one stall from the next silence', () => {
    rooms.clock.stall(2 * LEASE_MS);
    beat();
    rooms.clock.advance(LEASE_MS);
    expect(present()).toBe(0);
  });

  it('are gone in time where nothing stood still', () => {
    rooms.clock.advance(LEASE_MS - 1);
    expect(present()).toBe(NODES);
    rooms.clock.advance(1);
    expect(present()).toBe(0);
  });
});

describe('B57: nodes that come and go every second', () => {
  const FLAPPING = 20;

  it('have the routes of the others rebuilt at most once a window, their own dropped at once', () => {
    const build = jest.spyOn(ENUMERATIONS as { greedy: typeof ENUMERATIONS.greedy }, 'greedy');
    const windowMs = rooms.settings.nodes.coalesceMs;
    rooms.candidates.candidates(MODEL);
    build.mockClear();
    const flapping: Registered[] = [];
    for (let second = 0; second < 10; second += 1) {
      for (let at = 0; at < FLAPPING; at += 1) {
        const wallet = `flap${String(at)}`;
        if (second % 2 === 0) {
          flapping.push(rooms.join({ wallet, model: MODEL, throughputTps: 1_000 }));
        } else {
          const [gone] = flapping.splice(0, 1);
          rooms.registry.deregister(gone?.leaseId ?? '');
        }
        const routes = rooms.candidates.candidates(MODEL);
        expect(routes.length).toBeGreaterThan(0);
        expect(routes.every(({ hops }) => hops.every(({ node }) => node.present))).toBe(true);
        rooms.clock.advance(HEARTBEAT_MS / FLAPPING);
      }
      beat();
    }
    // Before the ninth bump within a second it is no storm yet, and each bump builds anew.
    expect(build.mock.calls.length).toBeLessThanOrEqual(8 + 10_000 / windowMs);
    expect(rooms.topology.epoch(MODEL)).toBe(NODES + 10 * FLAPPING);
    rooms.clock.advance(HEARTBEAT_MS);
    expect(rooms.candidates.candidates(MODEL)).toHaveLength(NODES);
  });
});

describe('B57: an event loop that is blocked for the time of a lease', () => {
  it('loses no node, bumps no epoch and cuts no stream', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_NODE_LEASE_SECONDS: '3' } });
    let finish = (): void => undefined;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
      finish = () => response.end(textChunk('last') + finishChunk() + DONE);
    });
    await join(api, head, 'head', { throughput_tps: 99 });
    const leases = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const wallet = `w${String(at)}`;
        const body = { wallet, endpoint: `http://${wallet}.test`, model: MODEL, throughput_tps: 1 };
        return (await api.register(body)).lease_id;
      }),
    );
    const running = await api.openChat(aChat({ stream: true }));
    await running.until('first');
    const until = performance.now() + 3_300;
    while (performance.now() < until);
    expect(await api.nodes()).toHaveLength(41);
    const beats = await Promise.all(leases.map((lease) => api.ask('PUT', `/v1/leases/${lease}`, {})));
    expect(beats.every(({ status }) => status === 200)).toBe(true);
    expect((await api.routing(MODEL)).epoch).toBe(41);
    finish();
    const { isWhole, text } = await running.rest();
    expect([isWhole, text.includes('last'), text.endsWith(DONE)]).toEqual([true, true, true]);
  });
});
