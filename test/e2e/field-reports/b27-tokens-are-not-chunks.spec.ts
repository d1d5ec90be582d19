import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { CallRecord } from '../../../src/calls/index.js';
import { ManualClock } from '../../support/manual-clock.js';
import {
  DONE,
  event,
  finishChunk,
  sendJson,
  SSE_HEADERS,
  textChunk,
  usageChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, join, received } from '../../support/whole-model.js';

const TOOK_MS = 2_000;

const stage = new Stage();
afterEach(() => stage.end());

interface Staged extends StagedTracker {
  readonly clock: ManualClock;
}

async function stagedTracker(): Promise<Staged> {
  const clock = new ManualClock();
  return Object.assign(await stage.tracker({ parts: { clock } }), { clock });
}

/** The record of a call to a new node that streams this and is done after two seconds. */
async function streamed({ api, clock }: Staged, wallet: string, text: string): Promise<CallRecord> {
  let finish = (): void => undefined;
  const head = await stage.head((response) => {
    response.writeHead(200, SSE_HEADERS).write(text);
    finish = () => response.end(DONE);
  });
  const nodeId = await join(api, head, wallet);
  const replying = api.chat(aChat({ stream: true, route: [nodeId] }));
  await received(head);
  clock.advance(TOOK_MS);
  finish();
  return api.callOf(await replying);
}

function chunks(count: number): string {
  return textChunk('x').repeat(count) + finishChunk();
}

describe('B27 a chunk is not a token', () => {
  it('finds two nodes equally fast that give as many tokens in ten chunks and in forty', async () => {
    const tracker = await stagedTracker();

    for (const [wallet, text] of [
      ['few', chunks(10) + usageChunk(40)],
      ['many', chunks(40) + usageChunk(40)],
    ] as const) {
      expect(await streamed(tracker, wallet, text)).toMatchObject({
        completion_tokens: 40,
        tokens_estimated: false,
        tps: 20,
      });
      expect(await tracker.api.candidate('m', `${wallet}:all`)).toMatchObject({
        tps: 20,
        weight: 1,
        sample_count: 1,
      });
    }
  });

  it('counts chunks only where usage is missing, says so, and believes it less', async () => {
    const tracker = await stagedTracker();

    const record = await streamed(tracker, 'none', chunks(40));

    expect(record).toMatchObject({ completion_tokens: 40, tokens_estimated: true, tps: 20 });
    expect(await tracker.api.candidate('m', 'none:all')).toMatchObject({
      tps: 20,
      weight: 0.6,
      sample_count: 1,
    });
  });

  it('lets what was counted move an estimate further than what was guessed', async () => {
    const tracker = await stagedTracker();
    const { api, clock } = tracker;
    let finish = (): void => undefined;
    let text = chunks(80);
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(text);
      finish = () => response.end(DONE);
    });
    const nodeId = await join(api, head, 'head');
    const ask = async (at: number): Promise<void> => {
      const replying = api.chat(aChat({ stream: true, route: [nodeId] }));
      await received(head, at);
      clock.advance(TOOK_MS);
      finish();
      await replying;
    };

    await ask(1);
    text = chunks(10) + usageChunk(40);
    await ask(2);

    // Guessed 40/s at 0.6, counted 20/s at 1.
    expect((await api.candidate('m', nodeId)).tps).toBeCloseTo((40 * 0.6 + 20) / 1.6, 1);
  });

  it.each([
    ['the last of several counts', usageChunk(7) + chunks(10) + usageChunk(12), 12],
    [
      'a count beside tokens',
      event({ choices: [{ delta: { content: 'x' } }], usage: { completion_tokens: 33 } }) + chunks(2),
      33,
    ],
    [
      'reasoning and tool calls as content',
      event({ choices: [{ delta: { reasoning_content: 'x' } }] }).repeat(5) +
        event({ choices: [{ delta: { tool_calls: [{ function: { arguments: '{' } }] } }] }).repeat(5) +
        finishChunk('tool_calls'),
      10,
    ],
    [
      'no roles and no empty deltas',
      event({ choices: [{ delta: { role: 'assistant', content: '' } }] }).repeat(9) + chunks(10),
      10,
    ],
  ])('takes %s', async (_what, text, tokens) => {
    expect((await streamed(await stagedTracker(), 'head', text)).completion_tokens).toBe(tokens);
  });

  it.each([
    ['NaN', '{"choices":[],"usage":{"completion_tokens":NaN}}'],
    ['less than none', '{"choices":[],"usage":{"completion_tokens":-40}}'],
    ['a text', '{"choices":[],"usage":{"completion_tokens":"40"}}'],
    ['nothing', '{"choices":[],"usage":{"prompt_tokens":40}}'],
  ])('guesses where the count is %s', async (_what, said) => {
    const record = await streamed(await stagedTracker(), 'head', `${chunks(10)}data: ${said}\n\n`);

    expect(record).toMatchObject({ completion_tokens: 10, tokens_estimated: true, tps: 5 });
  });

  it('measures a JSON answer as it does a stream, and takes none without usage for a sample', async () => {
    const { api, clock } = await stagedTracker();
    let last: ServerResponse | null = null;
    const head = await stage.head((response) => (last = response));
    const nodeId = await join(api, head, 'head');
    const ask = async (at: number, body: object): Promise<CallRecord> => {
      const replying = api.chat(aChat());
      await received(head, at);
      clock.advance(TOOK_MS);
      if (last !== null) sendJson(last, 200, body);
      return api.callOf(await replying);
    };

    expect(await ask(1, wholeChat('x', 40))).toMatchObject({
      completion_tokens: 40,
      tps: 20,
      sample: 'recorded',
    });
    const without = { ...wholeChat('x', 40), usage: null };
    expect(await ask(2, without)).toMatchObject({
      completion_tokens: null,
      tps: null,
      sample: 'too_few_tokens',
    });
    expect(await api.candidate('m', nodeId)).toMatchObject({ tps: 20, sample_count: 1 });
  });
});
