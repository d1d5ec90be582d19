import { describe, expect, it } from '@jest/globals';
import { givenRequestId } from './request-id.js';

describe("the client's request id", () => {
  it.each(['a', 'req_1:2/3@4.5+6=7-8', 'x'.repeat(128)])('is taken: %s', (id) => {
    expect(givenRequestId({ 'x-request-id': id })).toBe(id);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(129), 'a\n', '<b>', 'é', 'a, b', undefined, ['a', 'b'] as never])(
    'is not taken: %j',
    (id) => {
      expect(givenRequestId(id === undefined ? {} : { 'x-request-id': id })).toBeNull();
    },
  );

  it.each(['.', '..', '...'])('is not taken if it is %j: it would lead elsewhere in a path', (id) => {
    expect(givenRequestId({ 'x-request-id': id })).toBeNull();
  });
});
