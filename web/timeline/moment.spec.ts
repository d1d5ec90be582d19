import { describe, expect, it } from '@jest/globals';
import { momentText } from './moment.js';

describe('a moment', () => {
  const noon = new Date(2026, 4, 3, 12, 30, 5).getTime();

  it('is a time of day', () => {
    expect(momentText(noon, noon + 1000)).toBe('12:30:05');
  });

  it('has its day when that is over', () => {
    const tomorrow = new Date(2026, 4, 4, 0, 0, 1).getTime();
    expect(momentText(noon, tomorrow)).toMatch(/3.* 12:30:05$/);
  });
});
