import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf } from '../../support/http-client.js';
import { DONE, event, finishChunk, SSE_HEADERS, TEN, textChunk } from '../../support/openai-answers.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { Stage } from '../../support/stage.js';
import { twoRoutes } from '../../support/two-routes.js';
import { aChat, standingOf } from '../../support/whole-model.js';

const ROLE = event({ choices: [{ index: 0, delta: { role: 'assistant' } }] });

const stage = new Stage();
afterEach(() => stage.end());

/** Has one thread: the next chat ends the stream under way with a bare `[DONE]`, before or after its first words. */
function interrupting(): HeadAnswering {
  let interrupt = (): void => undefined;
  return (response, chat) => {
    if (chat.method !== 'POST') return;
    interrupt();
    response.writeHead(200, SSE_HEADERS).write(ROLE);
    const timers: NodeJS.Timeout[] = [];
    const end = (text: string): void => {
      timers.forEach(clearTimeout);
      if (!response.writableEnded) response.end(text);
    };
    interrupt = () => end(DONE);
    TEN.forEach((text, at) => timers.push(setTimeout(() => response.write(textChunk(text)), 15 + 5 * at)));
    timers.push(setTimeout(() => end(finishChunk() + DONE), 80));
  };
}

describe('C12 a server that interrupts a running stream for the next chat', () => {
  it('loses no client’s answer silently, and gives no sample by what it cut', async () => {
    const { api, faultyId } = await twoRoutes(stage, interrupting());
    const chats = Array.from({ length: 3 }, async () => {
      const replies = [];
      for (let n = 0; n < 8; n += 1) replies.push(await api.chat(aChat({ stream: true })));
      return replies;
    });
    const replies = (await Promise.all(chats)).flat();
    for (const reply of replies) {
      expect(reply.status).toBe(200);
      const isWhole = reply.text.includes('finish_reason":"stop"') && dataOf(reply.text).at(-1) === '[DONE]';
      const isTold = (dataOf(reply.text).at(-1) ?? '').includes('"error"');
      expect([isWhole, isTold].filter(Boolean).length).toBe(1);
      const { outcome } = await api.callOf(reply);
      expect(outcome === 'completed').toBe(isWhole);
    }
    const told = replies.filter(({ text }) => text.includes('"error"')).length;
    expect(told).toBeLessThan(replies.length / 2);
    expect((await standingOf(api, faultyId)).isBlamed).toBe(true);
  });
});
