import { afterEach, describe, expect, it } from '@jest/globals';
import { NodeHealthService } from '../../../src/node-health/index.js';
import { span } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { errorOf } from '../../support/http-client.js';
import { DONE, finishChunk, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Rooms } from '../../support/rooms.js';
import { Stage } from '../../support/stage.js';

const MODEL = 'm';
const RESTARTS = 50;
const stage = new Stage();
afterEach(() => stage.end());

describe('B51: a server that restarts under a new name each time', () => {
  it.each([
    ['whole', {}, 'all'],
    ['sharded', { num_layers: 4, shard_start: 0, shard_end: 3 }, '0-3'],
  ])('is one node at its address, never a ghost beside it (%s)', async (_kind, shard, suffix) => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    for (let n = 1; n <= RESTARTS; n += 1) {
      const wallet = `pod-${String(n)}`;
      await api.register({ wallet, endpoint: head.url, model: MODEL, ...shard });
      const nodeId = `${wallet}:${suffix}`;
      expect((await api.nodes()).map(({ node_id }) => node_id)).toEqual([nodeId]);
      const { candidates } = await api.routing(MODEL);
      expect(candidates.map(({ hops }) => hops.map(({ node_id }) => node_id))).toEqual([[nodeId]]);
      const reply = await api.chat({ model: MODEL });
      expect(reply.status).toBe(200);
      expect(decodeURIComponent(String(reply.headers['x-meshnet-route']))).toContain(nodeId);
    }
    expect(head.chats).toHaveLength(RESTARTS);
  });

  it('is waited for no longer than its lease where its address changed too', () => {
    const rooms = new Rooms();
    rooms.join({ wallet: 'head', shard: span(0, 19), numLayers: 40, model: MODEL });
    for (let n = 0; n < RESTARTS; n += 1) {
      rooms.join({ wallet: `pod-${String(n)}`, shard: span(20, 39), model: MODEL });
    }
    expect(rooms.registry.nodes()).toHaveLength(RESTARTS + 1);
    expect(rooms.candidates.candidates(MODEL)).toHaveLength(1);
    for (let beat = 0; beat < 3; beat += 1) {
      rooms.clock.advance(30_000);
      const head = rooms.registry.nodes().find(({ wallet }) => wallet === 'head');
      if (head !== undefined) rooms.registry.touch(head);
    }
    expect(rooms.registry.nodes().map(({ nodeId }) => nodeId)).toEqual(['head:0-19']);
    expect(rooms.topology.gaps(MODEL)).toMatchObject([span(20, 39)]);
    expect(rooms.candidates.candidates(MODEL)).toEqual([]);
    // Whoever comes last completes the route at once.
    rooms.join({ wallet: 'back', shard: span(20, 39), model: MODEL });
    const [route] = rooms.candidates.candidates(MODEL);
    expect(route?.hops.map(({ node }) => node.nodeId)).toEqual(['head:0-19', 'back:20-39']);
  });
});

describe('B51: a node that an operator deletes', () => {
  it('finishes what it is doing, takes nothing new, and may be deleted again', async () => {
    const tracker = await stage.tracker();
    const { api } = tracker;
    let finish = (): void => undefined;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
      finish = () => response.end(textChunk('last') + finishChunk() + DONE);
    });
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
    const running = await api.openChat({ model: MODEL, stream: true });
    await running.until('first');
    for (let n = 0; n < 3; n += 1) expect((await api.ask('DELETE', '/v1/nodes/a:all')).status).toBe(204);
    expect(await api.nodes()).toEqual([]);
    expect((await api.routing(MODEL)).candidates).toEqual([]);
    const refused = await api.chat({ model: MODEL });
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'no_route']);
    finish();
    const { isWhole, text } = await running.rest();
    expect(isWhole).toBe(true);
    expect(text).toContain('last');
    expect(text.endsWith(DONE)).toBe(true);
    expect(await api.callOf(running)).toMatchObject({ outcome: 'completed' });
    const health = tracker.app.get(NodeHealthService);
    await eventually(() => expect(health.inFlight).toBe(0));
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
    expect(await api.node('a:all')).toMatchObject({ in_flight: 0, reputation: 1, breaker: 'closed' });
  });
});
