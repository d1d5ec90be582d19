import { describe, expect, it } from '@jest/globals';
import { aCall, anAttempt, anOpenCall } from './example-calls.js';
import { ALL_CALLS, filtered, isFiltering, modelsOf, type CallFilters } from './filters.js';

const CALLS = [
  anOpenCall({ request_id: 'waiting', routing: null, attempts: [] }),
  aCall({
    request_id: 'Scouted-1',
    model: 'big',
    routing: { mode: 'scout', signature: 'big|w.cpu:all[0-0]', probability: 0.3 },
    attempts: [
      anAttempt({ signature: 'big|w.down:all[0-0]' }),
      anAttempt({ signature: 'big|w.cpu:all[0-0]' }),
    ],
  }),
  aCall({ request_id: 'broken', outcome: 'failed' }),
];
const shown = (filters: Partial<CallFilters>): string[] =>
  filtered(CALLS, { ...ALL_CALLS, ...filters }).map(({ request_id }) => request_id);

describe('the filters of the call wall', () => {
  it('show all where nothing is chosen', () => {
    expect(filtered(CALLS, ALL_CALLS)).toBe(CALLS);
    expect(isFiltering({ ...ALL_CALLS, text: '  ' })).toBe(false);
  });

  it('know open calls, and calls without a route', () => {
    expect(shown({ outcome: 'open' })).toEqual(['waiting']);
    expect(shown({ mode: 'none' })).toEqual(['waiting']);
  });

  it('choose by model, mode and outcome together', () => {
    expect(shown({ model: 'big' })).toEqual(['Scouted-1']);
    expect(shown({ mode: 'exploit' })).toEqual(['broken']);
    expect(shown({ mode: 'exploit', outcome: 'failed' })).toEqual(['broken']);
    expect(shown({ mode: 'scout', outcome: 'failed' })).toEqual([]);
  });

  it('find a request id or any route that was tried, in whatever case', () => {
    expect(shown({ text: ' SCOUTED ' })).toEqual(['Scouted-1']);
    expect(shown({ text: 'w.down' })).toEqual(['Scouted-1']);
    expect(shown({ text: 'nothing like it' })).toEqual([]);
  });

  it('offer the models that were called, and a chosen one that no longer is', () => {
    expect(modelsOf(CALLS, '')).toEqual(['big', 'm']);
    expect(modelsOf(CALLS, 'was')).toEqual(['big', 'm', 'was']);
  });
});
