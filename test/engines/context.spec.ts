import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/http-client.js';
import type { StagedTracker } from '../support/stage.js';
import { aChat, join, standingOf } from '../support/whole-model.js';
import type { Engine } from './support/engine.js';
import { EngineStage, nodeIdOf } from './support/engine-stage.js';

const stage = new EngineStage();
let small: Engine;
let roomy: Engine;
beforeAll(async () => {
  [small, roomy] = await Promise.all([
    stage.engine('xllamacpp', { ctx: 256 }),
    stage.engine('xllamacpp', { ctx: 2048 }),
  ]);
});
afterAll(() => stage.end());

/** A chat of about this many tokens of prompt. */
const ofTokens = (tokens: number, more: object = {}): object =>
  aChat({
    messages: [{ role: 'user', content: 'word '.repeat(tokens) }],
    max_tokens: 10,
    temperature: 0,
    ...more,
  });

/** A tracker whose first choice is the small engine. It learns of no context by a probe. */
async function registered(): Promise<{ api: StagedTracker['api']; smallId: string; roomyId: string }> {
  const { api } = await stage.tracker();
  const smallId = await join(api, small, 'small', { throughput_tps: 100 });
  const roomyId = await join(api, roomy, 'roomy', { throughput_tps: 1 });
  return { api, smallId, roomyId };
}

describe('a prompt that is too long for one llama.cpp', () => {
  it.each([false, true])('is served by one with more room, at no penalty (stream: %s)', async (stream) => {
    const { api, smallId, roomyId } = await registered();

    for (let chats = 0; chats < 4; chats += 1) {
      const reply = await api.chat(ofTokens(600, { stream }));
      expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `m|${roomyId}[0-0]`]);
      expect((await api.callOf(reply)).outcome).toBe('completed');
    }

    for (const nodeId of [smallId, roomyId]) {
      expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed' });
    }
  });

  it('finds out once: the limit that the small one named is remembered', async () => {
    const { api, roomyId } = await registered();

    const first = await api.chat(ofTokens(600));
    const second = await api.chat(ofTokens(600));

    expect((await api.callOf(first)).attempts).toHaveLength(2);
    expect(await api.callOf(second)).toMatchObject({
      attempts: [{ signature: `m|${roomyId}[0-0]`, outcome: 'completed' }],
    });
  });

  it('leaves short chats to the small one', async () => {
    const { api, smallId } = await registered();
    await api.chat(ofTokens(600));

    const reply = await api.chat(ofTokens(5, { route: [smallId] }));

    expect(reply.status).toBe(200);
  });

  it('is served at no penalty where both are listed', async () => {
    const { api } = await stage.listing([small, roomy]);

    for (let chats = 0; chats < 4; chats += 1) {
      expect((await api.chat(ofTokens(600, { stream: true }))).status).toBe(200);
    }

    for (const engine of [small, roomy]) {
      expect(await standingOf(api, nodeIdOf(engine))).toMatchObject({ isBlamed: false, breaker: 'closed' });
    }
  });

  it("is the client's fault when it is too long for both, in the engine's words", async () => {
    const { api, smallId, roomyId } = await registered();

    const reply = await api.chat(ofTokens(3000));

    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ type: 'exceed_context_size_error' });
    for (const nodeId of [smallId, roomyId]) {
      expect(await standingOf(api, nodeId)).toMatchObject({ isBlamed: false, breaker: 'closed' });
    }
  });
});
