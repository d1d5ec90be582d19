import { afterEach, describe, expect, it } from '@jest/globals';
import type { FakeHead } from '../../support/fake-head.js';
import { errorOf, jsonOf } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import type { Registered } from '../../support/tracker-api.js';
import { aChat, BLAMED, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

interface Staged {
  readonly tracker: StagedTracker;
  readonly heads: Record<'A' | 'B', FakeHead>;
  readonly nodes: Record<'A' | 'B', Registered>;
}

/** Two models, each with one node of its own. */
async function twoModels(): Promise<Staged> {
  const tracker = await stage.tracker();
  const heads = { A: await stage.head(), B: await stage.head() };
  const register = (model: 'A' | 'B'): Promise<Registered> =>
    tracker.api.register({ wallet: model.toLowerCase(), endpoint: heads[model].url, model });
  return { tracker, heads, nodes: { A: await register('A'), B: await register('B') } };
}

describe('B33 a model is asked for that nobody serves', () => {
  it.each([
    'C',
    'a',
    'A ',
    ' A',
    'A:latest',
    'openai/A',
    '*',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('is not known (%j), and no head of another model hears of it', async (model) => {
    const { tracker, heads } = await twoModels();

    for (const stream of [false, true]) {
      const reply = await tracker.api.chat(aChat({ model, stream }));
      expect(reply.status).toBe(404);
      expect(errorOf(reply)).toMatchObject({ param: 'model', code: 'model_not_found' });
    }

    expect([heads.A.chats, heads.B.chats]).toEqual([[], []]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty name', ''],
    ['a number', 7],
    ['a list', ['A']],
    ['a name with a line break', 'A\nB'],
  ])('is a 400 where the name is %s, and not some default model', async (_what, model) => {
    const { tracker, heads } = await twoModels();

    const reply = await tracker.api.chat(aChat({ model }));

    expect(reply.status).toBe(400);
    expect(errorOf(reply).param).toBe('model');
    expect([heads.A.chats, heads.B.chats]).toEqual([[], []]);
  });

  it('has no route while only nodes of another model are alive', async () => {
    const { tracker, heads, nodes } = await twoModels();
    await tracker.api.ask('DELETE', `/v1/leases/${nodes.A.lease_id}`);

    const reply = await tracker.api.chat(aChat({ model: 'A' }));

    expect(reply.status).toBe(503);
    expect(errorOf(reply).code).toBe('no_route');
    expect([heads.A.chats, heads.B.chats]).toEqual([[], []]);
    expect((await tracker.api.chat(aChat({ model: 'B' }))).status).toBe(200);
  });

  it('is not served by another model when its own node fails', async () => {
    const { tracker, heads } = await twoModels();
    heads.A.answer((response) => sendJson(response, 500, { error: { message: 'down' } }));

    expect((await tracker.api.chat(aChat({ model: 'A' }))).status).toBe(500);
    expect(heads.B.chats).toEqual([]);
  });

  it('is not served through a pin to a node of another model', async () => {
    const { tracker, heads, nodes } = await twoModels();

    const reply = await tracker.api.chat(aChat({ model: 'A', route: [nodes.B.node_id] }));

    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ param: 'route', message: expect.stringContaining('route[0]') });
    expect(heads.B.chats).toEqual([]);
  });
});

describe('B33 one server has several models', () => {
  it('is asked for the very model, and what is learned of one is not believed of the other', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const stated = { wallet: 'both', endpoint: head.url };
    await api.register({ ...stated, model: 'A' });
    await api.register({ ...stated, model: 'B', upstream_model: 'b-q4.gguf' });

    const answered = await api.chat(aChat({ model: 'A' }));
    expect(jsonOf(answered)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(head.lastBody.model).toBe('A');
    expect(await standingOf(api, 'both:all', 'A')).toEqual({ ...UNTOUCHED, samples: 1 });
    expect(await standingOf(api, 'both:all', 'B')).toEqual(UNTOUCHED);
    expect((await api.candidate('A', 'both:all')).status).toBe('proven');
    expect((await api.candidate('B', 'both:all')).status).toBe('unsampled');
    expect((await api.candidate('A', 'both:all')).signature).not.toBe(
      (await api.candidate('B', 'both:all')).signature,
    );

    head.answer((response) => sendJson(response, 500, { error: { message: 'out of memory' } }));
    await api.chat(aChat({ model: 'B' }));
    expect(head.lastBody.model).toBe('b-q4.gguf');
    expect(await standingOf(api, 'both:all', 'A')).toEqual({ ...UNTOUCHED, samples: 1 });
    expect(await standingOf(api, 'both:all', 'B')).toEqual(BLAMED);

    head.answer(sendChat);
    await api.chat(aChat({ model: 'B' }));
    expect((await api.candidate('A', 'both:all')).sample_count).toBe(1);
    expect((await api.candidate('B', 'both:all')).sample_count).toBe(1);
  });
});
