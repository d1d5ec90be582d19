import { describe, expect, it } from '@jest/globals';
import { ago } from './ago.js';

describe('how long ago something was', () => {
  it('is said in one unit, and never as 60 of one', () => {
    expect([0, 0.4, 59.4, 59.6, 3569, 3571, 7200].map(ago)).toEqual([
      '0 s ago',
      '0 s ago',
      '59 s ago',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '2 h ago',
    ]);
  });

  it('is unknown for what never was', () => {
    expect(ago(null)).toBe('–');
  });
});
