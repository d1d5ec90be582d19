import { describe, expect, it } from '@jest/globals';
import { aCandidate, aModel } from '../support/answers.js';
import { modelChoicesOf } from './model-choices.js';

describe('the models to chat with', () => {
  it('are all that the tracker knows, each with whether it has a route now', () => {
    const table = [aModel({ model: 'a', candidates: [aCandidate()] }), aModel({ model: 'b' })];
    expect(modelChoicesOf(['a', 'b', 'left'], table)).toEqual([
      { id: 'a', hasRoute: true },
      { id: 'b', hasRoute: false },
      { id: 'left', hasRoute: false },
    ]);
  });

  it('are those that are listed while there is no routing table', () => {
    expect(modelChoicesOf(['a'], undefined)).toEqual([{ id: 'a', hasRoute: true }]);
  });
});
