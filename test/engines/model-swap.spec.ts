import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { jsonOf } from '../support/http-client.js';
import type { TrackerApi } from '../support/tracker-api.js';
import { MODEL } from '../support/whole-model.js';
import { aStory } from './support/chats.js';
import { EngineStage } from './support/engine-stage.js';

const stage = new EngineStage();
afterEach(() => stage.end());

const SOON_MS = 2_000;

async function modelsOf(api: TrackerApi): Promise<string[]> {
  const { data } = jsonOf(await api.get('/v1/models')) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

describe('another model on the port of a llama.cpp server', () => {
  it.each([false, true])(
    'gives no sample to the old one, and is listed soon (stream: %s)',
    async (stream) => {
      const old = await stage.engine('xllamacpp');
      const { api } = await stage.listing([old]);
      await api.chat(aStory(10, { stream }));
      const before = (await api.routing(MODEL)).candidates[0]?.sample_count;
      await old.kill();
      await stage.engine('xllamacpp', { alias: 'another', port: old.port });

      // The engine answers whatever model it is asked for.
      const reply = await api.chat(aStory(10, { stream }));

      if (reply.status === 200) expect((await api.callOf(reply)).sample).not.toBe('recorded');
      await eventually(async () => expect(await modelsOf(api)).toEqual(['another']), SOON_MS);
      expect((await api.chat(aStory(10, { model: 'another' }))).status).toBe(200);
      const after = (await api.routing(MODEL)).candidates[0]?.sample_count;
      expect([before, after ?? before]).toEqual([1, 1]);
    },
  );

  it('is listed soon when a chat met the gap between the two', async () => {
    const old = await stage.engine('xllamacpp');
    const { api } = await stage.listing([old]);
    await old.kill();
    expect((await api.chat(aStory(10))).status).toBe(502);

    await stage.engine('xllamacpp', { alias: 'another', port: old.port });
    await api.chat(aStory(10));

    await eventually(async () => expect(await modelsOf(api)).toEqual(['another']), SOON_MS);
  });
});
