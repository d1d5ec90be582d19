import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentBytesOf } from './content-size.js';

const sizeOf = (choice: object): number =>
  contentBytesOf(Buffer.from(`data: ${JSON.stringify({ id: 'long id', choices: [choice] })}\n\n`));

describe('the size of what an event carries', () => {
  it.each([
    [{ delta: { role: 'assistant', content: 'hello' } }, 5],
    [{ delta: { content: '北京' } }, 6],
    [{ delta: { reasoning_content: 'hm', content: null } }, 2],
    [{ delta: { content: [{ type: 'text', text: 'abc' }] } }, 3],
    [
      {
        delta: {
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a"' } }],
        },
      },
      4,
    ],
    [{ text: 'four' }, 4],
    [{ delta: {}, finish_reason: 'stop' }, 0],
  ])('%j: %i bytes', (choice, bytes) => expect(sizeOf(choice)).toBe(bytes));

  it('counts all choices, and an event in several lines', () => {
    expect(
      contentBytesOf(Buffer.from('data: {"choices":[{"text":"a"},\r\ndata: {"text":"bc"}]}\r\n\r\n')),
    ).toBe(3);
  });

  it.each([
    '',
    'data: [DONE]\n\n',
    'data: {"choices":',
    ': hello\n\n',
    'data: {"choices":null}\n\n',
    'data: {"choices":[7]}\n\n',
  ])('is 0 of what has none: %j', (text) => expect(contentBytesOf(Buffer.from(text))).toBe(0));

  it('throws at nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(contentBytesOf(Buffer.from(bytes))).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
