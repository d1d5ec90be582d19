import { describe, expect, it } from '@jest/globals';
import { aCandidate } from '../support/answers.js';
import { shownRoutes } from './routes-shown.js';

const routes = (count: number) =>
  Array.from({ length: count }, (_, at) => aCandidate({ signature: `m|w${String(at)}:all[0-0]` }));

describe('of the routes of a model', () => {
  it('all are shown where they are few', () => {
    const few = routes(20);
    expect(shownRoutes(few, undefined)).toBe(few);
  });

  it('the first twenty are shown of many, and the open one', () => {
    const many = routes(300);
    expect(shownRoutes(many, undefined)).toEqual(many.slice(0, 20));
    expect(shownRoutes(many, 'm|w7:all[0-0]')).toHaveLength(20);
    expect(shownRoutes(many, 'm|w250:all[0-0]')).toEqual([...many.slice(0, 20), many[250]]);
    expect(shownRoutes(many, 'm|gone:all[0-0]')).toHaveLength(20);
  });
});
