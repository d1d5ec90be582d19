import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { dataOf } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  sendStream,
  SSE_HEADERS,
  TEN,
  textChunk,
  usage,
  usageChunk,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** Choices of each chunk of a stream; null for one that has none. */
function choicesOf(stream: string): (unknown[] | null)[] {
  return dataOf(stream)
    .filter((data) => data !== '[DONE]')
    .map((data) => (JSON.parse(data) as { choices?: unknown[] | null }).choices ?? null);
}

function timesDone(stream: string): number {
  return dataOf(stream).filter((data) => data === '[DONE]').length;
}

describe('B23 a client did not ask for usage', () => {
  it.each([
    ['nothing', {}],
    ['null', { stream_options: null }],
    ['no usage', { stream_options: { include_usage: false } }],
    ['other options', { stream_options: { include_obfuscation: false } }],
  ])('and never sees its chunk, while the tracker counts by it (it asked for %s)', async (_what, asked) => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendStream(response, TEN));
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true, ...asked }));

    expect(head.lastBody.stream_options).toEqual({
      ...(asked as { stream_options?: object | null }).stream_options,
      include_usage: true,
    });
    expect(choicesOf(reply.text).map((choices) => choices?.length)).toEqual(Array(TEN.length + 1).fill(1));
    expect(timesDone(reply.text)).toBe(1);
    expect(reply.text).toBe(TEN.map(textChunk).join('') + finishChunk() + DONE);
    expect(await api.callOf(reply)).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 10,
      tokens_estimated: false,
      sample: 'recorded',
    });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('changes nothing else in the question, and nothing at all in one for JSON', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    await join(api, head, 'head');
    const stream = '{ "model":"m","n" : 1.0, "seed":12345678901234567890, "stream":true }';
    const json = '{ "model":"m","n" : 1.0, "stream_options" : {"include_usage":false} }';

    await api.chat(stream);
    expect(head.last.body.toString()).toBe(
      stream.replace(/ }$/, ',"stream_options":{"include_usage":true} }'),
    );
    await api.chat(json);
    expect(head.last.body.toString()).toBe(json);
  });

  it.each([
    ['first', usageChunk(40) + textChunk('a') + finishChunk() + DONE],
    ['between tokens', textChunk('a') + usageChunk(40) + finishChunk() + DONE],
    [
      'several times, growing',
      usageChunk(7) + textChunk('a') + usageChunk(39) + finishChunk() + usageChunk(40) + DONE,
    ],
    [
      'with a null list of choices',
      textChunk('a') + finishChunk() + event({ choices: null, usage: usage(40) }) + DONE,
    ],
    ['with CRLF', (textChunk('a') + finishChunk() + usageChunk(40) + DONE).replaceAll('\n', '\r\n')],
    ['and then nothing, not even [DONE]', textChunk('a') + finishChunk() + usageChunk(40)],
  ])('and never sees its chunk when it comes %s', async (_where, stream) => {
    const { api } = await stage.tracker();
    await join(api, await stage.head((response) => response.writeHead(200, SSE_HEADERS).end(stream)), 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(choicesOf(reply.text).map((choices) => choices?.length)).toEqual([1, 1]);
    expect(timesDone(reply.text)).toBe(stream.includes('[DONE]') ? 1 : 0);
    expect(reply.text).not.toContain('usage');
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      completion_tokens: 40,
      tokens_estimated: false,
    });
  });

  it('but gets the chunks with tokens whole, also where usage stands in them', async () => {
    const { api } = await stage.tracker();
    const withUsage = event({ choices: [{ index: 0, delta: { content: 'b' } }], usage: usage(40) });
    const stream = textChunk('a') + withUsage + finishChunk() + DONE;
    await join(api, await stage.head((response) => response.writeHead(200, SSE_HEADERS).end(stream)), 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(reply.text).toBe(stream);
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 40, tokens_estimated: false });
  });

  it('so that the official library finds a choice in every chunk', async () => {
    const { api, url } = await stage.tracker();
    await join(api, await stage.head(), 'head');
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });

    const stream = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Which way?' }],
      stream: true,
    });
    for await (const chunk of stream) expect(chunk.choices[0]?.index).toBe(0);
  });
});

describe('B23 a client asked for usage', () => {
  it('and gets its chunk, of which the tracker counts too', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendStream(response, TEN));
    await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true, stream_options: { include_usage: true } }));

    expect(reply.text).toBe(TEN.map(textChunk).join('') + finishChunk() + usageChunk(10) + DONE);
    expect(timesDone(reply.text)).toBe(1);
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 10, tokens_estimated: false });
  });
});
