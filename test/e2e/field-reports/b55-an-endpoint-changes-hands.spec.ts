import { afterEach, describe, expect, it } from '@jest/globals';
import type { HeadAnswering } from '../../support/fake-head.js';
import { errorOf } from '../../support/http-client.js';
import { sendJson } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';

const A = 'model-a';
const B = 'model-b';
const stage = new Stage();
afterEach(() => stage.end());

const LACKS_MODEL: HeadAnswering = (response) =>
  sendJson(response, 404, { error: { message: `model ${A} not found`, code: 'model_not_found' } });

describe('B55: an endpoint that now serves something else', () => {
  it('belongs to who registered last; the routes through it before are gone at once', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const of = (wallet: string, model: string, start: number, end: number, layers: number): object => ({
      ...{ wallet, endpoint: head.url, model, num_layers: layers, shard_start: start, shard_end: end },
    });
    const first = await api.register(of('first', A, 0, 15, 16));
    expect((await api.chat({ model: A })).status).toBe(200);
    const { epoch } = await api.routing(A);

    await api.register(of('second', B, 16, 31, 32));
    expect((await api.nodes()).map(({ node_id, model }) => [node_id, model])).toEqual([['second:16-31', B]]);
    expect(await api.routing(A)).toMatchObject({
      epoch: epoch + 1,
      candidates: [],
      gaps: [{ start_layer: 0, end_layer: 15 }],
    });
    const refused = await api.chat({ model: A });
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(errorOf(refused)).toMatchObject({ code: 'no_route' });
    expect(errorOf(refused).message).toContain('first:0-15');
    expect(head.chats).toHaveLength(1);
    // Whoever was there before learns of it with its next heartbeat.
    const beat = await api.ask('PUT', `/v1/leases/${first.lease_id}`, {});
    expect([beat.status, errorOf(beat).code]).toEqual([404, 'lease_unknown']);
  });

  it.each([true, false])(
    'is charged for a model that it lacks, not shown as a lack of it (stream: %s)',
    async (stream) => {
      const { api } = await stage.tracker();
      const head = await stage.head(LACKS_MODEL);
      await api.register({ wallet: 'a', endpoint: head.url, model: A });
      const reply = await api.chat({ model: A, stream });
      expect(reply.status).toBe(502);
      expect(errorOf(reply)).toMatchObject({ code: 'node_misconfigured', type: 'server_error' });
      expect(errorOf(reply).message).toContain('a:all');
      expect(await api.callOf(reply)).toMatchObject({
        outcome: 'misconfigured',
        sample: 'failed',
        attempts: [{ outcome: 'misconfigured', status: 404 }],
      });
      expect((await api.node('a:all')).reputation).toBeCloseTo(1 / 2, 2);
    },
  );

  it.each([true, false])('is passed over where another node has the model (stream: %s)', async (stream) => {
    const { api } = await stage.tracker();
    const [lacking, having] = [await stage.head(LACKS_MODEL), await stage.head()];
    await api.register({ wallet: 'a', endpoint: lacking.url, model: A, throughput_tps: 90 });
    await api.register({ wallet: 'b', endpoint: having.url, model: A, throughput_tps: 10 });
    for (let n = 0; n < 12; n += 1) expect((await api.chat({ model: A, stream })).status).toBe(200);
    expect(having.chats).toHaveLength(12);
    expect(lacking.chats.length).toBeLessThanOrEqual(3);
    expect(await api.candidate(A, 'b:all')).toMatchObject({ status: 'proven' });
    const { candidates } = await api.routing(A);
    expect(candidates.find(({ hops }) => hops[0]?.node_id === 'a:all')?.traffic_share ?? 0).toBe(0);
  });
});
