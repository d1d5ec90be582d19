import { afterEach, expect, it } from '@jest/globals';
import type { Reply } from '../support/http-client.js';
import type { TrackerApi } from '../support/tracker-api.js';
import { join } from '../support/whole-model.js';
import { aStory, streamEnd, textOf } from './support/chats.js';
import { EngineStage, describeLlamaCppPython } from './support/engine-stage.js';

const CLIENTS = 3;
const ROUNDS = 5;
const STREAM = aStory(60, { stream: true });

const stage = new EngineStage();
afterEach(() => stage.end());

/** Chats of clients that each send their next as soon as they have the last, all at once. */
async function clients(api: TrackerApi): Promise<Reply[]> {
  const replies: Reply[] = [];
  const client = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) replies.push(await api.chat(STREAM));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return replies;
}

describeLlamaCppPython('a server that interrupts a stream for the next request', () => {
  it('ends some of its streams with [DONE] and no finish reason when it is asked directly', async () => {
    const engine = await stage.engine('llama-cpp-python');
    const ask = async (): Promise<string> => {
      const response = await fetch(`${engine.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(STREAM),
      });
      return textUntilItBreaks(response);
    };

    const streams = await Promise.all(Array.from({ length: CLIENTS }, ask));

    expect(streams.map((text) => streamEnd({ status: 200, text }))).toContain('cut');
    expect(streams.every((text) => text.endsWith('data: [DONE]\n\n'))).toBe(true);
  });

  it('leaves each stream with a finish reason or an error event, and only whole ones are samples', async () => {
    const { api } = await stage.tracker();
    // Asked first: the declared speed is the higher one.
    await join(api, await stage.engine('llama-cpp-python'), 'interrupting', { throughput_tps: 100 });
    await join(api, await stage.engine('xllamacpp', { slots: 3, ctx: 3072 }), 'steady', {
      throughput_tps: 1,
    });

    const replies = await clients(api);

    const ends = replies.map(streamEnd);
    expect(ends).toHaveLength(CLIENTS * ROUNDS);
    expect(ends).not.toContain('cut');
    expect(replies.filter(({ text }) => textOf(text) === '')).toEqual([]);
    const records = await Promise.all(replies.map((reply) => api.callOf(reply)));
    expect(records.map(({ outcome }) => outcome === 'completed')).toEqual(ends.map((end) => end === 'whole'));
    expect(records.map(({ sample }) => sample === 'recorded')).toEqual(ends.map((end) => end === 'whole'));
    const interrupted = records
      .flatMap(({ attempts }) => attempts)
      .filter(({ outcome }) => outcome === 'cut_off');
    expect(interrupted.length).toBeGreaterThan(0);
    expect(interrupted.every(({ signature }) => signature.includes('interrupting'))).toBe(true);
  });
});

/** The body of a response, as far as it came: the engine closes its connection within it. */
async function textUntilItBreaks(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const part of response.body ?? [])
      text += decoder.decode(part as Uint8Array, { stream: true });
  } catch {
    // What came is what counts.
  }
  return text;
}
