import { describe, expect, it } from '@jest/globals';
import { aCandidate, aModel } from '../support/answers.js';
import { openRoute } from './open-route.js';

describe('the route in the address', () => {
  const there = aCandidate({ signature: 'm|w:all[0-3]' });
  const models = [aModel({ model: 'm', candidates: [there] }), aModel({ model: 'm|x' })];

  it('is found with its model', () => {
    expect(openRoute(models, 'm|w:all[0-3]')).toEqual({
      model: 'm',
      signature: 'm|w:all[0-3]',
      candidate: there,
    });
  });

  it('belongs to the longest model that fits', () => {
    expect(openRoute(models, 'm|x|w:all[0-3]')?.model).toBe('m|x');
  });

  it('keeps its model when it is no candidate any more', () => {
    expect(openRoute(models, 'm|gone:all[0-3]')).toEqual({
      model: 'm',
      signature: 'm|gone:all[0-3]',
      candidate: null,
    });
  });

  it('is none without a known model, or when the address names none', () => {
    expect([openRoute(models, 'n|w:all[0-3]'), openRoute(models, null)]).toEqual([null, null]);
  });
});
