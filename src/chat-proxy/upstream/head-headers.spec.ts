import { describe, expect, it } from '@jest/globals';
import { asIncoming } from './head-headers.js';

describe('the headers of a head', () => {
  it('are one text each, also those that were sent more than once', () => {
    const headers = {
      ...{ 'x-one': 'a', 'x-two': ['a', 'b'], connection: ['close', 'x-hop'], 'set-cookie': ['a=1', 'b=2'] },
      ...{ 'content-type': ['text/event-stream', 'text/html'], 'retry-after': ['7', '9'] },
    };
    expect(asIncoming(headers)).toEqual({
      ...{ 'x-one': 'a', 'x-two': 'a, b', connection: 'close, x-hop', 'set-cookie': ['a=1', 'b=2'] },
      ...{ 'content-type': 'text/event-stream', 'retry-after': '7' },
    });
  });
});
