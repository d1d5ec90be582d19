import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cannedAnswer, countPromptTokens, expectedText, promptOf } from './canned-text.js';

describe('the canned text', () => {
  it('has as many tokens as asked for, each of them a word, and is the same for the same prompt', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 3_000 }), (prompt, maxTokens) => {
        const { tokens, finishReason } = cannedAnswer(prompt, maxTokens);
        expect(tokens.length).toBe(maxTokens);
        expect(finishReason).toBe('length');
        expect(tokens.every((token, i) => (i === 0 ? /^\S+$/ : /^ \S+$/).test(token))).toBe(true);
        expect(expectedText(prompt, maxTokens)).toBe(tokens.join(''));
      }),
    );
  });

  it('begins with another passage for another prompt', () => {
    const beginnings = Array.from({ length: 50 }, (_, i) => expectedText(`prompt ${String(i)}`, 3));
    expect(new Set(beginnings).size).toBe(6);
  });

  it('ends', () => {
    const { tokens, finishReason } = cannedAnswer('', 1_000_000);
    expect(finishReason).toBe('stop');
    expect(tokens.length).toBeLessThan(10_000);
    expect(cannedAnswer('', tokens.length).finishReason).toBe('stop');
  });

  it('takes 32 tokens where nobody says how many', () => {
    expect(expectedText('hello').split(' ').length).toBe(32);
  });

  it('reads the text of all messages, in parts or whole', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Why' }, { type: 'image_url' }, { type: 'text', text: 'so?' }],
      },
      { role: 'assistant', content: null },
    ];
    expect(countPromptTokens(promptOf(messages))).toBe(4);
    expect(expectedText(messages)).toBe(expectedText(promptOf(messages)));
    expect(countPromptTokens('')).toBe(1);
  });
});
