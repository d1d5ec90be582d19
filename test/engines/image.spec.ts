import { afterEach, describe, expect, it } from '@jest/globals';
import type { StagedTracker } from '../support/stage.js';
import { aChat, join, standingOf } from '../support/whole-model.js';
import { aStory, streamEnd } from './support/chats.js';
import type { Engine } from './support/engine.js';
import { EngineStage, nodeIdOf, describeLlamaCppPython } from './support/engine-stage.js';

const stage = new EngineStage();
afterEach(() => stage.end());

const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const anImage = (more: object = {}): object =>
  aChat({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: ONE_PIXEL } },
        ],
      },
    ],
    max_tokens: 5,
    ...more,
  });

/** Sends five images, then expects untouched nodes that each serve a chat. */
async function expectNoBlame(
  api: StagedTracker['api'],
  nodeIds: readonly string[],
  stream: boolean,
): Promise<void> {
  for (let images = 0; images < 5; images += 1) {
    const reply = await api.chat(anImage({ stream }));
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.headers['x-should-retry']).toBe('false');
    expect(reply.text).toContain('image input is not supported');
  }

  for (const nodeId of nodeIds) {
    expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed' });
    const reply = await api.chat(aStory(8, { route: [nodeId] }));
    expect(reply.status).toBe(200);
  }
  expect((await api.chat(aStory(8))).status).toBe(200);
}

describe('an image for a text model', () => {
  it.each([false, true])('opens no breaker of two listed llama.cpp servers (stream: %s)', async (stream) => {
    const engines: Engine[] = [await stage.engine('xllamacpp'), await stage.engine('xllamacpp')];
    const { api } = await stage.listing(engines);

    await expectNoBlame(api, engines.map(nodeIdOf), stream);
  });

  it('opens no breaker of two llama.cpp servers that different owners registered', async () => {
    const { api } = await stage.tracker();
    const nodeIds = [
      await join(api, await stage.engine('xllamacpp'), 'alice'),
      await join(api, await stage.engine('xllamacpp'), 'bob'),
    ];

    await expectNoBlame(api, nodeIds, false);
  });
});

describeLlamaCppPython('an image for a text model of llama-cpp-python', () => {
  it('is an error for the client of a stream, though each engine answers with an empty 200', async () => {
    const { api } = await stage.listing([
      await stage.engine('llama-cpp-python'),
      await stage.engine('llama-cpp-python'),
    ]);

    const reply = await api.chat(anImage({ stream: true }));

    expect(streamEnd(reply)).toBe('error');
    expect((await api.callOf(reply)).outcome).not.toBe('completed');
  });
});
