import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { HeadAnswering } from '../../support/fake-head.js';
import { dataOf, errorOf } from '../../support/http-client.js';
import { DONE, finishChunk, SSE_HEADERS, TEN, textChunk } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, BLAMED, join, received, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const COMMENT = ': PROCESSING\n\n';

const stage = new Stage();
afterEach(() => stage.end());

/** Comments first, one among the tokens, one last. */
const commenting: HeadAnswering = async (response) => {
  response.writeHead(200, SSE_HEADERS);
  for (let at = 0; at < 5; at += 1) {
    response.write(COMMENT);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const token of TEN) response.write(textChunk(token) + COMMENT);
  response.end(finishChunk() + COMMENT + DONE);
};

/** What the official library makes of a streamed chat. */
async function textByOpenAi(tracker: StagedTracker): Promise<string> {
  const client = new OpenAI({ baseURL: `${tracker.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Which way?' }],
    stream: true,
  });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

/** Lines of a stream that are neither a field of ours, nor a comment, nor blank. */
function strangeLines(stream: string): string[] {
  return stream.split('\n').filter((line) => line !== '' && !/^(data: [{[]|:)/.test(line));
}

describe('B11 a head sends comments', () => {
  it('lets the official library read nothing but the answer', async () => {
    const tracker = await stage.tracker();
    await join(tracker.api, await stage.head(commenting), 'head');

    expect(await textByOpenAi(tracker)).toBe(TEN.join(''));
  });

  it('lets the official library read nothing but the answer, with pings of ours between', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_STREAM_PING_SECONDS: '0.01' } });
    const head = await stage.head(async (response, chat) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return commenting(response, chat);
    });
    await join(tracker.api, head, 'head');

    expect(await textByOpenAi(tracker)).toBe(TEN.join(''));
    const { text } = await tracker.api.chat(aChat({ stream: true }));
    expect(text).toContain(': ping\n');
    expect(strangeLines(text)).toEqual([]);
  });

  it('passes comments on as comments and counts none of them as a token', async () => {
    const { api } = await stage.tracker();
    const nodeId = await join(api, await stage.head(commenting), 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(strangeLines(reply.text)).toEqual([]);
    expect(dataOf(reply.text).length).toBe(TEN.length + 2);
    expect(dataOf(reply.text).join()).not.toContain('PROCESSING');
    expect(await api.callOf(reply)).toMatchObject({
      completion_tokens: TEN.length,
      tokens_estimated: true,
      sample: 'recorded',
    });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('does not take a comment for the first token', async () => {
    const { api } = await stage.tracker();
    let answer: ServerResponse | null = null;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(COMMENT.repeat(5));
      answer = response;
    });
    await join(api, head, 'head');

    const replying = api.chat(aChat({ stream: true }), { headers: { 'x-request-id': 'asked' } });
    await received(head);
    expect(await api.call('asked')).toMatchObject({ phase: 'prefill', ttft_ms: null });
    const before = await api.call('asked');
    (answer as ServerResponse | null)?.end(textChunk('x') + finishChunk() + DONE);

    const { ttft_ms } = await api.callOf(await replying);
    expect(ttft_ms).toBeGreaterThanOrEqual(before.age_ms ?? Infinity);
  });

  it('does not take comments for an answer: a head that sends nothing else has timed out', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.2' } });
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      const timer = setInterval(() => response.write(COMMENT), 10);
      response.on('close', () => clearInterval(timer));
    });
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(reply.status).toBe(504);
    expect(errorOf(reply).code).toBe('node_timeout');
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it.each([
    ['nothing but a colon', ':\n\n'],
    ['a comment within an event', `: keep-alive\n${textChunk('z')}`],
    ['a comment after an event’s data', `${textChunk('z').trimEnd()}\n: keep-alive\n\n`],
    ['a comment that looks like data', ': data: {"choices":[]}\n\n'],
    ['lines of retry and id', 'retry: 3000\nid: 7\n\n'],
    ['blank lines', '\n\n\n'],
  ])('keeps %s from confusing a client', async (_what, odd) => {
    const tracker = await stage.tracker();
    const head = await stage.head((response) => {
      response
        .writeHead(200, SSE_HEADERS)
        .end(odd + textChunk('a') + odd + textChunk('b') + finishChunk() + DONE);
    });
    const nodeId = await join(tracker.api, head, 'head');

    expect((await textByOpenAi(tracker)).replaceAll('z', '')).toBe('ab');
    expect(await standingOf(tracker.api, nodeId)).toEqual(UNTOUCHED);
  });

  it('relays any number of comments before the first token without holding them all', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(`: ${'x'.repeat(1000)}\n\n`.repeat(1000));
      response.end(textChunk('a') + finishChunk() + DONE);
    });
    await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(dataOf(reply.text).length).toBe(3);
    expect(reply.body.length).toBeLessThan(200_000);
  });
});
