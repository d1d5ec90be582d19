import { describe, expect, it } from '@jest/globals';
import { historySeries, summaryOf } from './history-series.js';

const POINTS = [
  { at: 600, tps: 10, learned_tps: 11, samples: 2 },
  { at: 720, tps: 30, learned_tps: 20, samples: 5 },
];

describe('the history of a route', () => {
  it('stands at the middle of each minute and goes on to now', () => {
    expect(historySeries(POINTS, 60, 900, 20)).toEqual({
      at: [630, 750, 900],
      sampled: [10, 30, null],
      learned: [11, 20, 20],
    });
  });

  it('never runs ahead of now, nor backwards', () => {
    expect(historySeries(POINTS, 60, 730, 20).at).toEqual([630, 730]);
  });

  it('ends with its last sample when the route is gone', () => {
    expect(historySeries(POINTS, 60, 900, null).at).toEqual([630, 750]);
  });

  it('is empty where nothing was measured, whatever was learned before the hour', () => {
    expect(historySeries([], 60, 900, 20)).toEqual({ at: [], sampled: [], learned: [] });
  });

  it('is told in figures', () => {
    expect(summaryOf(POINTS)).toEqual({ samples: 7, minutes: 2, least: 10, most: 30 });
    expect(summaryOf([])).toBeNull();
  });
});
