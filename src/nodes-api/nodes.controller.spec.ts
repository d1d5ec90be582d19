import type { Request, Response } from 'express';
import { HttpAdapterHost } from '@nestjs/core';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { InvalidRequestError, LeaseUnknownError, RateLimitedError } from '../kernel/index.js';
import { RefusalLimitService } from '../limits/index.js';
import { Registration } from '../registry/index.js';
import { LeasesController } from './leases.controller.js';
import { SpeedSuspicionsService } from './speed-suspicions.service.js';
import { NodesController } from './nodes.controller.js';
import { RegistrationDesk } from './registration-desk.js';

let rooms: Rooms;
let nodes: NodesController;
let leases: LeasesController;
beforeEach(() => {
  rooms = new Rooms();
  const refusals = new RefusalLimitService(rooms.clock, new HttpAdapterHost());
  const desk = new RegistrationDesk(rooms.registry, rooms.topology, rooms.networks, rooms.proofs, refusals);
  const suspicions = new SpeedSuspicionsService(rooms.bus, rooms.logger);
  nodes = new NodesController(rooms.registry, desk, rooms.health, rooms.speeds, suspicions, rooms.clock);
  leases = new LeasesController(rooms.registry, rooms.topology);
});

const GPU = Object.assign(new Registration(), {
  wallet: 'lab',
  name: 'gpu',
  endpoint: 'http://h:9001/v1',
  model: MODEL,
  num_layers: 40,
  shard_start: 0,
  shard_end: 21,
  throughput_tps: 60,
});

function register(
  body = GPU,
  address = '10.0.0.1',
): { status: number; receipt: ReturnType<NodesController['register']> } {
  let status = 0;
  const response = { status: (code: number) => (status = code) } as unknown as Response;
  const request = { socket: { remoteAddress: address } } as unknown as Request;
  const receipt = nodes.register(request, body, response);
  return { status, receipt };
}

describe('POST /v1/nodes', () => {
  it('answers 201 to a new node and 200 to a known one, with id, lease, epoch and when to call', () => {
    const first = register();
    expect(first).toEqual({
      status: 201,
      receipt: {
        node_id: 'lab.gpu:0-21',
        lease_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        epoch: 1,
        heartbeat_seconds: 30,
        expires_in_seconds: 90,
      },
    });
    const again = register();
    expect(again.status).toBe(200);
    expect(again.receipt.epoch).toBe(1);
    expect(again.receipt.lease_id).not.toBe(first.receipt.lease_id);
  });

  it('tells the first 60 refused ones of a minute from one address why, others to wait, and takes good ones always', () => {
    register();
    const bad = Object.assign(new Registration(), GPU, { shard_end: 50 });
    for (let sent = 0; sent < 60; sent += 1) expect(() => register(bad)).toThrow(InvalidRequestError);
    expect(() => register(bad)).toThrow(RateLimitedError);
    expect(() => register(bad, '10.0.0.2')).toThrow(InvalidRequestError);
    expect(register().status).toBe(200);
    rooms.clock.advance(1000);
    expect(() => register(bad)).toThrow(InvalidRequestError);
    expect(() => register(bad)).toThrow(RateLimitedError);
  });

  it('changes nothing when it is refused', () => {
    register();
    expect(() => register(Object.assign(new Registration(), GPU, { shard_end: 50 }))).toThrow(
      InvalidRequestError,
    );
    expect(nodes.list(undefined).data.map(({ node_id }) => node_id)).toEqual(['lab.gpu:0-21']);
  });
});

describe('PUT and DELETE /v1/leases', () => {
  it('renew and end the node’s registration', () => {
    const { lease_id } = register().receipt;
    rooms.clock.advance(89_000);
    expect(leases.heartbeat(lease_id, { queue_depth: 3, throughput_tps: 50, status: 'draining' })).toEqual({
      node_id: 'lab.gpu:0-21',
      epoch: 2,
      expires_in_seconds: 90,
    });
    expect(nodes.list(undefined).data).toMatchObject([
      { queue_depth: 3, throughput_tps: 50, status: 'draining', last_seen_seconds_ago: 0 },
    ]);
    leases.deregister(lease_id);
    leases.deregister(lease_id);
    expect(nodes.list(undefined).data).toEqual([]);
    expect(() => leases.heartbeat(lease_id, {})).toThrow(LeaseUnknownError);
  });
});

describe('GET /v1/nodes', () => {
  it('shows of each node what the contract says, and neither lease nor key', () => {
    const { lease_id } = register().receipt;
    rooms.clock.advance(1500);
    const { object, data } = nodes.list(undefined);
    expect(object).toBe('list');
    expect(data).toEqual([
      {
        node_id: 'lab.gpu:0-21',
        wallet: 'lab',
        name: 'gpu',
        endpoint: 'http://h:9001',
        model: MODEL,
        upstream_model: null,
        shard_start: 0,
        shard_end: 21,
        source: 'registered',
        status: 'ready',
        probe: null,
        throughput_tps: 60,
        speed_factor: null,
        speed_sigma: null,
        speed_suspect: false,
        queue_depth: 0,
        max_concurrent: null,
        in_flight: 0,
        reputation: 1,
        breaker: 'closed',
        resting_seconds: null,
        last_seen_seconds_ago: 1.5,
      },
    ]);
    expect(JSON.stringify(data)).not.toContain(lease_id);
  });

  it('shows load and reputation as they are now', () => {
    register();
    const [node] = rooms.registry.nodes();
    if (node === undefined) throw new Error('no node');
    const route = { signature: 's', hops: [{ node }] };
    rooms.health.take(route);
    rooms.health.take(route).settle({ kind: 'failure', blame: node });
    expect(nodes.list(undefined).data).toMatchObject([{ in_flight: 1, reputation: 0.5 }]);
  });

  it('can be asked for one model, and a plain node has no shard', () => {
    register();
    rooms.join({ wallet: 'w', model: 'other' });
    expect(nodes.list('other').data).toMatchObject([
      { node_id: 'w:all', shard_start: null, shard_end: null },
    ]);
    expect(nodes.list('unknown').data).toEqual([]);
    expect(() => nodes.list(['a', 'b'])).toThrow(InvalidRequestError);
  });
});

describe('an operator', () => {
  it('drains, resumes and deletes a node', () => {
    register();
    expect(nodes.drain('lab.gpu:0-21', undefined)).toMatchObject({ status: 'draining' });
    expect(rooms.registry.serving(MODEL)).toEqual([]);
    expect(nodes.resume('lab.gpu:0-21', MODEL)).toMatchObject({ status: 'ready', shard_end: 21 });
    nodes.remove('lab.gpu:0-21', undefined);
    nodes.remove('lab.gpu:0-21', undefined);
    expect(nodes.list(undefined).data).toEqual([]);
    expect(rooms.topology.gaps(MODEL)).toEqual([{ ...span(0, 39), lastServedBy: 'lab.gpu:0-21' }]);
  });
});
