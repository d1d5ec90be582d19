import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChunkTemplate } from './chunk-template.js';
import { readChunk } from './completion-usage.js';
import { SseFramer } from './sse-framer.js';

function chunk(content: unknown, more: object = {}, choice: object = {}): Buffer {
  const payload = JSON.stringify({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta: { content }, finish_reason: null, ...choice }],
    ...more,
  });
  return Buffer.from(`data: ${payload}\n\n`);
}

/** As the framer cuts and the reader reads it, from whatever bytes. */
function readEvent(bytes: Buffer): object[] {
  return new SseFramer().feed(bytes).map(({ kind, data, event }) => ({
    ...{ kind, event, facts: data === null ? null : readChunk(data, event) },
  }));
}

const TEMPLATE = ChunkTemplate.of(chunk('one'));

describe('the template of a content chunk', () => {
  it.each(['two', ' ', 'a longer text: {}[],', 'Grüße 你好 🙂'])(
    'matches the same chunk with the text %j',
    (text) => {
      expect(TEMPLATE?.matches(chunk(text))).toBe(true);
    },
  );

  it.each([
    ['no text', chunk('')],
    ['null for text', chunk(null)],
    ['an escape in its text', chunk('say "hi"\n')],
    ['usage', chunk('two', { usage: { completion_tokens: 2 } })],
    ['an error', chunk('two', { error: { message: 'out of memory' } })],
    ['a finish reason', chunk('two', {}, { finish_reason: 'stop' })],
    ['another member in its delta', chunk('two', {}, { delta: { content: 'two', role: 'assistant' } })],
    ['another choice', chunk('two', {}, { index: 1 })],
    ['half of itself', chunk('two').subarray(0, 60)],
    ['another one behind it', Buffer.concat([chunk('two'), chunk('three')])],
    ['its blank line missing', chunk('two').subarray(0, -1)],
    ['a name', Buffer.concat([Buffer.from('event: x\n'), chunk('two')])],
    ['a control character', Buffer.concat([chunk('one').subarray(0, 110), Buffer.from('\u0001')])],
    ['nothing at all', Buffer.alloc(0)],
  ])('does not match a chunk with %s', (_what, payload) => {
    expect(TEMPLATE?.matches(payload)).toBe(false);
  });

  it.each([
    ['no text', chunk('')],
    ['a byte order mark before it', Buffer.concat([Buffer.from('\ufeff'), chunk('one')])],
    ['an escape', chunk('"')],
    [
      'tool calls',
      Buffer.from('data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"x"}}]}}]}\n\n'),
    ],
    ['a text that goes on past the end', Buffer.from('data: {"content":"abc\n')],
    ['a CR for its last line end, which a LF may follow', Buffer.from('data: {"content":"abc"}\r\n\r')],
  ])('is not made of a chunk with %s', (_what, payload) => {
    expect(ChunkTemplate.of(payload)).toBeNull();
  });

  it('never matches what a parser would read otherwise', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\u0000', '","x":"', ''));
    const garbled = fc.tuple(text, fc.nat(150), fc.nat(255)).map(([content, at, byte]) => {
      const payload = chunk(content);
      payload[at % payload.length] = byte;
      return payload;
    });
    const facts = readEvent(chunk('one'));
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((content) => chunk(content)),
          garbled,
        ),
        (payload) => {
          if (TEMPLATE?.matches(payload) === true) expect(readEvent(payload)).toEqual(facts);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
