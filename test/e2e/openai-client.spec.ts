import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError, BadRequestError, InternalServerError, NotFoundError } from 'openai';
import { expectedText } from '../../src/demo/canned-text.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const PLAIN = 'llama3:8b';
const MESSAGES = [{ role: 'user' as const, content: 'Which way is the fastest?' }];
const TOKENS = 12;

const stage = new Stage();
let tracker: StagedTracker;
let client: OpenAI;

beforeEach(async () => {
  tracker = await stage.tracker();
  const mesh = stage.mesh(tracker.url);
  const layers = { wallet: 'w', model: MODEL, numLayers: 40 };
  await mesh.add({ ...layers, name: 'gpu', shard: { start: 0, end: 21 } });
  await mesh.add({ ...layers, name: 'tail', shard: { start: 22, end: 39 } });
  await mesh.add({ wallet: 'plain', model: PLAIN });
  client = new OpenAI({ baseURL: `${tracker.url}/v1`, apiKey: 'sk-unused', maxRetries: 0 });
});
afterEach(() => stage.end());

/** What a call that must fail rejects with. */
async function faultOf(call: Promise<unknown>): Promise<APIError> {
  const fault = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(fault).toBeInstanceOf(APIError);
  return fault as APIError;
}

describe('the official openai client', () => {
  it('gets a chat as JSON, with usage and the route that served it', async () => {
    const asked = client.chat.completions.create({
      model: MODEL,
      messages: MESSAGES,
      max_completion_tokens: TOKENS,
    });
    const { data, response, request_id } = await asked.withResponse();
    expect(data.choices[0]?.message.content).toBe(expectedText(MESSAGES, TOKENS));
    expect(data.usage).toEqual({
      prompt_tokens: 5,
      completion_tokens: TOKENS,
      total_tokens: TOKENS + 5,
    });
    expect(response.headers.get('x-meshnet-route')).toBe(`${MODEL}|w.gpu:0-21[0-21]->w.tail:22-39[22-39]`);
    expect((await tracker.api.call(String(request_id))).completion_tokens).toBe(TOKENS);
  });

  it('gets a stream without a chunk that lacks choices when it did not ask for usage', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: MESSAGES,
      max_completion_tokens: TOKENS,
      stream: true,
    });
    let text = '';
    let chunks = 0;
    for await (const chunk of stream) {
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
      chunks += 1;
    }
    expect(text).toBe(expectedText(MESSAGES, TOKENS));
    expect(chunks).toBe(TOKENS + 2);
    expect((await tracker.api.calls())[0]).toMatchObject({
      completion_tokens: TOKENS,
      tokens_estimated: false,
      sample: 'recorded',
    });
  });

  it('gets exactly one usage chunk, the last, when it asked for usage', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: MESSAGES,
      max_completion_tokens: TOKENS,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(1);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: TOKENS });
  });

  it('reads a stream through its own helper to the end', async () => {
    const runner = client.chat.completions.stream({
      model: MODEL,
      messages: MESSAGES,
      max_completion_tokens: TOKENS,
      stream_options: { include_usage: true },
    });
    expect(await runner.finalContent()).toBe(expectedText(MESSAGES, TOKENS));
    expect((await runner.totalUsage()).completion_tokens).toBe(TOKENS);
  });

  it('gets legacy completions, whole and streamed', async () => {
    const asked = { model: PLAIN, prompt: 'Once upon a mesh', max_tokens: TOKENS };
    const text = expectedText(asked.prompt, TOKENS);
    expect((await client.completions.create(asked)).choices[0]?.text).toBe(text);
    let streamed = '';
    for await (const chunk of await client.completions.create({ ...asked, stream: true })) {
      streamed += chunk.choices[0]?.text ?? '';
    }
    expect(streamed).toBe(text);
  });

  it('lists the models, and retrieves one whose id has a slash or a colon', async () => {
    const listed: string[] = [];
    for await (const model of client.models.list()) listed.push(model.id);
    expect(listed).toEqual([MODEL, PLAIN]);
    for (const id of [MODEL, PLAIN]) {
      const card = await client.models.retrieve(id);
      expect(card).toMatchObject({ id, object: 'model', owned_by: 'meshnet' });
      expect(Number.isSafeInteger(card.created)).toBe(true);
    }
  });

  it('retrieves a model by its raw id as well as by the encoded one', async () => {
    for (const path of [`/v1/models/${MODEL}`, `/v1/models/${encodeURIComponent(MODEL)}`]) {
      expect(JSON.parse((await tracker.api.get(path)).text)).toMatchObject({ id: MODEL });
    }
  });

  it('throws NotFoundError for a model that nobody serves', async () => {
    for (const call of [
      () => client.chat.completions.create({ model: 'gpt-9', messages: MESSAGES }),
      () => client.models.retrieve('gpt-9'),
    ]) {
      const fault = await faultOf(call());
      expect(fault).toBeInstanceOf(NotFoundError);
      expect(fault).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
      expect(fault.message).toContain('gpt-9');
    }
  });

  it('throws BadRequestError with the param for what the tracker, or the node, cannot understand', async () => {
    const ours = await faultOf(
      client.chat.completions.create({ model: MODEL, messages: MESSAGES, stream: 'yes' as never }),
    );
    expect(ours).toBeInstanceOf(BadRequestError);
    expect(ours).toMatchObject({ status: 400, code: 'invalid_request', param: 'stream' });
    const theirs = await faultOf(
      client.chat.completions.create({ model: MODEL, messages: MESSAGES, max_completion_tokens: 0 }),
    );
    expect(theirs).toBeInstanceOf(BadRequestError);
    expect(theirs).toMatchObject({ status: 400, code: 'invalid_request', param: 'max_completion_tokens' });
  });

  it('throws InternalServerError when no route is complete, naming the layers and who served them last', async () => {
    expect((await tracker.api.ask('DELETE', '/v1/nodes/w.tail:22-39')).status).toBe(204);
    const fault = await faultOf(client.chat.completions.create({ model: MODEL, messages: MESSAGES }));
    expect(fault).toBeInstanceOf(InternalServerError);
    expect(fault).toMatchObject({ status: 503, code: 'no_route', type: 'server_error' });
    expect(fault.message).toContain('22-39');
    expect(fault.message).toContain('w.tail:22-39');
    expect(Number(fault.headers?.get('retry-after'))).toBeGreaterThan(0);
    expect((await tracker.api.get(`/v1/models/${MODEL}`)).status).toBe(404);
  });

  it('throws when a stream breaks off, instead of taking the part for the whole', async () => {
    const head = await stage.head((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n');
    });
    await tracker.api.register({ wallet: 'half', endpoint: head.url, model: 'half' });
    const stream = await client.chat.completions.create({ model: 'half', messages: MESSAGES, stream: true });
    const texts: unknown[] = [];
    const fault = await faultOf(
      (async () => {
        for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content);
      })(),
    );
    expect(texts).toEqual(['half']);
    expect(fault.code).toBe('answer_cut_off');
  });
});
