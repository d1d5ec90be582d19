import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SseFramer } from './sse-framer.js';
import { UsageTap } from './usage-tap.js';

function tapped(...payloads: unknown[]): UsageTap {
  const tap = new UsageTap();
  const framer = new SseFramer();
  for (const payload of payloads) {
    const text = typeof payload === 'string' ? payload : `data: ${JSON.stringify(payload)}`;
    for (const event of framer.feed(Buffer.from(`${text}\n\n`))) tap.take(event);
  }
  return tap;
}

/** Chunks as a server that speculates sends them: each with several tokens. */
function contentChunks(count: number): unknown[] {
  return Array.from({ length: count }, () => ({ choices: [{ delta: { content: 'some words' } }] }));
}

const role = { choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] };
const stop = { choices: [{ delta: {}, finish_reason: 'stop' }] };
const usageOf = (completion_tokens?: unknown, prompt_tokens?: unknown): unknown => {
  return { choices: [], usage: { completion_tokens, prompt_tokens } };
};
const DONE = 'data: [DONE]';

describe('the usage tap', () => {
  it('reads 40 tokens in 10 chunks and in 40 alike (B27)', () => {
    for (const count of [10, 40]) {
      const tap = tapped(role, ...contentChunks(count), stop, usageOf(40), DONE);
      expect(tap.usage?.completionTokens).toBe(40);
      expect(tap.contentChunks).toBe(count);
    }
  });

  it.each([
    { tool_calls: [{ index: 0, function: { name: 'look', arguments: '' } }] },
    { function_call: { name: 'look' } },
  ])('notes that a tool is called: %j', (delta) => {
    expect(tapped(role, ...contentChunks(3)).sawToolCall).toBe(false);
    const tap = tapped(role, ...contentChunks(3), { choices: [{ delta }] }, ...contentChunks(3));
    expect([tap.sawToolCall, tap.contentChunks]).toEqual([true, 7]);
    expect(tapped({ choices: [{ delta: { tool_calls: [] } }] }).sawToolCall).toBe(false);
  });

  it('counts content chunks where no usage comes, role and comments not (B27, B11)', () => {
    const tap = tapped(': PROCESSING', role, ...contentChunks(40), ': ping', stop, DONE);
    expect(tap.usage).toBeNull();
    expect(tap.contentChunks).toBe(40);
  });

  describe('of a stream of 100 content chunks', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });

    it('parses the first chunk, the first content chunk, and those with finish reason, usage or error', () => {
      const parse = jest.spyOn(JSON, 'parse');
      const tap = tapped(role, ...contentChunks(100), stop, usageOf(40), DONE);
      expect(tap.contentChunks).toBe(100);
      expect(parse).toHaveBeenCalledTimes(4);
    });
  });

  it('reads zero tokens with tool calls only (B39)', () => {
    const call = { choices: [{ delta: { tool_calls: [{ function: { name: 'f', arguments: '{}' } }] } }] };
    const tap = tapped(role, call, stop, usageOf(0), DONE);
    expect(tap.usage).toEqual({ promptTokens: null, completionTokens: 0 });
    expect(tap.contentChunks).toBe(1);
  });

  it('keeps the last usage and never adds up', () => {
    expect(tapped(usageOf(1, 9), usageOf(2, 9), usageOf(3, 9)).usage).toEqual({
      promptTokens: 9,
      completionTokens: 3,
    });
  });

  it('lets a later usage without a count erase none', () => {
    expect(tapped(usageOf(5), usageOf(undefined, 9), usageOf('6', -1)).usage).toEqual({
      promptTokens: 9,
      completionTokens: 5,
    });
  });

  it('tells usage without counts from no usage', () => {
    expect(tapped(usageOf()).usage).toEqual({ promptTokens: null, completionTokens: null });
    expect(tapped(stop).usage).toBeNull();
  });

  it('knows a stream that ended from one that was cut (B15)', () => {
    const cut = tapped(role, ...contentChunks(2));
    expect([cut.sawDone, cut.choices.areEnded]).toEqual([false, false]);
    const stopped = tapped(role, stop);
    expect([stopped.sawDone, stopped.choices.areEnded]).toEqual([false, true]);
    expect(tapped(DONE, role).sawDone).toBe(true);
  });

  it('keeps the first error, in whatever way it was told (B17)', () => {
    expect(tapped(role).firstError).toBeNull();
    expect(tapped({ error: { code: 400 } }, { error: { code: 500 } }).firstError?.code).toBe(400);
    expect(tapped('event: error\ndata: out of memory').firstError?.message).toBe('out of memory');
  });
});
