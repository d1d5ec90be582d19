import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { ReceivedChat } from '../../support/fake-head.js';
import {
  DONE,
  event,
  finishChunk,
  sendChat,
  sendJson,
  SSE_HEADERS,
  usage,
  usageChunk,
} from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const SIGNATURE = `${MODEL}|a:all[0-0]`;
const stage = new Stage();
afterEach(() => stage.end());

const TOOL_CALL = { id: 't', type: 'function', function: { name: 'look_up', arguments: '{}' } };

function sendEmptyJson(response: ServerResponse, message: object): void {
  sendJson(response, 200, {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: usage(0),
  });
}

function sendEmptyStream(response: ServerResponse, delta: object): void {
  const chunk = event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] });
  response.writeHead(200, SSE_HEADERS).end(chunk + finishChunk() + usageChunk(0) + DONE);
}

/** Every second answer has no tokens: empty, or a tool call alone, as JSON or as a stream. */
function everySecondEmpty(response: ServerResponse, chat: ReceivedChat): void {
  const { n, stream } = JSON.parse(chat.body.toString()) as { n: number; stream: boolean };
  if (n % 2 === 1) {
    sendChat(response, chat);
    return;
  }
  const filling = n % 4 === 0 ? { content: null, tool_calls: [{ index: 0, ...TOOL_CALL }] } : { content: '' };
  if (stream) sendEmptyStream(response, filling);
  else sendEmptyJson(response, filling);
}

async function oneNode(answering: typeof everySecondEmpty): Promise<StagedTracker> {
  const tracker = await stage.tracker();
  const head = await stage.head(answering);
  await tracker.api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
  return tracker;
}

describe('B39: an answer of no tokens', () => {
  it('is a good answer to its client and no sample, so that averages stay what they were', async () => {
    const { api } = await oneNode(everySecondEmpty);
    for (let n = 1; n <= 50; n += 1) {
      const before = await api.candidate(MODEL, 'a:all');
      const reply = await api.chat({ model: MODEL, n, stream: n % 8 < 4, messages: [] });
      expect(reply.status).toBe(200);
      const after = await api.candidate(MODEL, 'a:all');
      const record = await api.callOf(reply);
      expect(record).toMatchObject({ outcome: 'completed', routing: { signature: SIGNATURE } });
      if (n % 2 === 1) {
        expect(record).toMatchObject({ sample: 'recorded', completion_tokens: 10 });
        expect(after.sample_count).toBe(before.sample_count + 1);
      } else {
        expect(record).toMatchObject({ sample: 'too_few_tokens', completion_tokens: 0, tps: 0 });
        expect([after.tps, after.sample_count]).toEqual([before.tps, before.sample_count]);
      }
    }
    expect(await api.calls('?limit=1000')).toHaveLength(50);
    expect(await api.candidate(MODEL, 'a:all')).toMatchObject({ status: 'proven', sample_count: 25 });
    expect(await api.node('a:all')).toMatchObject({ reputation: 1, breaker: 'closed', in_flight: 0 });
  });

  it('leaves a route that gave nothing else unsampled, without a speed', async () => {
    const { api } = await oneNode((response) => sendEmptyJson(response, { content: '' }));
    for (let n = 0; n < 10; n += 1) expect((await api.chat({ model: MODEL })).status).toBe(200);
    expect(await api.candidate(MODEL, 'a:all')).toMatchObject({
      status: 'unsampled',
      tps: null,
      coefficient: null,
      sample_count: 0,
      weight: 0,
      traffic_share: 1,
    });
  });
});
