import { describe, expect, it } from '@jest/globals';
import { askOf } from './call-ask.js';
import { parseChatRequest } from './chat-request.js';

function mostOf(fields: object): number | null {
  return askOf(parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', ...fields })))).mostOutputTokens;
}

describe('what a chat asks of a route', () => {
  it('is its prompt, by the length of its body', () => {
    const body = Buffer.from('{"model":"m","stream":true,"messages":[]}   ');
    expect(askOf(parseChatRequest(body))).toEqual({
      ...{ promptTokens: body.length / 4, mostOutputTokens: null, isStream: true },
    });
  });

  it('is no more tokens than the client allows, by whichever name', () => {
    expect(mostOf({ max_tokens: 7 })).toBe(7);
    expect(mostOf({ max_completion_tokens: 8 })).toBe(8);
    expect(mostOf({ max_tokens: 7, max_completion_tokens: 5 })).toBe(5);
  });

  it.each([0, -1, 1.5, '9', null, true, [3], {}, 1e300])(
    'is bounded by no max_tokens of %j: that is for the head to refuse',
    (max_tokens) => {
      expect(mostOf({ max_tokens })).toBeNull();
      expect(mostOf({ max_tokens, max_completion_tokens: 3 })).toBe(3);
    },
  );
});
