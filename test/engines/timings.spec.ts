import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '../support/http-client.js';
import type { StagedTracker } from '../support/stage.js';
import { aStory } from './support/chats.js';
import { EngineStage } from './support/engine-stage.js';

const stage = new EngineStage();
let tracker: StagedTracker;
beforeAll(async () => {
  tracker = await stage.listing([await stage.engine('xllamacpp', { slots: 2 })]);
});
afterAll(() => stage.end());

describe("llama.cpp's timings", () => {
  it('reach the client of a stream that asked for no usage, and no usage does', async () => {
    const reply = await tracker.api.chat(aStory(12, { stream: true }));

    expect(reply.text).toContain('"timings":');
    expect(reply.text).not.toContain('"usage"');
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect(await tracker.api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      sample: 'recorded',
      completion_tokens: 12,
      tokens_estimated: false,
    });
  });

  it('reach the client of a stream that asked for usage, with the usage', async () => {
    const reply = await tracker.api.chat(
      aStory(12, { stream: true, stream_options: { include_usage: true } }),
    );

    expect(reply.text).toContain('"timings":');
    expect(reply.text).toContain('"usage":{"completion_tokens":12,');
  });

  it('reach the client of a stream whose two choices each end with a usage chunk', async () => {
    const reply = await tracker.api.chat(aStory(12, { stream: true, n: 2 }));

    expect(reply.text.match(/"timings":/g)).toHaveLength(2);
    expect(reply.text.match(/"finish_reason":"length"/g)).toHaveLength(2);
    expect(reply.text).not.toContain('"usage"');
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect((await tracker.api.callOf(reply)).outcome).toBe('completed');
  });

  it('reach the client of a JSON answer', async () => {
    const reply = await tracker.api.chat(aStory(12));

    expect(JSON.parse(reply.text)).toMatchObject({
      usage: { completion_tokens: 12 },
      timings: { predicted_n: 12 },
    });
  });
});
