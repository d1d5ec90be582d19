import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf } from '../../support/http-client.js';
import { event, finishChunk, SSE_HEADERS, TEN, textChunk, usageChunk } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { twoRoutes } from '../../support/two-routes.js';
import { aChat, standingOf } from '../../support/whole-model.js';

const TEXT = TEN.map(textChunk).join('');

const stage = new Stage();
afterEach(() => stage.end());

describe('C07 a finish reason came, and the connection stays open', () => {
  it.each([
    ['without usage', '', true],
    ['with usage', usageChunk(10), false],
  ])(
    'the tracker ends the stream well %s, and its elapsed time ends at the last event',
    async (_what, usage) => {
      const { api, faultyId } = await twoRoutes(stage, (response) => {
        response.writeHead(200, SSE_HEADERS).write(TEXT + finishChunk() + usage);
      });
      const reply = await api.chat(aChat({ stream: true }));
      expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
      expect(reply.text).not.toContain('error');
      const record = await api.callOf(reply);
      expect(record).toMatchObject({ outcome: 'completed', sample: 'recorded' });
      // Two seconds of waiting would make five tokens a second of it.
      expect(record.tps).toBeGreaterThan(10);
      expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
    },
  );

  it('a connection that breaks behind the last finish reason leaves a whole answer', async () => {
    const { api, faultyId } = await twoRoutes(stage, (response) => {
      response.writeHead(200, SSE_HEADERS).write(TEXT + finishChunk(), () => response.destroy());
    });
    const reply = await api.chat(aChat({ stream: true }));
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed' });
    expect((await standingOf(api, faultyId)).isBlamed).toBe(false);
  });

  it('a stream that its head ends without `[DONE]` gets none', async () => {
    const { api } = await twoRoutes(stage, (response) =>
      response.writeHead(200, SSE_HEADERS).end(TEXT + finishChunk()),
    );
    const reply = await api.chat(aChat({ stream: true }));
    expect(reply.text).toBe(TEXT + finishChunk());
  });

  it('the second choice that comes after the first has ended is waited for', async () => {
    const second = event({ choices: [{ index: 1, delta: { content: 'late' }, finish_reason: 'stop' }] });
    const { api } = await twoRoutes(stage, (response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('one') + finishChunk());
      setTimeout(() => response.end(`${second}data: [DONE]\n\n`), 2_500);
    });
    const reply = await api.chat(aChat({ stream: true, n: 2 }));
    expect(reply.text).toContain('late');
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed' });
  });

  it('an error that the client has seen ends the stream too', async () => {
    const { api } = await twoRoutes(stage, (response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('one') + event({ error: { message: 'oom' } }));
    });
    const reply = await api.chat(aChat({ stream: true }));
    expect(dataOf(reply.text).length).toBe(2);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'failed' });
  });
});
